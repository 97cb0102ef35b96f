package harness

import (
	"context"
	"fmt"
	"slices"
	"time"

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

// claim reports whether a cell, the next of the queue, is to be started here. One that another run has
// ended is counted, one that another is at is put aside.
func (s *scheduler) claim(ctx context.Context, c *PlannedCell, q *queue) bool {
	if s.opt.Claims == nil {
		return true
	}
	if s.killers[c.Method] {
		s.last = append(s.last, c)
		return false
	}
	claim, known := s.claimed[c]
	if !known {
		some := []*PlannedCell{c}
		if !c.Foreign {
			some = append(some, q.ahead(claimAhead.Seconds()-s.forecast.Seconds(c), claimMost-1)...)
		}
		if err := s.take(ctx, some, true); err != nil {
			s.cancel(err)
			return false
		}
		claim = s.claimed[c]
	}
	delete(s.claimed, c)
	switch {
	case claim.Taken:
		c.Spec.Suspect = claim.Suspect
		return true
	case claim.Suspect:
		s.killers[c.Method] = true
		s.last = append(s.last, c)
		return false
	case claim.Stored == "":
		s.elsewhere, s.by = append(s.elsewhere, c), claim.By
		return false
	}
	s.endedElsewhere(c, claim.Stored)
	return false
}

// endedElsewhere counts a cell that another run has ended.
func (s *scheduler) endedElsewhere(c *PlannedCell, status result.Status) {
	s.mu.Lock()
	if c.Spec.Canary == nil {
		s.out.Elsewhere++
	}
	s.count(c, status)
	s.mu.Unlock()
	s.memory.drop(c)
	if s.opt.Elsewhere != nil {
		s.opt.Elsewhere(c, status)
	}
}

// take claims cells, of which some may be claimed already. Foreign ones are claimed when they start, so that a claim that
// is left of one says that its process died while it ran; spare leaves those that one died of for the end.
func (s *scheduler) take(ctx context.Context, cells []*PlannedCell, spare bool) error {
	cells = slices.DeleteFunc(cells, func(c *PlannedCell) bool { return c.Foreign && c != cells[0] })
	wanted := make([]store.Wanted, len(cells))
	for i, c := range cells {
		wanted[i] = store.Wanted{Key: c.Spec.Key, Attempt: c.Attempt, Spared: spare && c.Foreign}
	}
	claims, err := s.opt.Claims.Take(context.WithoutCancel(ctx), wanted)
	for i, claim := range claims {
		if _, known := s.claimed[cells[i]]; !known {
			s.claimed[cells[i]] = claim
		}
	}
	return err
}

// release gives back the claim of a cell that gets no result here.
func (s *scheduler) release(c *PlannedCell) {
	if s.opt.Claims != nil {
		s.opt.Claims.Release(c.Spec.Key)
	}
}

// takeUp starts the cells that other runs were at and did not end, as soon as it is known, and
// counts those that they did.
func (s *scheduler) takeUp(ctx context.Context) {
	told := false
	for len(s.elsewhere) > 0 && !s.stopped(ctx) {
		if s.opt.Budget > 0 && time.Since(s.start) > s.opt.Budget {
			s.skip([][]*PlannedCell{s.elsewhere})
			return
		}
		before := len(s.elsewhere)
		q := newQueue(s.elsewhere, s.forecast)
		for s.elsewhere = nil; !q.empty(); {
			if !s.launch(ctx, q) {
				return
			}
		}
		if len(s.elsewhere) < before {
			continue
		}
		if !told && s.opt.Waiting != nil {
			told = true
			s.opt.Waiting(before, s.by)
		}
		select {
		case <-s.stop:
		case <-ctx.Done():
		case <-time.After(askEvery):
		}
	}
	if context.Cause(ctx) == errOverBudget {
		s.skip([][]*PlannedCell{s.elsewhere})
	}
}

// mostDeaths is how many processes may die of a cell before it is a row.
const mostDeaths = 2

// runLast runs the cells of foreign methods of which an earlier run died, when nothing else is left: each alone and in a
// process of its own, so that it takes nothing with it. One that the program died of again gets a row that says so.
func (s *scheduler) runLast(ctx context.Context) {
	for len(s.last) > 0 {
		s.running.Wait()
		cells := s.last
		s.last, s.killers = nil, map[string]bool{}
		for i, c := range cells {
			if s.opt.Budget > 0 && time.Since(s.start) > s.opt.Budget {
				s.skip([][]*PlannedCell{cells[i:]})
				return
			}
			if s.stopped(ctx) || !s.runAlone(ctx, c) {
				return
			}
		}
		s.takeUp(ctx)
	}
}

// runAlone runs one of these cells and waits for its end. It returns false when no more cells are to be started.
func (s *scheduler) runAlone(ctx context.Context, c *PlannedCell) bool {
	delete(s.claimed, c)
	if err := s.take(ctx, []*PlannedCell{c}, false); err != nil {
		s.cancel(err)
		return false
	}
	claim := s.claimed[c]
	if claim.Taken && claim.Deaths >= mostDeaths {
		run := c.Spec.NewRun()
		run.Status, run.Class = result.Failed, result.ClassCrash
		run.Error = fmt.Sprintf("the program ended %d times while this cell was running; run it again with --retry", claim.Deaths)
		s.memory.drop(c)
		if err := s.finish(c, run); err != nil {
			s.cancel(err)
			return false
		}
		return true
	}
	claim.Suspect = claim.Taken // so are all cells of its method
	s.claimed[c] = claim
	if !s.launch(ctx, newQueue([]*PlannedCell{c}, s.forecast)) {
		return false
	}
	s.running.Wait()
	return true
}
