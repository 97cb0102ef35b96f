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
	"github.com/kernelboosting/bench/registry"
	"pgregory.net/rapid"
)

// costing is a planned cell with a cost in seconds.
func costing(method, dataset string, split int, seconds float64) *plan.Cell {
	return &plan.Cell{Cell: runner.Cell{Method: method, Dataset: dataset, Split: split},
		Spec: runner.CellSpec{Cost: seconds * 1e9, Shape: registry.Shape{N: 100, D: 10},
			Inputs: runner.Inputs{MethodVersion: "1"}}}
}

// TestForecast: what was measured on the set itself counts alone; else the method's other sets; else what methods of
// the reference run show of the machine.
func TestForecast(t *testing.T) {
	check := func(what string, f *plan.Forecast, c *plan.Cell, want float64) {
		t.Helper()
		if got := f.Seconds(c); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s: %v seconds, want %v", what, got, want)
		}
	}
	f := plan.NewForecast(nil)
	check("nothing is known", f, costing("SVM", "x", 1, 3), 3)
	f = plan.NewForecast(nil)
	f.Slowness = 4
	check("a slow machine", f, costing("SVM", "x", 1, 3), 12)
	timing := func(method string, seconds float64) store.Timing {
		return store.Timing{Method: method, MethodVersion: "1", Dataset: "x", Cells: 2, Seconds: seconds,
			CostUnits: 2e9, TrainRows: 100, Features: 10}
	}
	f = plan.NewForecast([]store.Timing{timing("SVM", 8), timing("a plugin", 1e9)})
	f.Slowness = 16
	check("the set itself", f, costing("SVM", "x", 5, 1), 4)
	check("another set", f, costing("SVM", "y", 1, 2), 8)
	check("another method, by the machine", f, costing("LDA", "x", 1, 1), 8)
	old := costing("SVM", "x", 1, 1)
	old.Spec.Inputs.MethodVersion = "2"
	check("another version", f, old, 8)
	f.Record(costing("SVM", "z", 2, 0), 5, 0)
	f.Record(costing("SVM", "z", 2, 5), 0, 0)
	check("a cell without cost or time changes nothing", f, costing("LDA", "x", 1, 1), 8)
}

// TestSmallSetsDoNotDecide: times and costs of KNN's cells as they were once measured and predicted, on sets of up to
// 3,217 training rows. A cell of occupancy (14,392 rows of 5 features) then took 4.3 s. The slopes of a law of the
// small sets led to 8.1 s.
func TestSmallSetsDoNotDecide(t *testing.T) {
	measured := func(dataset string, rows, features int, seconds, cost float64) store.Timing {
		return store.Timing{Method: "KNN", MethodVersion: "1", Dataset: dataset, Cells: 20, Seconds: seconds,
			CostUnits: cost * 1e9, TrainRows: rows, Features: features}
	}
	f := plan.NewForecast([]store.Timing{
		measured("wine", 124, 13, 0.195, 0.38), measured("newthyroid", 150, 5, 0.2, 0.128),
		measured("heart", 189, 13, 0.283, 0.23), measured("sonar", 145, 60, 0.332, 0.266),
		measured("bupa", 241, 6, 0.35, 0.326), measured("iono", 245, 34, 0.488, 0.3),
		measured("wdbc", 398, 30, 0.718, 0.486), measured("balance", 437, 4, 0.76, 0.514),
		measured("australian", 483, 14, 0.932, 0.472), measured("pima", 537, 8, 1.039, 0.492),
		measured("vehicle", 592, 18, 1.175, 0.966), measured("german", 700, 23, 1.471, 0.77),
		measured("splice", 2222, 60, 7.783, 5.58), measured("spambase", 3217, 57, 13.95, 11.1)})
	c := costing("KNN", "occupancy", 1, 3.3)
	c.Spec.Shape.N, c.Spec.Shape.D = 14392, 5
	if got := f.Seconds(c); got < 4.3/1.5 || got > 4.3*1.5 {
		t.Errorf("%.2g s, and it took 4.3", got)
	}
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

func every(*plan.Cell) bool { return true }

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
		c := q.Next(every)
		got = append(got, fmt.Sprint(c.Method, c.Split))
		if len(got) == 2 {
			q.PutBack(c)
			must.Be(t, q.Next(every), c, "what comes after a cell was put back")
			must.Be(t, len(q.Rest()), 4, "left")
		}
	}
	must.Be(t, got, []string{"A1", "B1", "C1", "A2", "C2", "B2"})
	must.Be(t, q.Next(every), nil, "of an empty queue")
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
		c := q.Next(every)
		got = append(got, fmt.Sprint(c.Method, c.Dataset, c.Split))
	}
	must.Be(t, fmt.Sprint(got), "[Ay1 Bx1 Cy1 Ax1 By1 Ay2 Az1 Bx2 Ax2]")
}
