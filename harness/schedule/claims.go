package schedule

import (
	"fmt"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

// askEvery is how often a run asks for cells that other runs are computing, when it has no other cell.
const askEvery = 200 * time.Millisecond

// A claim must wait for the database's lock, so short cells are claimed many at a time.
const (
	claimAhead = time.Second / 2 // of predicted time
	claimMost  = 64
)

// mostDeaths is the number of processes that may die of a cell before the cell is stored as failed.
const mostDeaths = 2

// sharing is the part of the state that concerns other runs on the same database, and earlier runs.
type sharing struct {
	claims          map[*plan.Cell]store.Claim // answers for cells that have not been started
	elsewhere       []*plan.Cell               // cells that other runs are computing
	by              string                     // the name of a run that computes one of these cells
	elsewhereBefore int                        // the length of elsewhere when these cells were last claimed again
	askedAt         time.Time                  // when these cells were last claimed again
	waitingTold     bool                       // Waiting was called: only cells of other runs are left
	suspectMethods  map[string]bool            // foreign methods during whose cells an earlier run died
	suspects        []*plan.Cell               // the cells of these methods, each runs alone, at the end
	suspect         *plan.Cell                 // the one of suspects that is about to run
}

func newSharing() sharing {
	return sharing{claims: map[*plan.Cell]store.Claim{}, suspectMethods: map[string]bool{}}
}

// startsHere reports whether a cell from the queue is to start here and now. If the cell is not claimed yet,
// startsHere asks for the claim and puts the cell back into the queue.
func (s *state) startsHere(c *plan.Cell) bool {
	if s.opt.Claims == nil {
		return true
	}
	if s.suspectMethods[c.Method] && c != s.suspect {
		s.suspects = append(s.suspects, c)
		return false
	}
	answer, known := s.claims[c]
	if !known {
		cells := []*plan.Cell{c}
		// A foreign cell is claimed only when it starts. So a claim that is left behind shows that a
		// process died while it ran the cell.
		if !c.Foreign && c != s.suspect {
			for _, next := range s.queue.Ahead(claimAhead.Seconds()-s.forecast.Seconds(c), claimMost-1) {
				if !next.Foreign {
					cells = append(cells, next)
				}
			}
		}
		s.queue.PutBack(c)
		s.waiting = true
		s.do(claim{cells, c != s.suspect})
		return false
	}
	delete(s.claims, c)
	if c == s.suspect {
		return s.suspectStarts(c, answer)
	}
	switch {
	case answer.Taken:
		c.Spec.Suspect = answer.Suspect
		return true
	case answer.Suspect:
		s.suspectMethods[c.Method] = true
		s.suspects = append(s.suspects, c)
	default:
		s.takenElsewhere(c, answer)
	}
	return false
}

// takenElsewhere handles a cell that this run did not get: a cell that another run is computing is put aside, and
// a cell that another run has ended is counted.
func (s *state) takenElsewhere(c *plan.Cell, answer store.Claim) {
	if answer.Stored == "" {
		s.elsewhere, s.by = append(s.elsewhere, c), answer.By
		return
	}
	if c.Spec.Canary == nil {
		s.out.Elsewhere++
	}
	s.count(c, answer.Stored)
	s.forget(s.memory.drop(c))
	s.tell(func(o Options) {
		if o.Elsewhere != nil {
			o.Elsewhere(c, answer.Stored)
		}
	})
}

func (s *state) take(e claimed) {
	for i, answer := range e.claims {
		if _, known := s.claims[e.cells[i]]; !known {
			s.claims[e.cells[i]] = answer
		}
	}
	if e.err != nil {
		s.stop(e.err)
	}
}

// claimAgain puts the cells that other runs were computing back into the queue, so that they are claimed again. It
// pauses if the last claim got none of them.
func (s *state) claimAgain() bool {
	if len(s.elsewhere) == s.elsewhereBefore { // asking has changed nothing
		if !s.waitingTold {
			s.waitingTold = true
			cells, by := len(s.elsewhere), s.by
			s.tell(func(o Options) {
				if o.Waiting != nil {
					o.Waiting(cells, by)
				}
			})
		}
		if pause := askEvery - s.now.Sub(s.askedAt); pause > 0 {
			s.do(wake{pause})
			return false
		}
	}
	s.elsewhereBefore, s.askedAt = len(s.elsewhere), s.now
	s.queue, s.elsewhere = plan.NewQueue(append(s.queue.Rest(), s.elsewhere...), s.forecast), nil
	return true
}

// queueSuspect queues one cell of a method during which an earlier run died, once no other cell is left or
// running. The cell runs alone and in a process of its own, so that a crash harms no other cell.
func (s *state) queueSuspect() bool {
	s.elsewhereBefore = 0
	if len(s.suspects) == 0 || len(s.running) > 0 || !s.queue.Empty() {
		return false
	}
	s.suspect, s.suspects = s.suspects[0], s.suspects[1:]
	delete(s.claims, s.suspect)
	s.queue = plan.NewQueue([]*plan.Cell{s.suspect}, s.forecast)
	if len(s.suspects) == 0 {
		s.suspectMethods = map[string]bool{}
	}
	return true
}

// suspectStarts does the work of startsHere for a cell that queueSuspect put into the queue. A cell during which
// several processes died is stored as failed.
func (s *state) suspectStarts(c *plan.Cell, answer store.Claim) bool {
	s.suspect = nil
	switch {
	case !answer.Taken:
		s.takenElsewhere(c, answer)
		return false
	case answer.Deaths < mostDeaths:
		c.Spec.Suspect = true // a suspect cell runs in a process of its own
		return true
	}
	run := c.Spec.NewRun()
	run.Status, run.Class = result.Failed, result.ClassCrash
	run.Error = fmt.Sprintf("the program ended %d times while this cell was running; run it again with --retry", answer.Deaths)
	s.running[c] = s.now
	s.do(give{c, run})
	return false
}
