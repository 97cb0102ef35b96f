package harness

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
)

// A Session runs requests of an experiment and keeps the results in a database.
type Session struct {
	Experiment *plan.Experiment
	DB         *store.DB

	// Cells returns a runner of cells, each within timeout (0 for any time), and a function that ends the
	// runner. alone asks for a new process for each cell, where this is possible.
	Cells func(timeout time.Duration, alone bool) (run runner.Runner, end func())

	// Remote runs cells of the plan on other machines; nil for none. Checks run here. Join says how to add a worker,
	// for people.
	Remote schedule.Remote
	Join   string

	// Share is the part of each worker's cells that is computed again here after the run; 0 for none.
	Share float64

	// Confirm is asked before the first cell of the plan starts. An error ends the session.
	Confirm func(*plan.Plan, plan.Prediction, schedule.Options) error

	// Tell hears what happens, one call at a time.
	Tell func(Event)
}

// A Request says which cells to run and how.
type Request struct {
	plan.Request
	Jobs   int           // cells at a time here
	Budget time.Duration // wall time of the whole run; 0 for any time
	// Batches makes what gives out the cells of a plan part by part; nil for all at once.
	Batches func(context.Context, *plan.Plan) (schedule.Batches, error)
}

// An Event is something that happens in a session: one of the types below, a [store.Trouble] (results cannot be
// stored at present, or can be stored again), or a [schedule.Event] (what happened to a cell).
type Event any

type (
	// Waits says that another program holds the database, or that a run on another machine has cells of this one and
	// may be dead. It comes again now and then while this lasts.
	Waits struct{ Err error }
	// ChangedData says that cells of a data set are stored that belong to other data than today's.
	ChangedData struct {
		Was store.DataName
		Now string // the fingerprint
	}
	// Begins says that cells start.
	Begins struct {
		Control
		Plan     *plan.Plan
		Progress *Progress
	}
	// Ended says that no cell is running any more, and that all results that could be stored are stored.
	Ended struct{}
	// CheckingState says that these cells are run again in new processes.
	CheckingState []verify.Sampled
	// CheckingWorkers says that a part of what workers computed is computed again here.
	CheckingWorkers struct{}
	// CheckedWorkers says what became of that. What a worker computed whose results differ is withdrawn.
	CheckedWorkers []verify.WorkerCheck
	// UncheckedState has those of them whose check did not end in its time, or whose cell did not end ok.
	UncheckedState []verify.Sampled
)

// Control ends a run early.
type Control struct {
	Stop    func()     // lets running cells finish and starts no more; called at most once
	Cancel  func()     // ends running cells; they have no result
	Waiting func() int // the number of finished cells that cannot be stored at present
	Abandon func()     // gives these results up
}

// A Report is the outcome of a session.
type Report struct {
	Plan     *plan.Plan
	Outcome  schedule.Outcome
	Findings []store.Finding // all findings against the methods of the plan, new and old

	Withdrawn int // cells of workers whose results differ; the same request runs them again
}

// Run plans a request, runs the cells that are not stored, and stores them. A cell is stored whole when it
// ends, so that the same request continues a run that was stopped or killed. Run refuses cells that another run which
// is alive has planned, by a [store.OverlapError]. Results that could not be stored are a [store.LostError], and the
// report does not count them.
func (s *Session) Run(ctx context.Context, req Request) (Report, error) {
	s.oneAtATime()
	err := s.retryWhileBusy(ctx, func() (err error) {
		if req.Secret, err = s.DB.Secret(ctx); err == nil {
			err = s.DB.NoteYardstick(ctx, environment.Measure())
		}
		return err
	})
	if err != nil {
		return Report{}, &StoredError{err}
	}
	todo, err := Plan(ctx, s.Experiment, req.Request, s.DB)
	if err != nil {
		return Report{}, err
	}
	opt := schedule.Options{Jobs: req.Jobs, Limits: req.Limits, Budget: req.Budget, Forecast: todo.Forecast}
	opt.Remote, opt.Fits = s.Remote, s.fits
	registered, err := s.register(ctx, todo, opt)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = registered.Close() }() // results are stored; who comes next sees that this process is gone
	progress := NewProgress(todo, opt, s.Experiment.Protocol.Name, s.Join)
	defer progress.keep(ctx, registered)()
	if err := s.changedData(ctx, todo); err != nil {
		return Report{}, err
	}
	if err := s.confirm(ctx, todo, opt); err != nil {
		return Report{}, err
	}
	out := Report{Plan: todo}
	opt.Begin = registered.Begin
	if req.Batches != nil {
		if opt.Batches, err = req.Batches(ctx, todo); err != nil {
			return out, err
		}
	}
	shares := &verify.Shares{}
	stop, ended, err := s.cells(ctx, req, opt, &out, progress, shares)
	if err != nil {
		return out, err
	}
	if !out.Outcome.Interrupted {
		if err := s.checkWorkers(ctx, req, stop, shares, &out); err != nil {
			return out, err
		}
		if err := s.checkState(ctx, stop, ended.Sample(), req.Limits.Memory); err != nil {
			return out, err
		}
	}
	out.Findings, err = s.DB.Findings(context.WithoutCancel(ctx), s.Experiment.Protocol.Name)
	out.Findings = slices.DeleteFunc(out.Findings, func(f store.Finding) bool {
		return todo.Versions[f.Method] != f.MethodVersion
	})
	return out, err
}

// confirm asks before the first cell of the plan starts, and then notes what the plan leaves out.
func (s *Session) confirm(ctx context.Context, todo *plan.Plan, opt schedule.Options) error {
	prediction := todo.Predict(opt.Places(), opt.Budget)
	if err := s.Confirm(todo, prediction, opt); err != nil {
		return err
	}
	return s.retryWhileBusy(ctx, func() error {
		if err := s.DB.NoteSkipped(ctx, todo.Excluded, plan.Exclude(todo.Cells, result.Why{})); err != nil {
			return err
		}
		return s.DB.MakeCurrent(ctx, todo.Revive)
	})
}

// fits says why a cell cannot have ended here with a run.
func (s *Session) fits(c runner.CellSpec, r result.Run) error {
	if r.Environment == nil { // the one of this program
		r.Environment = &result.Environment{}
	}
	return c.FitsData(s.Experiment.Protocol, r)
}

// oneAtATime lets the writer of results and the scheduler tell events in turn.
func (s *Session) oneAtATime() {
	var mu sync.Mutex
	tell := s.Tell
	s.Tell = func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		tell(e)
	}
}

func (s *Session) waits(err error) { s.Tell(Waits{err}) }

// retryWhileBusy repeats work while another program holds the database, and says so.
func (s *Session) retryWhileBusy(ctx context.Context, work func() error) error {
	return store.RetryWhileBusy(ctx, s.waits, work)
}

// register begins the run in the database. It leaves canaries that another run computes out of the plan, and notes
// which cells an earlier run died of.
func (s *Session) register(ctx context.Context, todo *plan.Plan, opt schedule.Options) (*store.Registration, error) {
	var cells []store.PlannedCell
	for _, c := range todo.Cells {
		cells = append(cells, store.PlannedCell{Key: c.Spec.Key, Canary: c.Spec.Canary != nil})
	}
	first := NewProgress(todo, opt, s.Experiment.Protocol.Name, s.Join).Now()
	var r *store.Registration
	err := s.retryWhileBusy(ctx, func() (err error) {
		r, err = s.DB.Register(ctx, cells, first, s.waits)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Another run may have stored some of the cells after they were planned, and ended before this one was registered.
	known, err := s.DB.Keys(ctx)
	if err != nil {
		return nil, errors.Join(&StoredError{err}, r.Close())
	}
	todo.Cells = slices.DeleteFunc(todo.Cells, func(c *plan.Cell) bool {
		stored, there := known[c.Spec.Key]
		meanwhile := c.Spec.Canary == nil && there && stored.Attempt != c.Attempt
		switch {
		case meanwhile && stored.Status == result.OK:
			todo.Stored++
		case meanwhile:
			todo.Failed++
		}
		return meanwhile || r.Elsewhere[c.Spec.Key]
	})
	for _, c := range todo.Cells {
		c.Deaths = r.Deaths[c.Spec.Key]
		c.Spec.Suspect = c.Deaths > 0
	}
	return r, nil
}

// Plan plans a request with the cells and times that a database holds; db may be nil.
func Plan(ctx context.Context, e *plan.Experiment, req plan.Request, db *store.DB) (*plan.Plan, error) {
	known := map[string]store.Known{}
	if db != nil {
		cells, err1 := db.Keys(ctx)
		canaries, err2 := db.Canaries(ctx)
		if err := errors.Join(err1, err2); err != nil {
			return nil, &StoredError{err}
		}
		maps.Copy(known, cells)
		maps.Copy(known, canaries)
	}
	forecast, err := Forecast(ctx, db)
	if err != nil {
		return nil, err
	}
	return e.Plan(ctx, req, known, forecast)
}

// Forecast is the forecast for this machine, with the times that a database holds; db may be nil.
func Forecast(ctx context.Context, db *store.DB) (*plan.Forecast, error) {
	var timings []store.Timing
	if db != nil {
		var err error
		if timings, err = db.Timings(ctx, environment.Measured()); err != nil {
			return nil, &StoredError{err}
		}
	}
	forecast := plan.NewForecast(timings)
	forecast.Slowness = environment.Slowness()
	return forecast, nil
}

// A StoredError is an error of stored data, not of a request.
type StoredError struct{ Err error }

func (e *StoredError) Error() string { return e.Err.Error() }
func (e *StoredError) Unwrap() error { return e.Err }

// cells runs the cells of a plan and stores them.
func (s *Session) cells(
	caller context.Context, req Request, opt schedule.Options, out *Report, progress *Progress, shares *verify.Shares,
) (<-chan struct{}, *verify.Ended, error) {
	ctx, cancel := context.WithCancel(caller)
	defer cancel()
	run, end := s.Cells(req.Timeout, false)
	defer end()
	w := s.DB.NewWriter(environment.Measured(), nil)
	w.Trouble = func(t store.Trouble) {
		if t.Err != nil {
			end() // an idle worker may be what holds the database
		}
		s.Tell(t)
	}
	stop := make(chan struct{})
	control := Control{Stop: func() { close(stop) }, Cancel: cancel, Waiting: w.Waiting, Abandon: w.Abandon}
	s.Tell(Begins{control, out.Plan, progress})
	ended := &verify.Ended{}
	opt.Ready = w.Ready
	opt.Tell = func(e schedule.Event) {
		if e.Kind == schedule.Finished {
			ended.Add(s.Experiment, e.Cell, e.Run)
			if w := s.workers(); w != nil {
				shares.Add(s.Experiment, e.Cell, e.Run, w)
			}
		}
		progress.Hear(e)
		s.Tell(e)
	}
	var err error
	out.Outcome, err = schedule.Run(ctx, run, stop, out.Plan.Cells, opt, w.Put)
	stored := w.Close()
	s.Tell(Ended{})
	if stored == nil {
		stored = s.DB.NoteSkipped(context.WithoutCancel(caller), out.Outcome.Excluded, nil)
	}
	var lost *store.LostError
	if errors.As(stored, &lost) { // the LostError says more than the first cell's error
		out.Outcome.OK -= lost.OK
		out.Outcome.Failed -= lost.Count - lost.OK
		return nil, nil, stored
	}
	if err == nil {
		err = stored
	}
	return stop, ended, err
}

// changedData tells which sets of a plan have stored cells of other data.
func (s *Session) changedData(ctx context.Context, todo *plan.Plan) error {
	names, err := s.DB.DataNames(ctx)
	if err != nil {
		return &StoredError{err}
	}
	for _, n := range names {
		if now, planned := todo.Data[n.Dataset]; planned && n.Fingerprint != now {
			s.Tell(ChangedData{n, now})
		}
	}
	return nil
}

// workers returns who knows the workers whose results are checked, nil for nobody.
func (s *Session) workers() verify.Workers {
	if w, ok := s.Remote.(verify.Workers); ok && s.Share > 0 {
		return w
	}
	return nil
}

// checkWorkers computes a part of each worker's cells again. All cells of a worker whose results differ are withdrawn.
func (s *Session) checkWorkers(
	ctx context.Context, req Request, stop <-chan struct{}, shares *verify.Shares, out *Report,
) error {
	w := s.workers()
	if w == nil || shares.Empty() {
		return nil
	}
	s.Tell(CheckingWorkers{})
	run, end := s.Cells(req.Timeout, false)
	defer end()
	opt := schedule.Options{Jobs: max(1, req.Jobs), Limits: req.Limits}
	checks, failed := shares.Check(ctx, s.Share, run, stop, opt, s.DB)
	for _, c := range checks {
		if c.Differs == nil {
			continue
		}
		w.Expel(c.ID, c.Why())
		var keys []string
		for _, cell := range c.Cells {
			keys = append(keys, cell.Spec.Key)
		}
		err := s.retryWhileBusy(context.WithoutCancel(ctx), func() error {
			return s.DB.Withdraw(context.WithoutCancel(ctx), keys)
		})
		if err != nil {
			return err
		}
		out.Withdrawn += len(c.Cells)
	}
	s.Tell(CheckedWorkers(checks))
	return failed // what was found before counts
}

// checkState computes cells again in new processes. It stores whether their methods depend on earlier cells.
func (s *Session) checkState(ctx context.Context, stop <-chan struct{}, cells []verify.Sampled, memory int64) error {
	if len(cells) == 0 {
		return nil
	}
	s.Tell(CheckingState(cells))
	fresh := func(alone bool) (runner.Runner, func()) { return s.Cells(0, alone) }
	checks, unchecked, err := verify.State(ctx, verify.Longest, fresh, cells, stop, memory, s.DB)
	if err != nil {
		return err
	}
	if len(unchecked) > 0 {
		s.Tell(UncheckedState(unchecked))
	}
	ctx = context.WithoutCancel(ctx)
	return s.retryWhileBusy(ctx, func() error { return s.DB.PutStateChecks(ctx, checks) })
}
