package harness

import (
	"context"
	"time"

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
	claim, known := s.claimed[c]
	if !known {
		if err := s.take(ctx, append([]*PlannedCell{c}, q.ahead(claimAhead.Seconds()-s.forecast.Seconds(c), claimMost-1)...)); err != nil {
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
	case claim.Stored == "":
		s.elsewhere, s.by = append(s.elsewhere, c), claim.By
		return false
	}
	s.mu.Lock()
	if c.Spec.Canary == nil {
		s.out.Elsewhere++
	}
	s.count(c, claim.Stored)
	s.mu.Unlock()
	s.memory.drop(c)
	if s.opt.Elsewhere != nil {
		s.opt.Elsewhere(c, claim.Stored)
	}
	return false
}

// take claims cells, of which some may be claimed already.
func (s *scheduler) take(ctx context.Context, cells []*PlannedCell) error {
	wanted := make([]store.Wanted, len(cells))
	for i, c := range cells {
		wanted[i] = store.Wanted{Key: c.Spec.Key, Attempt: c.Attempt}
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
