package harness

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"golang.org/x/sync/semaphore"
)

// Options says how planned cells are executed. None of them changes a result.
type Options struct {
	Jobs     int           // cells at a time; at least 1
	Limits   Limits        // of a cell; those that run together stay within its Memory
	Budget   time.Duration // wall time: sets are taken in order of predicted cost as long as they fit, no cell starts later, and one that runs a fifth longer is given up without a result; 0 for all
	Forecast *Forecast     // of the plan; what cells take is recorded in it. nil goes by declared costs

	// Ready, if not nil, is asked before a cell starts. It blocks while finished cells
	// cannot be stored, until they can be or stop is closed, and returns false if no more
	// cells are to start.
	Ready func(stop <-chan struct{}) bool

	// Claims, if not nil, shares the work with other runs on the same database: what another is at
	// is left to it, and taken up at the end if it did not come.
	Claims Claims

	// Elsewhere, if not nil, is told of a cell that another run has ended, and Waiting that only
	// cells are left that others are at.
	Elsewhere func(*PlannedCell, result.Status)
	Waiting   func(cells int, by string)

	// Started and Finished, if not nil, are told of each cell, from several goroutines.
	Started  func(*PlannedCell)
	Finished func(*PlannedCell, result.Run)
}

// Outcome is what an execution came to.
type Outcome struct {
	OK, Failed  int       // ended cells, by what was given to put, stored or not
	NotStarted  int       // left over by an interrupt or an error
	NoBudget    []string  // sets that did not fit the budget, cheapest first
	LeftCells   int       // their cells
	Skipped     []Skipped // cells that proved to be beyond the limits once others had been run
	Canaries    int       // that ended, in any way, or were beyond the limits; not among the others
	Elsewhere   int       // of the ended cells, those that other runs ended
	Interrupted bool
}

// Claims says which cells are under way, and where: see [store.Claims].
type Claims interface {
	Take(ctx context.Context, cells []store.Wanted) ([]store.Claim, error)
	Release(key string)
}

// Run lets run execute the plan's cells and gives each result to put. Closing stop lets
// running cells finish and starts no more; cancelling ctx ends them without a
// result. An error of put or of the runner stops the run; what was put before
// stands.
func Run(ctx context.Context, run runner.Runner, stop <-chan struct{}, cells []*PlannedCell, opt Options, put func(result.Run) error) (Outcome, error) {
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
		slots: semaphore.NewWeighted(int64(max(1, opt.Jobs))), started: map[*PlannedCell]time.Time{}, claimed: map[*PlannedCell]store.Claim{}, killers: map[string]bool{}, start: time.Now(),
		runner: run, forecast: opt.Forecast,
	}
	if s.forecast == nil {
		s.forecast = NewForecast(nil)
	}
	s.memory = newMemory(opt.Limits.Memory, cells, run)
	s.dispatch(ctx, cells)
	s.takeUp(ctx)
	s.runLast(ctx)
	s.running.Wait()
	s.out.NotStarted = len(cells) - s.out.OK - s.out.Failed - s.out.Canaries - s.out.LeftCells - len(s.out.Skipped)
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
	put     func(result.Run) error
	stop    <-chan struct{}
	cancel  context.CancelCauseFunc
	slots   *semaphore.Weighted
	memory  *memory
	running sync.WaitGroup
	start   time.Time

	forecast *Forecast

	claimed   map[*PlannedCell]store.Claim // of cells that have not been started
	elsewhere []*PlannedCell               // that other runs are at
	by        string                       // one of them
	killers   map[string]bool              // foreign methods that an earlier run died of
	last      []*PlannedCell               // their cells

	mu      sync.Mutex
	out     Outcome
	started map[*PlannedCell]time.Time // cells that have not ended
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
					s.skip(groups[i:])
				}
				return
			}
			if !s.fits(group) {
				s.skip(groups[i:])
				return
			}
		}
		q := newQueue(group, s.forecast)
		for !q.empty() {
			over := s.opt.Budget > 0 && time.Since(s.start) > s.opt.Budget
			if over || !s.launch(ctx, q) {
				if over || context.Cause(ctx) == errOverBudget {
					s.skip(append([][]*PlannedCell{q.rest()}, groups[i+1:]...))
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
	var running []RunningCell
	for c, since := range s.started {
		running = append(running, RunningCell{c, time.Since(since)})
	}
	s.mu.Unlock()
	return s.forecast.Wall(group, running, s.opt.Jobs) <= (s.opt.Budget - time.Since(s.start)).Seconds()
}

func (s *scheduler) skip(groups [][]*PlannedCell) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range groups {
		if len(g) > 0 && !slices.Contains(s.out.NoBudget, g[0].Dataset) {
			s.out.NoBudget = append(s.out.NoBudget, g[0].Dataset)
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

// launch starts the queue's next cell as soon as a worker and the cell's memory are free. The cell is chosen when
// the worker is free, with the timings of everything that has ended by then. It returns false when no more cells are
// to be started.
func (s *scheduler) launch(ctx context.Context, q *queue) bool {
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
	q.refresh()
	c := q.next()
	if out, beyond := s.forecast.Beyond(s.opt.Limits, c); beyond {
		s.slots.Release(1)
		s.refuse(out)
		return true
	}
	if !s.claim(ctx, c, q) {
		s.slots.Release(1)
		return true
	}
	if !s.memory.acquire(waiting, c) {
		s.release(c)
		q.putBack(c)
		s.slots.Release(1)
		return false
	}
	s.mu.Lock()
	s.started[c] = time.Now()
	s.mu.Unlock()
	if s.opt.Started != nil {
		s.opt.Started(c)
	}
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
	run, err := s.runner.Run(ctx, c.Spec)
	if (run.Canary == nil) != (c.Spec.Canary == nil) { // a worker may answer anything
		run.Canary = c.Spec.NewRun().Canary
	}
	if err == nil && run.Status == result.OK {
		processor := 0.0
		if run.CPUSeconds != nil {
			processor = *run.CPUSeconds
		}
		s.forecast.Record(c, run.Seconds(), processor)
	}
	s.mu.Lock()
	delete(s.started, c)
	s.mu.Unlock()
	if err != nil {
		s.release(c)
	}
	switch { // a cell without a result will be planned again
	case err != nil && context.Cause(ctx) == errOverBudget:
		s.skip([][]*PlannedCell{{c}})
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

func (s *scheduler) finish(c *PlannedCell, run result.Run) error {
	err := s.put(run)
	s.mu.Lock() // also what put could not store has ended, and is not to be started again
	s.count(c, run.Status)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if s.opt.Finished != nil {
		s.opt.Finished(c, run)
	}
	return nil
}

// count counts a cell that has ended; s.mu is held.
func (s *scheduler) count(c *PlannedCell, status result.Status) {
	switch {
	case c.Spec.Canary != nil:
		s.out.Canaries++
	case status == result.OK:
		s.out.OK++
	default:
		s.out.Failed++
	}
}

// refuse leaves a cell out. Nothing is stored of it: other limits run it.
func (s *scheduler) refuse(l Skipped) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.Cell.Spec.Canary != nil {
		s.out.Canaries++
	} else {
		s.out.Skipped = append(s.out.Skipped, l)
	}
	s.memory.drop(l.Cell)
}
