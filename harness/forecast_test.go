package harness

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// costing is a planned cell with a cost in seconds and as much work.
func costing(method, dataset string, split int, seconds float64) *plan.Cell {
	return &plan.Cell{Cell: runner.Cell{Method: method, Dataset: dataset, Split: split}, Work: seconds,
		Spec: runner.CellSpec{Cost: seconds * 1e9, Shape: registry.Shape{N: 100, D: 10},
			Inputs: runner.Inputs{MethodVersion: "1"}}}
}

// TestForecast: what was measured on the set itself is predicted; else the nearest of what was measured and the
// reference run counts, the latter times the slowness of the machine; else the time is unknown.
func TestForecast(t *testing.T) {
	f := plan.NewForecast(nil)
	f.Slowness = 4
	check := func(what string, c *plan.Cell, want float64) {
		t.Helper()
		fresh := *c // cells that a forecast knows do not change
		must.Near(t, f.Seconds(&fresh), want, 1e-9*want, what)
	}
	waiting := costing("SVM", "x", 1, 1)
	must.Near(t, f.Seconds(waiting), 4, 1e-9, "nothing was measured")
	f.Record(costing("SVM", "x", 1, 1), 8, 5)
	f.Record(costing("SVM", "x", 2, 1), 8, 3)
	check("the set itself, in processor time", costing("SVM", "x", 5, 1), 4)
	check("the set itself with twice the work", costing("SVM", "x", 5, 2), 8)
	check("another set that the reference run has", costing("SVM", "y", 1, 2), 8)
	far := costing("SVM", "y", 1, 2)
	far.Far = 1
	check("another set, from which one of the reference run is farther", far, 8)
	far.Spec.Shape.N *= 10
	check("another set, from which the measured one is farther", far, 8)
	far.Spec.Cost = 0
	check("another set, of a method that the reference run does not have", far, 8)
	check("another method", costing("LDA", "x", 1, 1), 4)
	other := costing("SVM", "x", 1, 1)
	other.Spec.Inputs.MethodVersion = "2"
	check("another version", other, 4)
	other.Spec.Cost = 0
	unknown := *other
	must.Be(t, f.Unknown(&unknown), true, "of a version that nothing is known of")
	f.Record(costing("SVM", "z", 2, 0), 5, 0)
	f.Record(costing("SVM", "z", 2, 5), 0, 0)
	check("a cell without work or time changes nothing", costing("SVM", "z", 1, 1), 4)
	f.Record(costing("SVM", "x", 3, 1), 100, 100)
	must.Near(t, f.Seconds(waiting), 36, 1e-9, "a cell that was predicted before the last measurement")
}

// TestStoredIsPredicted: of cells that a database holds, their seconds are predicted, whatever the method declares and
// whatever the yardstick. Imported results change no prediction.
func TestStoredIsPredicted(t *testing.T) {
	t.Setenv("BENCH_YARDSTICK", "1")
	db := openTestDB(t)
	s := session(t, db, func(Event) {}, centroids())
	req := Request{Request: plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2}}, Jobs: 1}
	must.Get(s.Run(t.Context(), req))(t)
	sum := 0.0
	for _, r := range must.Get(db.Rows(t.Context(), s.Experiment.Protocol.Name, false))(t) {
		sum += *r.CPUSeconds
	}
	req.Splits = []int{3}
	for _, machine := range []string{"0.25", "1", "4"} {
		t.Setenv("BENCH_YARDSTICK", machine)
		todo := must.Get(Plan(t.Context(), s.Experiment, req.Request, db))(t)
		must.Near(t, todo.Cells[0].Seconds, sum/2, 1e-6*sum, "a machine of", machine)
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
	must.Near(t, f.Seconds(c), 1000, 1e-6, "a cell takes")
	if got := f.Wall([]*plan.Cell{c}, nil, 1); got < 2800 || got > 3000 {
		t.Errorf("the run takes %v seconds, want nearly 3000", got)
	}
}

// TestWall against a plain simulation: jobs take the cells one after another.
func TestWall(t *testing.T) {
	f := plan.NewForecast(nil)
	cells := []*plan.Cell{costing("A", "x", 1, 1), costing("B", "x", 1, 9), costing("C", "x", 1, 2)}
	for jobs, want := range map[int]float64{1: 12, 2: 9, 64: 9} {
		must.Near(t, f.Wall(cells, nil, jobs), want, 1e-9, jobs)
	}
	running := []plan.RunningCell{{Cell: costing("D", "x", 1, 10), For: 4 * time.Second},
		{Cell: costing("E", "x", 1, 1), For: 20 * time.Second}}
	// D is busy for another 6, E, which is late, for 2; then B takes E's place to 11, C and A D's to 9.
	must.Near(t, f.Wall(cells, running, 2), 11, 1e-9)
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
