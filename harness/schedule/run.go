package schedule

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// Options says how planned cells are executed. No option changes a result. The functions may be nil. All of
// them but Ready are called one at a time.
type Options struct {
	Jobs   int         // cells at a time here; at least 1 without Remote
	Limits plan.Limits // of one cell; all cells that run here at the same time stay within Memory
	// Budget is the wall time of the run; 0 is any time. Sets are begun in order of their predicted time, as
	// long as they are predicted to end in time. No cell starts after the budget. A cell that still runs a
	// fifth of the budget later is given up without a result.
	Budget   time.Duration
	Forecast *plan.Forecast // the plan's forecast, in which times of cells are recorded; nil stands for declared costs

	// Ready is asked before a cell starts. While finished cells cannot be stored, it blocks until they can, or
	// until stop is closed. It returns false if no more cells are to start.
	Ready func(stop <-chan struct{}) bool

	// Claims shares the work with other runs on the same database. A cell that another run has claimed is left
	// to that run. At the end this run takes the claimed cells that the other run did not end.
	Claims Claims

	// Remote runs cells beside those that run here; nil for none.
	Remote Remote

	Started   func(*plan.Cell)
	Finished  func(*plan.Cell, result.Run)
	Elsewhere func(*plan.Cell, result.Status)  // another run has ended the cell
	Waiting   func(cells int, by string)       // only cells are left that other runs are computing
	Unplaced  func(cells int, such *plan.Cell) // the number of cells that no place takes; such needs the most memory
}

// Claims says which cells are being computed, and by which run: see [store.Claims].
type Claims interface {
	Take(ctx context.Context, cells []store.Wanted) ([]store.Claim, error)
	Release(key string)
}

// ErrGivenBack says that a cell has no result and is to be run again, here or elsewhere.
var ErrGivenBack = errors.New("no other machine takes the cell at present")

// errOverBudget ends cells that run long after the budget.
var errOverBudget = errors.New("over budget")

// Run runs the cells of a plan and gives each result to put. After stop is closed running cells finish and no
// more start. Cancelling ctx ends running cells without a result. An error of put, of the claims or of the
// runner stops the run. Results that were put before stay.
func Run(ctx context.Context, run runner.Runner, stop <-chan struct{}, cells []*plan.Cell, opt Options, put func(result.Run) error) (Outcome, error) {
	d := &driver{runner: run, put: put, opt: opt, events: make(chan event), halt: make(chan struct{})}
	var cancel context.CancelCauseFunc
	d.ctx, cancel = context.WithCancelCause(ctx)
	defer cancel(nil)
	d.cancel = cancel
	if opt.Budget > 0 {
		var over context.CancelFunc
		d.ctx, over = context.WithTimeoutCause(d.ctx, opt.Budget+opt.Budget/5, errOverBudget)
		defer over()
	}
	s := newState(opt, cells, time.Now())
	defer d.sleepNoMore()
	cancelled := d.ctx.Done()
	var rooms <-chan struct{}
	if opt.Remote != nil {
		rooms = opt.Remote.Changed()
		s.rooms = opt.Remote.Rooms()
	}
	var e event
	// A run that was ended before it began starts nothing.
	select {
	case <-stop:
		e = stopped{}
	case <-cancelled:
		e = stopped{}
	default:
	}
	for {
		d.step(s, e)
		if s.done() {
			break
		}
		select {
		case e = <-d.events:
			// A cell that ended after stop was closed must not start another one. Where both are ready, select takes either.
			select {
			case <-stop:
				d.step(s, stopped{})
			default:
			}
		case <-rooms:
			e = roomsChanged{opt.Remote.Rooms()}
		case <-stop:
			e, stop = stopped{}, nil
			d.halted.Do(func() { close(d.halt) })
		case <-cancelled:
			e, cancelled = ticked{}, nil
			if context.Cause(d.ctx) != errOverBudget {
				e = stopped{}
			}
			d.halted.Do(func() { close(d.halt) })
		}
	}
	out := s.out
	out.NotStarted = len(cells) - out.OK - out.Failed - out.Canaries - len(out.Excluded)
	if cause := context.Cause(d.ctx); cause != nil && cause != errOverBudget && ctx.Err() == nil {
		return out, cause
	}
	out.Interrupted = out.NotStarted > 0
	return out, nil
}

// step gives an event to the state and does what follows from it.
func (d *driver) step(s *state, e event) {
	for _, a := range s.step(time.Now(), e) {
		d.do(a)
	}
}

// A driver does the actions that the state returns.
type driver struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	runner runner.Runner
	put    func(result.Run) error
	opt    Options
	events chan event
	halt   chan struct{} // closed when no more cells are to start
	halted sync.Once
	sleep  *time.Timer
}

func (d *driver) do(a action) {
	switch a := a.(type) {
	case start:
		if d.opt.Started != nil {
			d.opt.Started(a.cell)
		}
		go func() { d.events <- d.run(a) }()
	case give:
		go func() { d.events <- ended{cell: a.cell, run: a.run, err: d.put(a.run), given: true} }()
	case ask:
		go func() { d.events <- answered{d.opt.Ready(d.halt)} }()
	case claim:
		go func() { d.events <- d.claim(a) }()
	case release:
		if d.opt.Claims != nil {
			d.opt.Claims.Release(a.cell.Spec.Key)
		}
	case forget:
		if keeper, ok := d.runner.(interface{ Forget(runner.CellSpec) }); ok {
			keeper.Forget(a.cell.Spec)
		}
	case tell:
		a.note(d.opt)
	case wake:
		d.wake(a.after)
	case fail:
		d.cancel(a.err)
	}
}

func (d *driver) run(a start) ended {
	c := a.cell
	var run result.Run
	var err error
	began := time.Now()
	if a.room != "" {
		run, err = d.opt.Remote.RunIn(d.ctx, a.room, c.Spec)
	} else {
		run, err = d.runner.Run(d.ctx, c.Spec)
	}
	took := time.Since(began)
	switch {
	case err == nil:
	case errors.Is(err, ErrGivenBack) && d.ctx.Err() == nil:
		return ended{cell: c, how: givenBack}
	case context.Cause(d.ctx) == errOverBudget:
		return ended{cell: c, how: tooLate}
	case d.ctx.Err() != nil:
		return ended{cell: c, how: cancelled}
	default:
		return ended{cell: c, how: withError, err: err}
	}
	if (run.Canary == nil) != (c.Spec.Canary == nil) { // a worker may return anything
		run.Canary = c.Spec.NewRun().Canary
	}
	return ended{cell: c, run: run, around: took.Seconds() - run.Seconds(), err: d.put(run)}
}

func (d *driver) claim(a claim) claimed {
	wanted := make([]store.Wanted, len(a.cells))
	for i, c := range a.cells {
		wanted[i] = store.Wanted{Key: c.Spec.Key, Attempt: c.Attempt, Spared: a.spare && c.Foreign}
	}
	claims, err := d.opt.Claims.Take(context.WithoutCancel(d.ctx), wanted)
	return claimed{a.cells, claims, err}
}

// wake sends an event after some time, unless wake is called again before.
func (d *driver) wake(after time.Duration) {
	d.sleepNoMore()
	d.sleep = time.AfterFunc(after, func() {
		select {
		case d.events <- ticked{}:
		case <-d.ctx.Done():
		}
	})
}

func (d *driver) sleepNoMore() {
	if d.sleep != nil {
		d.sleep.Stop()
	}
}
