package schedule

import (
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
)

// Batches give out the cells of a run part by part. A part is asked for once all cells of the part before have ended.
// So what is given out does not depend on the number of jobs. The calls come one at a time.
type Batches interface {
	// Ended hears the result of a cell before the next part is asked for.
	Ended(c *plan.Cell, r result.Run)
	// Next chooses among the waiting cells. If it chooses none, the run leaves all of them out, for the reason why.
	Next(waiting []*plan.Cell) (now []*plan.Cell, why result.Why)
}

// batches is the part of the state that concerns them.
type batches struct {
	later []*plan.Cell // cells of the plan that were not given out
}

// nextBatch queues the next part once no cell is left or running.
func (s *state) nextBatch() bool {
	if len(s.later) == 0 || len(s.running) > 0 || len(s.suspects) > 0 || !s.queue.Empty() {
		return false
	}
	now, why := s.opt.Batches.Next(s.later)
	s.later = slices.DeleteFunc(slices.Clone(s.later), func(c *plan.Cell) bool { return slices.Contains(now, c) })
	if len(now) == 0 {
		for _, c := range s.later {
			s.forget(s.memory.drop(c))
		}
		s.out.Excluded, s.later = append(s.out.Excluded, plan.Exclude(s.later, why)...), nil
		return false
	}
	s.take(now)
	return true
}
