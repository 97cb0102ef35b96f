package harness

import (
	"context"
	"time"

	"github.com/kernelboosting/bench/harness/store"
)

// askEvery is how often a run asks for the cells that others are at, when it has no other.
const askEvery = 200 * time.Millisecond

// claim reports whether a cell is to be started here. One that another run has ended is counted, one
// that another is at is put aside.
func (s *scheduler) claim(ctx context.Context, c *PlannedCell) bool {
	if s.opt.Claims == nil {
		return true
	}
	claim, err := s.opt.Claims.Take(context.WithoutCancel(ctx), c.Spec.Key, c.Attempt)
	switch {
	case err != nil:
		s.cancel(err)
		return false
	case claim.Taken:
		c.Spec.Suspect = claim.Suspect
		return true
	case claim.Stored == "":
		s.elsewhere, s.by = append(s.elsewhere, c), claim.By
		return false
	}
	s.mu.Lock()
	s.out.Elsewhere++
	if claim.Stored == store.OK {
		s.out.OK++
	} else {
		s.out.Failed++
	}
	s.mu.Unlock()
	s.memory.drop(c)
	if s.opt.Elsewhere != nil {
		s.opt.Elsewhere(c, claim.Stored)
	}
	return false
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
			s.leaveOut([][]*PlannedCell{s.elsewhere})
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
		s.leaveOut([][]*PlannedCell{s.elsewhere})
	}
}
