package schedule

import (
	"fmt"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

// askEvery is how often a run asks for the cells that others are at, when it has no other.
const askEvery = 200 * time.Millisecond

// A claim waits for whatever the database is doing, so that short cells are claimed many at a time.
const (
	claimAhead = time.Second / 2 // of what they are predicted to take
	claimMost  = 64
)

// mostDeaths is how many processes may die of a cell before it is stored as failed.
const mostDeaths = 2

// sharing is the part of the state that is about other runs on the same database, and about earlier ones.
type sharing struct {
	claims    map[*plan.Cell]store.Claim // of cells that have not been started
	elsewhere []*plan.Cell               // that other runs are at
	by        string                     // one of these runs
	before    int                        // cells elsewhere when they were asked for last
	askedAt   time.Time                  // when that was
	told      bool                       // that only such cells are left
	killers   map[string]bool            // foreign methods that an earlier run died of
	last      []*plan.Cell               // their cells, each to run alone
	alone     *plan.Cell                 // the one of them that is about to run
}

func newSharing() sharing {
	return sharing{claims: map[*plan.Cell]store.Claim{}, killers: map[string]bool{}}
}

// mine reports whether a cell that comes out of the queue is to be started here and now. If its claim is not known,
// the cell goes back into the queue and an answer is waited for.
func (s *state) mine(c *plan.Cell) bool {
	if s.opt.Claims == nil {
		return true
	}
	if s.killers[c.Method] && c != s.alone {
		s.last = append(s.last, c)
		return false
	}
	answer, known := s.claims[c]
	if !known {
		cells := []*plan.Cell{c}
		if !c.Foreign && c != s.alone { // a foreign cell is claimed when it starts: a claim that is left of it says that its process died while it ran
			for _, next := range s.queue.Ahead(claimAhead.Seconds()-s.forecast.Seconds(c), claimMost-1) {
				if !next.Foreign {
					cells = append(cells, next)
				}
			}
		}
		s.queue.PutBack(c)
		s.waiting = true
		s.do(claim{cells, c != s.alone})
		return false
	}
	delete(s.claims, c)
	if c == s.alone {
		return s.mineAlone(c, answer)
	}
	switch {
	case answer.Taken:
		c.Spec.Suspect = answer.Suspect
		return true
	case answer.Suspect:
		s.killers[c.Method] = true
		s.last = append(s.last, c)
	default:
		s.others(c, answer)
	}
	return false
}

// others puts aside a cell that another run is at, or counts one that it has ended.
func (s *state) others(c *plan.Cell, answer store.Claim) {
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

// take keeps the answers to a claim.
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

// takeUp asks again for the cells that other runs are at, now and then.
func (s *state) takeUp() bool {
	if len(s.elsewhere) == s.before { // asking has changed nothing
		if !s.told {
			s.told = true
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
	s.before, s.askedAt = len(s.elsewhere), s.now
	s.queue, s.elsewhere = plan.NewQueue(s.elsewhere, s.forecast), nil
	return true
}

// takeLast runs a cell of a foreign method of which an earlier run died, when nothing else is left: alone and in a process of its
// own, so that it takes nothing with it.
func (s *state) takeLast() bool {
	s.before = 0
	if len(s.last) == 0 || len(s.running) > 0 {
		return false
	}
	s.alone, s.last = s.last[0], s.last[1:]
	delete(s.claims, s.alone)
	s.queue = plan.NewQueue([]*plan.Cell{s.alone}, s.forecast)
	if len(s.last) == 0 {
		s.killers = map[string]bool{}
	}
	return true
}

// mineAlone is mine for the answer to such a cell. A cell that the program died of again gets a row that says so.
func (s *state) mineAlone(c *plan.Cell, answer store.Claim) bool {
	s.alone = nil
	switch {
	case !answer.Taken:
		s.others(c, answer)
		return false
	case answer.Deaths < mostDeaths:
		c.Spec.Suspect = true // as are all cells of its method
		return true
	}
	run := c.Spec.NewRun()
	run.Status, run.Class = result.Failed, result.ClassCrash
	run.Error = fmt.Sprintf("the program ended %d times while this cell was running; run it again with --retry", answer.Deaths)
	s.running[c] = s.now
	s.do(give{c, run})
	return false
}
