package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/wording"
)

// A Policy decides in which order the cells of a run start, which of them may start now, and which are left out. The
// plan, its prediction, the scheduler and the progress line ask it. No policy changes a result. To make one, copy
// Default, replace some of its functions, and set Request.Policy. Its functions may be called at the same time.
type Policy struct {
	// Parts divides the cells of a run with a budget. A part begins once all cells of the parts before it have started.
	// If MayStart refuses it, the part and those after it are left out.
	Parts func(cells []*Cell) [][]*Cell

	// Order ranks a waiting cell that is predicted to take some seconds, 0 if its time is unknown. Cells of a lower
	// round start first, and within a round those of a lower weight. Cells with the same method, data set
	// and Early keep the order of the plan.
	Order func(c *Cell, seconds float64) (round int, weight float64)

	// MayStart is asked about one cell when a job is free on this machine, and about a part that begins. A cell needs a
	// job and memory; a part needs time. Memory counts as free if only data sets have it that no running cell uses. A
	// refused cell waits for another one to end, and no cell overtakes it on this machine. If no cell is running
	// here, it starts in any case.
	MayStart func(cells []*Cell, need, free Resources) bool

	// LeaveOut says why a cell is left out that needs some time and memory; out is false if it is not.
	LeaveOut func(c *Cell, need Resources, l Limits) (why result.Why, out bool)
}

// Resources are what cells need, or what is free for them.
type Resources struct {
	Jobs    int
	Seconds float64
	Bytes   int64 // with data sets
}

// Limits says which cells are too expensive to run, by their predictions. A zero value is no limit.
type Limits struct {
	MaxCell time.Duration // wall time of one cell on a core of its own
	Memory  int64         // bytes of one cell with its data set, and of all cells that run at the same time
}

// Default starts the early cells, the cheapest first: one cell for each method and set of which no cell is stored. So a
// whole table exists soon. Then come all other cells, the heaviest first by the forecast of that moment, so that no job
// waits for a heavy cell at the end. With a budget the sets begin one after another, the cheapest first. Cells are
// left out that exceed the limit of memory, or that of time by more than the error of a forecast.
var Default = Policy{
	Parts: func(cells []*Cell) [][]*Cell {
		sets := grouped(cells, func(c *Cell) string { return c.Dataset })
		slices.SortStableFunc(sets, func(a, b []*Cell) int { return cmp.Compare(seconds(a), seconds(b)) })
		return sets
	},
	Order: func(c *Cell, seconds float64) (round int, weight float64) {
		if c.Early {
			return 0, seconds
		}
		return 1, -seconds
	},
	MayStart: func(_ []*Cell, need, free Resources) bool {
		return need.Jobs <= free.Jobs && need.Seconds <= free.Seconds && need.Bytes <= free.Bytes
	},
	LeaveOut: func(_ *Cell, need Resources, l Limits) (why result.Why, out bool) {
		switch {
		case l.Memory > 0 && need.Bytes > l.Memory:
			return result.Over("--memory "+wording.Bytes(l.Memory), need.Seconds, need.Bytes), true
		case l.MaxCell > 0 && need.Seconds > result.ForecastError*l.MaxCell.Seconds():
			limit := wording.Seconds(l.MaxCell.Seconds())
			if l.MaxCell < time.Second {
				limit = l.MaxCell.String()
			}
			return result.Over("--max-cell "+limit, need.Seconds, need.Bytes), true
		}
		return why, false
	},
}

func seconds(cells []*Cell) float64 {
	sum := 0.0
	for _, c := range cells {
		sum += c.Seconds
	}
	return sum
}

// Excluded says that a cell is left out.
func (c *Cell) Excluded(why result.Why) result.Exclusion {
	return result.Exclusion{Protocol: c.Protocol, Dataset: c.Dataset, Method: c.Method, Split: c.Split, Why: why}
}

// LeaveOut reports whether the policy leaves a planned cell out, by what was measured so far.
func (f *Forecast) LeaveOut(l Limits, c *Cell) (result.Exclusion, bool) {
	why, out := f.Policy.LeaveOut(c, Resources{Jobs: 1, Seconds: f.alone(c), Bytes: f.Memory(c) + c.SetBytes}, l)
	return c.Excluded(why), out
}

// OverBudget says that cells do not fit into the budget of a run.
func OverBudget(cells []*Cell, budget time.Duration) []result.Exclusion {
	return Exclude(cells, result.Why{Kind: result.OverBudget, Text: "--budget " + wording.Seconds(budget.Seconds())})
}

// Exclude says of each cell why it is left out.
func Exclude(cells []*Cell, why result.Why) []result.Exclusion {
	out := make([]result.Exclusion, len(cells))
	for i, c := range cells {
		out[i] = c.Excluded(why)
	}
	return out
}
