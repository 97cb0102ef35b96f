package plan

import (
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/wording"
)

// Limits says which cells are too expensive to run, by their predictions. A zero value is no limit.
type Limits struct {
	MaxCell time.Duration // wall time of one cell on a core of its own
	Memory  int64         // bytes of one cell with its data set, and of all cells that run at the same time
}

// Excluded says that a cell is left out.
func (c *Cell) Excluded(why result.Why) result.Exclusion {
	return result.Exclusion{Protocol: c.Protocol, Dataset: c.Dataset, Method: c.Method, Split: c.Split, Why: why}
}

// exceededBy returns the limit that a cell exceeds which takes some seconds, and bytes with its data set.
func (l Limits) exceededBy(seconds float64, bytes int64) (why result.Why, over bool) {
	switch {
	case l.Memory > 0 && bytes > l.Memory:
		return result.Over("--memory "+wording.Bytes(l.Memory), seconds, bytes), true
	case l.MaxCell > 0 && seconds > l.MaxCell.Seconds():
		return result.Over("--max-cell "+wording.Seconds(l.MaxCell.Seconds()), seconds, bytes), true
	}
	return why, false
}

// Beyond reports whether a planned cell exceeds the limits. For the time limit it uses measured cells of the same
// method on the same set. Times that follow from other sets were judged when the plan was made, but not those of a
// method that declares no cost: of such a method nothing may have been known, so its cells on any set count.
func (f *Forecast) Beyond(l Limits, c *Cell) (result.Exclusion, bool) {
	if !f.measured(c) && (!c.Guessed || f.Unknown(c)) {
		l.MaxCell = 0
	}
	why, over := l.exceededBy(f.Seconds(c), f.Memory(c)+c.SetBytes)
	return c.Excluded(why), over
}

// OverBudget says that cells do not fit into the budget of a run.
func OverBudget(cells []*Cell, budget time.Duration) []result.Exclusion {
	why := result.Why{Kind: result.OverBudget, Text: "--budget " + wording.Seconds(budget.Seconds())}
	out := make([]result.Exclusion, len(cells))
	for i, c := range cells {
		out[i] = c.Excluded(why)
	}
	return out
}
