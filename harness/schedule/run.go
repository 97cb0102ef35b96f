package schedule

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
)

// Options says how planned cells are executed. No option changes a result. The functions may be nil.
type Options struct {
	Jobs   int         // cells at a time here; at least 1 without Remote
	Limits plan.Limits // of one cell; all cells that run here at the same time stay within Memory
	// Budget is the wall time of the run; 0 is any time. Sets are begun in order of their predicted time, as
	// long as they are predicted to end in time. No cell starts after the budget. A cell that still runs a
	// fifth of the budget later is given up without a result.
	Budget   time.Duration
	Forecast *plan.Forecast // the plan's forecast, in which times of cells are recorded; nil means declared costs

	// Batches gives out the cells part by part; nil for all at once. It does not go with Budget.
	Batches Batches

	// Ready is asked before a cell starts. While finished cells cannot be stored, it blocks until they can, or
	// until stop is closed. It returns false if no more cells are to start.
	Ready func(stop <-chan struct{}) bool

	// Begin is called before cells run here, with their keys: see [store.Registration]. Short cells are begun many at a
	// time.
	Begin func(ctx context.Context, keys []string) error

	// Remote runs further cells; nil for none.
	Remote Remote

	// Fits, if not nil, returns an error if the result is one that the cell cannot have. If the cell ran on this
	// machine, the result is then stored as a failure; Remote checks the results of other machines.
	Fits func(runner.CellSpec, result.Run) error

	// Tell hears what happens to cells, one call at a time.
	Tell func(Event)
}

// An Event is something that happens to a cell.
type Event struct {
	Kind  Kind
	Cell  *plan.Cell // of Unplaced the one that needs the most memory
	Room  string     // of Started: where on other machines, "" for this one
	Run   result.Run // of Finished
	Cells int        // of Unplaced: how many cells
}

// A Kind says what happened.
type Kind int

const (
	Started   Kind = iota
	GivenBack      // another machine could not run it; it waits again
	Finished       // it has a result
	Unplaced       // no place takes some cells that wait
)

// ErrGivenBack says that a cell has no result and is to be run again, here or elsewhere.
var ErrGivenBack = errors.New("no other machine takes the cell at present")

// errOverBudget ends cells that run long after the budget.
var errOverBudget = errors.New("over budget")

// Run runs the cells of a plan and gives each result to put. After stop is closed running cells finish and no
// more start. Cancelling ctx ends running cells without a result. An error of put, of Begin or of the
// runner stops the run. Results that were put before stay.
func Run(ctx context.Context, run runner.Runner, stop <-chan struct{}, cells []*plan.Cell, opt Options,
	put func(result.Run) error) (Outcome, error) {
	d := newDriver(ctx, run, opt, put)
	defer d.cancel(nil)
	s := newState(opt, cells, time.Now())
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
			// A cell that ended after stop was closed must not start another one. Where both are ready, select takes
			// either.
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

func newDriver(ctx context.Context, run runner.Runner, opt Options, put func(result.Run) error) *driver {
	d := &driver{runner: run, put: put, opt: opt, events: make(chan event), halt: make(chan struct{}),
		begun: make(chan struct{})}
	close(d.begun)
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	if opt.Budget > 0 {
		over := time.AfterFunc(opt.Budget+opt.Budget/5, func() { d.cancel(errOverBudget) })
		context.AfterFunc(d.ctx, func() { over.Stop() })
	}
	return d
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
	begun  chan struct{} // closed when the database knows of all cells that were to begin so far
}

func (d *driver) do(a action) {
	switch a := a.(type) {
	case start:
		before := d.begun
		if a.begin != nil && d.opt.Begin != nil {
			d.begun = make(chan struct{})
		}
		go func(now chan struct{}) { d.events <- d.begin(a, before, now) }(d.begun)
	case give:
		go func() { d.events <- ended{cell: a.cell, run: a.run, err: d.put(a.run), given: true} }()
	case ask:
		go func() { d.events <- answered{d.opt.Ready(d.halt)} }()
	case forget:
		if keeper, ok := d.runner.(interface{ Forget(runner.CellSpec) }); ok {
			keeper.Forget(a.cell.Spec)
		}
	case tell:
		if d.opt.Tell != nil {
			d.opt.Tell(a.Event)
		}
	case fail:
		d.cancel(a.err)
	}
}

// begin runs a cell once the database knows that it begins.
func (d *driver) begin(a start, before, now chan struct{}) ended {
	<-before
	if now != before {
		var keys []string
		for _, c := range a.begin {
			keys = append(keys, c.Spec.Key)
		}
		err := d.opt.Begin(context.WithoutCancel(d.ctx), keys)
		close(now)
		if err != nil {
			return ended{cell: a.cell, how: withError, err: err}
		}
	}
	return d.run(a)
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
	if d.opt.Fits != nil && a.room == "" {
		if why := d.opt.Fits(c.Spec, run); why != nil {
			run = c.Spec.NewRun()
			run.Status, run.Class, run.Error = result.Failed, result.ClassBadOutput, "its result cannot be: "+
				why.Error()
		}
	}
	return ended{cell: c, run: run, around: took.Seconds() - run.Seconds(), err: d.put(run)}
}
