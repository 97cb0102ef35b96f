package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// A newPlugin is a run of the method New, of which nothing is known, on sets of ten features. A cell of it takes rows^2
// microseconds, 300 MiB and a little more; one of another method takes a second.
type newPlugin struct {
	s       *state
	now     time.Time
	running []*plan.Cell // in the order in which they started
}

func squares(rows int) time.Duration { return time.Duration(rows*rows) * time.Microsecond }

const mib = 1 << 20

func newPluginCells(splits int, rows ...int) (cells []*plan.Cell) {
	for _, n := range rows {
		for split := 1; split <= splits; split++ {
			name := time.Duration(n).String()
			c := &plan.Cell{Cell: runner.Cell{Method: "New", Dataset: name, Split: split}, Early: split == 1,
				Seconds: float64(n), Guessed: true, Unsized: true, Memory: 48 * mib, SetBytes: 80 * int64(n)}
			c.Spec = runner.CellSpec{Cell: c.Cell, Set: catalogue.Description{TOML: name}, Cost: 1000 * float64(n),
				Shape: registry.Shape{N: n, D: 10}}
			c.Spec.Memory = c.Memory + c.SetBytes
			cells = append(cells, c)
		}
	}
	return cells
}

func runPlugin(opt Options, cells []*plan.Cell) *newPlugin {
	if opt.Forecast == nil {
		opt.Forecast = plan.NewForecast(nil)
	}
	p := &newPlugin{now: time.Unix(0, 0)}
	p.s = newState(opt, cells, p.now)
	p.step(nil)
	return p
}

func (p *newPlugin) step(e event) {
	for _, a := range p.s.step(p.now, e) {
		if a, starts := a.(start); starts {
			p.running = append(p.running, a.cell)
		}
	}
}

// end ends the running cell that started first.
func (p *newPlugin) end() {
	c := p.running[0]
	p.running = p.running[1:]
	n, took := c.Spec.Shape.N, time.Second
	if c.Method == "New" {
		took = squares(n)
	}
	p.now = p.now.Add(took)
	peak := 300*mib + 400*int64(n)
	p.step(ended{cell: c, run: result.Run{Status: result.OK, SearchSeconds: took.Seconds(), Isolated: true,
		PeakRSSBytes: &peak}})
}

func (p *newPlugin) rows() (out []int) {
	for _, c := range p.running {
		out = append(out, c.Spec.Shape.N)
	}
	return out
}

// TestFirstCellMeasures: of a method of unknown time the cell on the smallest set runs alone, whatever cells are
// stored, and other methods run beside it. Then the others start.
func TestFirstCellMeasures(t *testing.T) {
	cells := newPluginCells(2, 4000, 1000, 100, 2000)
	for _, c := range cells {
		c.Early = c.Early && c.Spec.Shape.N != 100 // another machine has stored a cell of the smallest set
	}
	other := *cells[0]
	other.Method, other.Dataset, other.Guessed, other.Spec.Shape.N = "Old", "x", false, 7
	p := runPlugin(Options{Jobs: 3}, append(cells, &other))
	must.Be(t, p.rows(), []int{100, 7}, "rows of what starts at once")
	p.end()
	must.Be(t, p.rows(), []int{7, 1000, 2000}, "rows of what runs beside the other method after the first cell")
	if got := p.s.forecast.Seconds(cells[2]); got < 0.05 || got > 1 {
		t.Errorf("a cell of 1000 rows is predicted to take %v s after 0.01 s of one with 100", got)
	}
}

// TestFirstCellThatFails measures nothing, and the others start without it.
func TestFirstCellThatFails(t *testing.T) {
	p := runPlugin(Options{Jobs: 2}, newPluginCells(1, 300, 100, 200))
	p.step(ended{cell: p.running[0], run: result.Run{Status: result.Failed}})
	must.Be(t, p.rows()[1:], []int{200, 300}, "rows of what starts then")
}

// TestLimitsOfNewMethod: --max-cell leaves out what the first cells predict to be too long, and nothing unknown.
func TestLimitsOfNewMethod(t *testing.T) {
	limits := plan.Limits{MaxCell: 10 * time.Second}
	p := runPlugin(Options{Jobs: 1, Limits: limits}, newPluginCells(1, 100, 1000, 10_000, 100_000))
	var ran []int
	for len(p.running) > 0 {
		ran = append(ran, p.rows()[0])
		p.end()
	}
	must.Be(t, ran, []int{100, 1000}, "rows of the cells that ran")
	for _, e := range p.s.out.Excluded {
		if e.Why.Kind != result.TooLong || e.Why.Seconds < 10 {
			t.Errorf("left out is %+v", e)
		}
	}
	must.Be(t, len(p.s.out.Excluded), 2, "cells that are left out")
}

// TestBudgetOfNewMethod: sets fit into a budget by what the first cell measured. While it runs, the sets of other
// methods begin.
func TestBudgetOfNewMethod(t *testing.T) {
	cells := newPluginCells(1, 1000, 2000, 400_000)
	var known []*plan.Cell
	for _, c := range cells {
		other := *c
		other.Method, other.Guessed, other.Spec.Cost = "Old", false, 1e9
		known = append(known, &other)
	}
	p := runPlugin(Options{Jobs: 2, Budget: time.Minute}, append(cells, known...))
	must.Be(t, p.running[0], cells[0], "the first cell")
	must.Be(t, p.running[1].Method, "Old", "the method beside it")
	must.Be(t, p.running[1].Dataset, cells[0].Dataset, "its set")
	for len(p.running) > 0 {
		p.end()
	}
	left := result.OfKinds(p.s.out.Excluded, result.OverBudget)
	if !slices.ContainsFunc(left, func(e result.Exclusion) bool {
		return e.Method == "New" && e.Dataset == cells[2].Dataset
	}) {
		t.Errorf("a cell of 400,000 rows is begun within a minute: left out are %+v", left)
	}
}

// TestLongRunIsFoundOut: a run that proves to take longer than may be stops after the first cell and says how long.
func TestLongRunIsFoundOut(t *testing.T) {
	cells := newPluginCells(20, 1000, 100_000)
	p := runPlugin(Options{Jobs: 1, Longest: time.Minute}, cells)
	p.end()
	if p.s.out.Longer < 20*time.Minute || !p.s.done() {
		t.Errorf("the run goes on, %v are predicted", p.s.out.Longer)
	}
	p = runPlugin(Options{Jobs: 1, Longest: time.Hour}, cells)
	p.end()
	if p.s.out.Longer > 0 || p.s.done() {
		t.Errorf("the run stops, and %v are predicted", p.s.out.Longer)
	}
	p = runPlugin(Options{Jobs: 1, Longest: time.Minute, Budget: 50 * time.Second}, cells)
	p.end()
	if p.s.out.Longer > 0 {
		t.Errorf("a run with a budget of 50 s takes %v more", p.s.out.Longer)
	}
}

// TestWaitingCellOutgrowsTheLimit: while a cell waits for memory, another one shows that it needs more than there is.
func TestWaitingCellOutgrowsTheLimit(t *testing.T) {
	cells := newPluginCells(1, 100, 200)
	cells[0].Guessed, cells[1].Guessed = false, false
	p := runPlugin(Options{Jobs: 2, Limits: plan.Limits{Memory: 90 * mib}}, cells)
	must.Be(t, len(p.running), 1, "cells of 48 MiB that run at once within 90 MiB")
	p.end()
	must.Be(t, len(p.running), 0, "cells that run after one took 300 MiB")
	must.Be(t, len(p.s.out.Excluded), 1, "cells that are left out")
	must.Be(t, p.s.done(), true, "the run has ended")
}

// TestMemoryOfNewMethod: cells are admitted by the memory that the first cell took, not by what was guessed.
func TestMemoryOfNewMethod(t *testing.T) {
	limits := plan.Limits{Memory: 1000 * mib}
	p := runPlugin(Options{Jobs: 8, Limits: limits}, newPluginCells(3, 100, 200, 300))
	p.end()
	must.Be(t, len(p.running), 3, "cells of 300 MiB that run at once within 1000 MiB")
	limits.Memory = 200 * mib
	p = runPlugin(Options{Jobs: 8, Limits: limits}, newPluginCells(3, 100, 200, 300))
	p.end()
	must.Be(t, len(p.s.out.Excluded), 8, "cells that are left out, since the first took more than may be")
}
