package schedule

import (
	"math"
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
// microseconds, 300 MiB and a little more.
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
				Work: float64(n), Unsized: true, Memory: 48 * mib, SetBytes: 80 * int64(n)}
			c.Spec = runner.CellSpec{Cell: c.Cell, Set: catalogue.Description{TOML: name},
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
	n := c.Spec.Shape.N
	took := squares(n)
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

// TestLimitsOfNewMethod: of a method of unknown time the smallest set comes first. --max-cell leaves out what the cells
// before predict to take more than 2.5 times as long, and nothing unknown. The time of a cell grows with the square of
// its rows, and the forecast, which is wrong here, assumes that it grows with the rows. The cell of the largest set is
// planned last, when cells of three smaller sets have measured times. The set whose number of rows is nearest to that
// of the largest predicts 1000 s for its cell, and the two others predict 100 s and 10 s. The weights of the three
// predictions are 1/10, 1/100 and 1/1000.
func TestLimitsOfNewMethod(t *testing.T) {
	limits := plan.Limits{MaxCell: 10 * time.Second}
	p := runPlugin(Options{Jobs: 1, Limits: limits}, newPluginCells(1, 100_000, 100, 10_000, 1000))
	var ran []int
	for len(p.running) > 0 {
		ran = append(ran, p.rows()[0])
		p.end()
	}
	must.Be(t, ran, []int{100, 1000, 10_000}, "rows of the cells that ran")
	must.Be(t, len(p.s.out.Excluded), 1, "cells that are left out")
	if e := p.s.out.Excluded[0]; e.Why.Kind != result.TooLong || math.Abs(e.Why.Seconds-780) > 1 {
		t.Errorf("left out is %+v", e)
	}
}

// TestWaitingCellOutgrowsTheLimit: while a cell waits for memory, another one shows that it needs more than there is.
func TestWaitingCellOutgrowsTheLimit(t *testing.T) {
	cells := newPluginCells(1, 100, 200)
	p := runPlugin(Options{Jobs: 2, Limits: plan.Limits{Memory: 90 * mib}}, cells)
	must.Be(t, len(p.running), 1, "cells of 48 MiB that run at once within 90 MiB")
	p.end()
	must.Be(t, len(p.running), 0, "cells that run after one took 300 MiB")
	must.Be(t, len(p.s.out.Excluded), 1, "cells that are left out")
	must.Be(t, p.s.done(), true, "the run has ended")
}

// TestMemoryOfNewMethod: cells are admitted by the memory that another cell took, not by what was guessed.
func TestMemoryOfNewMethod(t *testing.T) {
	for memory, want := range map[int64][2]int{1000 * mib: {3, 0}, 200 * mib: {0, 9}} {
		opt := Options{Jobs: 8, Limits: plan.Limits{Memory: memory}, Forecast: plan.NewForecast(nil)}
		opt.Forecast.RecordPeak(newPluginCells(1, 50)[0], 300*mib)
		p := runPlugin(opt, newPluginCells(3, 100, 200, 300))
		must.Be(t, [2]int{len(p.running), len(p.s.out.Excluded)}, want, "cells that run and that are left out")
	}
}
