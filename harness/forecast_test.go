package harness

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// costing is a planned cell with a declared cost in seconds.
func costing(method, dataset string, split int, seconds float64) *plan.Cell {
	return &plan.Cell{Cell: runner.Cell{Method: method, Dataset: dataset, Split: split},
		Spec: runner.CellSpec{Cost: seconds * 1e9 / plan.UsualFactor, Inputs: runner.Inputs{MethodVersion: "1"}}}
}

// TestForecast: what was measured on the set itself counts alone; else near sets count more than far ones;
// else what the machine is like.
func TestForecast(t *testing.T) {
	check := func(what string, f *plan.Forecast, c *plan.Cell, low, high float64) {
		t.Helper()
		if got := f.Seconds(c); !(got >= low && got <= high) {
			t.Errorf("%s: %v seconds, want %v to %v", what, got, low, high)
		}
	}
	f := plan.NewForecast(nil)
	check("nothing is known", f, costing("A", "x", 1, 3), 3, 3)
	f = plan.NewForecast([]store.Timing{{Method: "A", MethodVersion: "1", Dataset: "x", Cells: 2, Seconds: 8,
		CostUnits: 2e9 / plan.UsualFactor}})
	check("the set itself", f, costing("A", "x", 5, 1), 4, 4)
	check("another set of the same cost", f, costing("A", "y", 1, 2), 6, 8)
	check("another method", f, costing("B", "x", 1, 1), 1.5, 3)
	old := costing("A", "x", 1, 1)
	old.Spec.Inputs.MethodVersion = "2"
	check("another version", f, old, 1.5, 3)
	f.Record(costing("A", "z", 1, 2000), 2000, 0) // as declared
	check("like the small set", f, costing("A", "y", 1, 1), 2, 4)
	check("like the large set", f, costing("A", "y", 1, 2000), 2000, 4000)
	before := f.Seconds(costing("B", "x", 1, 1))
	f.Record(costing("A", "z", 2, 0), 5, 0)
	f.Record(costing("A", "z", 2, 5), 0, 0)
	must.Be(t, f.Seconds(costing("B", "x", 1, 1)), before, "a cell without cost or time changes")
}

// TestTimeAroundFits: what cells take beside their fits counts in what is left of a run, each kind of method for
// itself.
func TestTimeAroundFits(t *testing.T) {
	f := plan.NewForecast(nil)
	own, foreign := costing("A", "x", 1, 1), costing("B", "x", 1, 1)
	foreign.Foreign = true
	f.Record(own, 1, 1)
	f.Record(foreign, 1, 1)
	without := f.Wall([]*plan.Cell{own, foreign, foreign}, nil, 1)
	f.RecordAround(own, 0.5)
	f.RecordAround(foreign, 2)
	f.RecordAround(foreign, 4)
	if got := f.Wall([]*plan.Cell{own, foreign, foreign}, nil, 1); math.Abs(got-without-6.5) > 1e-9 {
		t.Errorf("the run takes %v seconds more, want 6.5", got-without)
	}
}

// TestSlowdown: cells of a busy machine are no costlier, and what is left of its run takes longer.
func TestSlowdown(t *testing.T) {
	f := plan.NewForecast(nil)
	c := costing("A", "x", 1, 100)
	f.Record(c, 3000, 1000)
	if got := f.Seconds(c); math.Abs(got-1000) > 1e-6 {
		t.Errorf("a cell takes %v seconds, want its processor time", got)
	}
	if got := f.Wall([]*plan.Cell{c}, nil, 1); got < 2800 || got > 3000 {
		t.Errorf("the run takes %v seconds, want nearly 3000", got)
	}
}

// TestOneCellIsEnough: with a machine k times as slow as declared, the forecast of every other cell of a method is
// right within a factor of 2 once one of them has been run, whatever k between 1/8 and 8 and whatever the set.
func TestOneCellIsEnough(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		slow := math.Exp(rapid.Float64Range(-math.Log(8), math.Log(8)).Draw(rt, "log k"))
		declared := rapid.Float64Range(0.01, 1000).Draw(rt, "declared")
		other := declared * math.Exp(rapid.Float64Range(-3, 3).Draw(rt, "other"))
		f := plan.NewForecast(nil)
		f.Record(costing("A", "x", 1, declared), declared*slow, 0)
		if got := f.Seconds(costing("A", "y", 1, other)) / (other * slow); got < 0.5 || got > 2 {
			rt.Fatalf("predicted over measured is %v", got)
		}
	})
}

// TestSlowSetsOfGuessedCosts: methods that declare no cost, such as plugins, have no part in the excess of a set,
// however many they are.
func TestSlowSetsOfGuessedCosts(t *testing.T) {
	timings := []store.Timing{{Method: "A", MethodVersion: "1", Dataset: "small", Cells: 1, Seconds: 1, CostUnits: 1e9}}
	var plugins []string
	for i := range 9 {
		name := fmt.Sprint("plugin", i)
		plugins = append(plugins, name)
		for set, seconds := range map[string]float64{"small": 1, "large": 1000} {
			timings = append(timings, store.Timing{Method: name, MethodVersion: "1", Dataset: set, Cells: 1,
				Seconds: seconds, CostUnits: 1e9})
		}
	}
	c := costing("A", "large", 1, 1)
	if got := plan.NewForecast(timings, plugins...).Seconds(c); got > 10 {
		t.Errorf("%v seconds, where A takes as long as declared", got)
	}
	if got := plan.NewForecast(timings).Seconds(c); got < 50 {
		t.Errorf("%v seconds, where nine methods that declare their costs take a thousand times as long", got)
	}
}

// TestSlowSets: on a set on which every method takes three times as long as on others, such as one beyond the caches, a
// method that was not measured there is predicted within a factor of 1.5 from three methods that were. A fourth method,
// whose declared cost is wrong by a factor of a hundred on that set, does not change this. Where such a method is the
// only one that was measured on the set, it changes a prediction by less than the factor 5.
func TestSlowSets(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := plan.NewForecast(nil)
		sets := map[string]float64{"a": 1, "b": 1, "c": 1, "large": 3}
		machine := math.Exp(rapid.Float64Range(-1, 1).Draw(rt, "machine"))
		methods := map[string]float64{}
		for _, m := range []string{"M1", "M2", "M3", "New", "Wrong"} {
			methods[m] = machine * math.Exp(rapid.Float64Range(-1, 1).Draw(rt, m))
		}
		cost := rapid.Float64Range(0.1, 10).Draw(rt, "cost")
		for set, slow := range sets {
			for m, factor := range methods {
				switch {
				case m == "New" && set == "large":
					continue
				case m == "Wrong" && set == "large":
					factor *= 100
				}
				f.Record(costing(m, set, 1, cost), cost*factor*slow, 0)
			}
		}
		truth := cost * methods["New"] * 3
		if got := f.Seconds(costing("New", "large", 1, cost)) / truth; got < 1/1.5 || got > 1.5 {
			rt.Fatalf("predicted over measured is %v", got)
		}
		only := plan.NewForecast(nil)
		only.Record(costing("Wrong", "a", 1, cost), cost, 0)
		only.Record(costing("New", "a", 1, cost), cost, 0)
		before := only.Seconds(costing("New", "large", 1, cost))
		only.Record(costing("Wrong", "large", 1, cost), 100*cost, 0)
		if after := only.Seconds(costing("New", "large", 1, cost)); after > 5*before {
			rt.Fatalf("one method that takes 100 times as long changes %v to %v", before, after)
		}
	})
}

// TestWall against a plain simulation: jobs take the cells one after another.
func TestWall(t *testing.T) {
	f := plan.NewForecast(nil)
	cells := []*plan.Cell{costing("A", "x", 1, 1), costing("B", "x", 1, 9), costing("C", "x", 1, 2)}
	for jobs, want := range map[int]float64{1: 12, 2: 9, 64: 9} {
		if got := f.Wall(cells, nil, jobs); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v seconds on %d jobs, want %v", got, jobs, want)
		}
	}
	running := []plan.RunningCell{{Cell: costing("D", "x", 1, 10), For: 4 * time.Second},
		{Cell: costing("E", "x", 1, 1), For: 20 * time.Second}}
	// D is busy for another 6, E, which is late, for 2; then B takes E's place to 11, C and A D's to 9.
	if got := f.Wall(cells, running, 2); math.Abs(got-11) > 1e-9 {
		t.Errorf("%v seconds beside running cells, want 11", got)
	}
	must.Be(t, f.Wall(nil, nil, 3), 0)
}

// TestQueue: the first cell of every method on every set that has none, cheapest first; then heaviest first by what is
// known by then.
func TestQueue(t *testing.T) {
	f := plan.NewForecast(nil)
	var cells []*plan.Cell
	for s := 1; s <= 2; s++ {
		for i, m := range []string{"A", "B", "C"} {
			c := costing(m, "x", s, float64(i+1))
			c.Early = s == 1 && m != "C"
			cells = append(cells, c)
		}
	}
	var got []string
	q := plan.NewQueue(cells, f)
	for !q.Empty() {
		if len(got) == 3 { // A proves to be slow
			f.Record(costing("A", "x", 1, 1), 60, 0)
			q.Refresh()
		}
		c := q.Next()
		got = append(got, fmt.Sprint(c.Method, c.Split))
		if len(got) == 2 {
			q.PutBack(c)
			if again := q.Next(); again != c {
				t.Errorf("%v was put back, %v comes", c.Cell, again.Cell)
			}
			must.Be(t, len(q.Rest()), 4, "left")
		}
	}
	must.Be(t, got, []string{"A1", "B1", "C1", "A2", "C2", "B2"})
	if q.Next() != nil {
		t.Error("an empty queue gives a cell")
	}
}

// TestQueueOfSets: of cells on several data sets, the first split of each method runs cheapest cell first, and the
// other splits heaviest cell first. Cells of equal cost come in the order of their sets' names.
func TestQueueOfSets(t *testing.T) {
	cells := []*plan.Cell{
		costing("B", "y", 1, 4), costing("A", "x", 1, 3), costing("C", "y", 1, 2), costing("B", "x", 1, 2),
		costing("A", "y", 1, 1),
		costing("A", "x", 2, 3), costing("A", "z", 1, 5), costing("A", "y", 2, 5), costing("B", "x", 2, 4),
	}
	for _, c := range cells[:5] {
		c.Early = true
	}
	var got []string
	for q := plan.NewQueue(cells, plan.NewForecast(nil)); !q.Empty(); {
		c := q.Next()
		got = append(got, fmt.Sprint(c.Method, c.Dataset, c.Split))
	}
	must.Be(t, fmt.Sprint(got), "[Ay1 Bx1 Cy1 Ax1 By1 Ay2 Az1 Bx2 Ax2]")
}
