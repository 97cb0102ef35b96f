package plan

import (
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
)

// Limits says which cells are too expensive to run, by their predictions. A zero value is no limit.
type Limits struct {
	MaxCell time.Duration // wall time of one cell on a core of its own
	Memory  int64         // bytes of one cell with its data set, and of all cells that run at the same time
}

// A Skipped is a cell that a run was asked for and does not run.
type Skipped struct {
	Cell    *Cell
	Seconds float64 // predicted
	Reason  string  // the option that the cell exceeds, such as "--max-cell 30m"
}

// Note is the row that the database keeps of a skipped cell.
func (l Skipped) Note() store.Skipped {
	c := l.Cell
	return store.Skipped{Protocol: c.Protocol, Dataset: c.Dataset, Method: c.Method, Split: c.Split, Seconds: l.Seconds, Bytes: c.Memory + c.SetBytes, Reason: l.Reason}
}

// exceededBy names the option that a cell exceeds, "" if it exceeds none.
func (l Limits) exceededBy(c *Cell, seconds float64) string {
	switch {
	case l.Memory > 0 && c.Memory+c.SetBytes > l.Memory:
		return "--memory " + wording.Bytes(l.Memory)
	case l.MaxCell > 0 && seconds > l.MaxCell.Seconds():
		return "--max-cell " + wording.Seconds(l.MaxCell.Seconds())
	}
	return ""
}

// Beyond reports whether a planned cell exceeds the limits. For the time limit it uses only measured cells of the
// same method on the same set. Times that are guessed from other sets were judged when the plan was made.
func (f *Forecast) Beyond(l Limits, c *Cell) (Skipped, bool) {
	if !f.measured(c) {
		l.MaxCell = 0
	}
	seconds := f.Seconds(c)
	limit := l.exceededBy(c, seconds)
	return Skipped{c, seconds, limit}, limit != ""
}
