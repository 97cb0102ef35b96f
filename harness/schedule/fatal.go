package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
)

// To note that a cell begins takes a write to the disk, so short cells are begun many at a time.
const (
	beginAhead = time.Second / 2 // of predicted time
	beginMost  = 64
)

// mostDeaths is the number of processes that may die of a cell of a foreign method before the cell is stored as failed.
const mostDeaths = 2

// fatal is the part of the state that concerns cells during which the program might die, or did in an earlier run. A
// cell of this program's own methods is begun together with others, so its deaths say little: it only runs isolated.
type fatal struct {
	begun    map[*plan.Cell]bool // the database knows of these, or will before any cell starts that starts later
	suspects []*plan.Cell        // all cells of foreign methods of which the program died; each runs alone, at the end
}

// newSuspects takes the suspects out of the cells. Those of which most processes died come first, so that each cell has
// the deaths that it needs to be stored as failed before the program dies of the next one.
func newSuspects(cells []*plan.Cell) (suspects, others []*plan.Cell) {
	deadly := map[string]bool{}
	for _, c := range cells {
		if c.Foreign && c.Deaths > 0 {
			deadly[c.Method] = true
		}
	}
	for _, c := range cells {
		if deadly[c.Method] {
			suspects = append(suspects, c)
		} else {
			others = append(others, c)
		}
	}
	slices.SortStableFunc(suspects, func(a, b *plan.Cell) int { return cmp.Compare(b.Deaths, a.Deaths) })
	return suspects, others
}

// begin returns the cells that are to begin with a cell that starts here. A foreign cell begins alone, so that a note
// which is left behind shows that a process died while it ran the cell.
func (s *state) begin(c *plan.Cell, here bool) []*plan.Cell {
	if s.opt.Begin == nil || !here || s.begun[c] {
		return nil
	}
	cells := []*plan.Cell{c}
	if !c.Foreign {
		for _, next := range s.queue.Ahead(beginAhead.Seconds()-s.forecast.Seconds(c), beginMost-1) {
			if !next.Foreign && !s.begun[next] {
				cells = append(cells, next)
			}
		}
	}
	for _, c := range cells {
		s.begun[c] = true
	}
	return cells
}

// queueSuspect queues one suspect, once no other cell is left or running, so that a crash harms no other cell.
func (s *state) queueSuspect() bool {
	if len(s.suspects) == 0 || len(s.running) > 0 || !s.queue.Empty() {
		return false
	}
	s.queue = plan.NewQueue(s.suspects[:1], s.forecast)
	s.suspects = s.suspects[1:]
	return true
}

// tooDeadly gives a cell that several processes died of a failure as its result.
func (s *state) tooDeadly(c *plan.Cell) bool {
	if !c.Foreign || c.Deaths < mostDeaths {
		return false
	}
	run := c.Spec.NewRun()
	run.Status, run.Class = result.Failed, result.ClassCrash
	run.Error = fmt.Sprintf("the program ended %d times while this cell was running; run it again with --retry",
		c.Deaths)
	s.running[c] = s.now
	s.do(give{c, run})
	return true
}
