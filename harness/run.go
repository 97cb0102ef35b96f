package harness

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"golang.org/x/sync/semaphore"
)

// Options says how planned cells are executed. None of them changes a result.
type Options struct {
	Jobs   int           // cells at a time; at least 1
	Memory int64         // bytes that cells running together may need by their estimates; 0 for no limit
	Budget time.Duration // wall time: sets are taken in order of predicted cost as long as they fit, no cell starts later, and one that runs a fifth longer is given up without a result; 0 for all

	// Ready, if not nil, is asked before a cell starts. It blocks while finished cells
	// cannot be stored, until they can be or stop is closed, and returns false if no more
	// cells are to start.
	Ready func(stop <-chan struct{}) bool

	// Finished, if not nil, is told of each cell, from several goroutines.
	Finished func(*PlannedCell, store.Run)
}

// Outcome is what an execution came to.
type Outcome struct {
	OK, Failed  int      // ended cells, by what was given to put, stored or not
	NotStarted  int      // left over by an interrupt or an error
	LeftOut     []string // sets that did not fit the budget, cheapest first
	LeftCells   int      // their cells
	TooLarge    int      // cells that need more memory than allowed, by their estimate
	Largest     int64    // bytes that the hungriest of them needs
	Interrupted bool
}

// Run lets run execute the plan's cells and gives each result to put. Closing stop lets
// running cells finish and starts no more; cancelling ctx ends them without a
// result. An error of put or of the runner stops the run; what was put before
// stands.
func Run(ctx context.Context, run runner.Runner, stop <-chan struct{}, cells []*PlannedCell, opt Options, put func(store.Run) error) (Outcome, error) {
	caller := ctx
	ctx, cancel := context.WithCancelCause(caller)
	defer cancel(nil)
	if opt.Budget > 0 {
		var over context.CancelFunc
		ctx, over = context.WithTimeoutCause(ctx, opt.Budget+opt.Budget/5, errOverBudget)
		defer over()
	}
	s := &scheduler{
		opt: opt, put: put, stop: stop, cancel: cancel,
		slots: semaphore.NewWeighted(int64(max(1, opt.Jobs))), started: map[*PlannedCell]bool{}, start: time.Now(),
		runner: run,
	}
	s.memory = newMemory(opt.Memory, cells, run)
	s.dispatch(ctx, cells)
	s.running.Wait()
	s.out.NotStarted = len(cells) - s.out.OK - s.out.Failed - s.out.LeftCells - s.out.TooLarge
	if cause := context.Cause(ctx); cause != nil && cause != errOverBudget && caller.Err() == nil {
		return s.out, cause
	}
	s.out.Interrupted = s.out.NotStarted > 0
	return s.out, nil
}

// errOverBudget ends the cells that run long after the budget.
var errOverBudget = errors.New("over budget")

// scheduler is the state of one Run.
type scheduler struct {
	runner  runner.Runner
	opt     Options
	put     func(store.Run) error
	stop    <-chan struct{}
	cancel  context.CancelCauseFunc
	slots   *semaphore.Weighted
	memory  *memory
	running sync.WaitGroup
	start   time.Time

	pace Pace

	mu      sync.Mutex
	out     Outcome
	started map[*PlannedCell]bool // cells that have not ended
}

func (s *scheduler) dispatch(ctx context.Context, cells []*PlannedCell) {
	groups := [][]*PlannedCell{cells}
	if s.opt.Budget > 0 {
		groups = byDataset(cells)
	}
	for i, group := range groups {
		if s.opt.Budget > 0 {
			// The set's size is judged when a worker is free for it, with the
			// timings of everything that has finished by then.
			if !s.free(ctx) {
				if context.Cause(ctx) == errOverBudget {
					s.leaveOut(groups[i:])
				}
				return
			}
			if !s.fits(group) {
				s.leaveOut(groups[i:])
				return
			}
		}
		for k, c := range group {
			rest := append([][]*PlannedCell{group[k:]}, groups[i+1:]...)
			if s.opt.Budget > 0 && time.Since(s.start) > s.opt.Budget {
				s.leaveOut(rest)
				return
			}
			if !s.launch(ctx, c) {
				if context.Cause(ctx) == errOverBudget {
					s.leaveOut(rest)
				}
				return
			}
		}
	}
}

// byDataset groups cells by set, the cheapest set first, keeping the order within.
func byDataset(cells []*PlannedCell) [][]*PlannedCell {
	at := map[string]int{}
	var groups [][]*PlannedCell
	for _, c := range cells {
		i, ok := at[c.Dataset]
		if !ok {
			i = len(groups)
			at[c.Dataset] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	slices.SortStableFunc(groups, func(a, b []*PlannedCell) int { return cmp.Compare(seconds(a), seconds(b)) })
	return groups
}

func seconds(cells []*PlannedCell) float64 {
	sum := 0.0
	for _, c := range cells {
		sum += c.Seconds
	}
	return sum
}

// free waits until a worker is idle.
func (s *scheduler) free(ctx context.Context) bool {
	if s.stopped(ctx) || s.slots.Acquire(ctx, 1) != nil {
		return false
	}
	s.slots.Release(1)
	return !s.stopped(ctx)
}

// fits predicts whether a group, started now, ends within the budget.
func (s *scheduler) fits(group []*PlannedCell) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	work, longest := 0.0, 0.0
	for c := range s.started {
		work += s.pace.Seconds(c)
	}
	for _, c := range group {
		seconds := s.pace.Seconds(c)
		work += seconds
		longest = max(longest, seconds)
	}
	return max(work/float64(max(1, s.opt.Jobs)), longest) <= (s.opt.Budget - time.Since(s.start)).Seconds()
}

func (s *scheduler) leaveOut(groups [][]*PlannedCell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range groups {
		if !slices.Contains(s.out.LeftOut, g[0].Dataset) {
			s.out.LeftOut = append(s.out.LeftOut, g[0].Dataset)
		}
		s.out.LeftCells += len(g)
	}
}

func (s *scheduler) stopped(ctx context.Context) bool {
	select {
	case <-s.stop:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// launch starts a cell as soon as a worker and its memory are free. It returns
// false when no more cells are to be started.
func (s *scheduler) launch(ctx context.Context, c *PlannedCell) bool {
	waiting, abort := context.WithCancel(ctx)
	defer abort()
	go func() {
		select {
		case <-s.stop:
			abort()
		case <-waiting.Done():
		}
	}()
	if s.slots.Acquire(waiting, 1) != nil {
		return false
	}
	if s.opt.Ready != nil && !s.opt.Ready(waiting.Done()) || s.stopped(ctx) { // while it waited
		s.slots.Release(1)
		return false
	}
	if s.opt.Memory > 0 && c.Memory+c.SetBytes > s.opt.Memory {
		s.slots.Release(1)
		s.refuse(c)
		return true
	}
	if !s.memory.acquire(waiting, c) {
		s.slots.Release(1)
		return false
	}
	s.mu.Lock()
	s.started[c] = true
	s.mu.Unlock()
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		defer s.slots.Release(1)
		defer s.memory.release(c)
		s.run(ctx, c)
	}()
	return true
}

func (s *scheduler) run(ctx context.Context, c *PlannedCell) {
	start := time.Now()
	run, err := s.runner.Run(ctx, c.Spec)
	s.pace.Record(c, time.Since(start).Seconds())
	s.mu.Lock()
	delete(s.started, c)
	s.mu.Unlock()
	switch { // a cell without a result will be planned again
	case err != nil && context.Cause(ctx) == errOverBudget:
		s.leaveOut([][]*PlannedCell{{c}})
		return
	case err != nil && ctx.Err() == nil:
		s.cancel(err)
		return
	case err != nil:
		return
	}
	if err := s.finish(c, run); err != nil {
		s.cancel(err)
	}
}

func (s *scheduler) finish(c *PlannedCell, run store.Run) error {
	err := s.put(run)
	s.mu.Lock() // also what put could not store has ended, and is not to be started again
	if run.Status == store.OK {
		s.out.OK++
	} else {
		s.out.Failed++
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if s.opt.Finished != nil {
		s.opt.Finished(c, run)
	}
	return nil
}

// refuse counts a cell whose estimate alone exceeds the limit. Nothing is stored of
// it: a larger limit runs it.
func (s *scheduler) refuse(c *PlannedCell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.TooLarge++
	s.out.Largest = max(s.out.Largest, c.Memory+c.SetBytes)
	s.memory.drop(c)
}
