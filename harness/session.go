package harness

import (
	"context"
	"errors"
	"maps"
	"slices"
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

	// Remote runs cells of the plan on other machines; nil for none. Checks run here.
	Remote schedule.Remote
}

// A Request says which cells to run and how.
type Request struct {
	plan.Request
	Jobs   int           // cells at a time here
	Budget time.Duration // wall time of the whole run; 0 for any time
}

// Events hears what happens in a session, in the order of its methods and one call at a time. An error ends
// the session before a cell starts.
type Events interface {
	// Waits: another program holds the database. Waits is called now and then while this lasts.
	Waits(err error)
	// ChangedData: cells of a data set are stored that belong to other data than today's.
	ChangedData(was store.DataName, now string)
	// CheckingCode: one stored cell of each of these methods is run again, since the method's code changed or its
	// results are imported.
	CheckingCode(methods []string, imported bool)
	// CheckedCode: the result of these checks and of earlier ones.
	CheckedCode(verify.CodeReport)
	// Planned: the plan is made.
	Planned(*plan.Plan, plan.Prediction, schedule.Options) error
	// Begins: cells start. Once the returned channel is closed, running cells finish and no more start.
	Begins(Control) <-chan struct{}
	// Trouble: results cannot be stored at present, or can be stored again.
	Trouble(store.Trouble)
	// The next four tell progress. Finished: a cell ended, here or in another run (then the result is nil). Waiting: only
	// cells of other runs are left. Unplaced: no machine takes some cells; such is the one that needs the most memory.
	Started(*plan.Cell)
	Finished(*plan.Cell, *result.Run, result.Status)
	Waiting(cells int, by string)
	Unplaced(cells int, such *plan.Cell)
	// Ended: no cell is running any more, and all results that could be stored are stored.
	Ended()
	// CheckingState: one cell of each of these methods is run once more in a new process.
	CheckingState(methods []string)
}

// Control ends a run early.
type Control struct {
	Cancel  func()     // ends running cells; they have no result
	Waiting func() int // the number of finished cells that cannot be stored at present
	Abandon func()     // gives these results up
}

// A Report is the outcome of a session.
type Report struct {
	Plan     *plan.Plan
	Outcome  schedule.Outcome
	Findings []store.Finding // all findings against the methods of the plan, new and old
}

// Run plans a request, runs the cells that are not stored, and stores them. A cell is stored whole when it
// ends, so that the same request continues a run that was stopped or killed. Results that could not be stored
// are a [store.LostError], and the report does not count them.
func (s *Session) Run(ctx context.Context, req Request, events Events) (Report, error) {
	err := store.Patiently(ctx, events.Waits, func() (err error) {
		req.Secret, err = s.DB.Secret(ctx)
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
	if err := s.changedData(ctx, todo, events); err != nil {
		return Report{}, err
	}
	if err := s.checkCode(ctx, req.Request, opt, events); err != nil {
		return Report{}, err
	}
	opt.Remote = s.Remote
	if err := events.Planned(todo, todo.Predict(opt.Places(), opt.Budget), opt); err != nil {
		return Report{}, err
	}
	err = store.Patiently(ctx, events.Waits, func() error {
		if err := s.DB.NoteSkipped(ctx, todo.Excluded, names(todo.Cells)); err != nil {
			return err
		}
		return s.DB.MakeCurrent(ctx, todo.Revive)
	})
	if err != nil {
		return Report{}, err
	}
	out := Report{Plan: todo}
	stop, ended, err := s.cells(ctx, req, opt, &out, events)
	if err != nil {
		return out, err
	}
	if !out.Outcome.Interrupted {
		if err := s.checkState(ctx, stop, ended.Sample(), opt, events); err != nil {
			return out, err
		}
	}
	out.Findings, err = s.DB.Findings(context.WithoutCancel(ctx), s.Experiment.Protocol.Name)
	out.Findings = slices.DeleteFunc(out.Findings, func(f store.Finding) bool { return todo.Versions[f.Method] != f.MethodVersion })
	return out, err
}

// Plan plans a request with the cells and times that a database holds; db may be nil.
func Plan(ctx context.Context, e *plan.Experiment, req plan.Request, db *store.DB) (*plan.Plan, error) {
	known := map[string]store.Known{}
	var timings []store.Timing
	if db != nil {
		cells, err1 := db.Keys(ctx)
		canaries, err2 := db.Canaries(ctx)
		measured, err3 := db.Timings(ctx, environment.Current())
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, &StoredError{err}
		}
		maps.Copy(known, cells)
		maps.Copy(known, canaries)
		timings = measured
	}
	var guessed []string
	for _, spec := range e.Registry.All() {
		if !spec.DeclaresCost() {
			guessed = append(guessed, spec.Name)
		}
	}
	return e.Plan(ctx, req, known, plan.NewForecast(timings, guessed...))
}

// A StoredError is an error of stored data, not of a request.
type StoredError struct{ Err error }

func (e *StoredError) Error() string { return e.Err.Error() }
func (e *StoredError) Unwrap() error { return e.Err }

// cells runs the cells of a plan and stores them.
func (s *Session) cells(caller context.Context, req Request, opt schedule.Options, out *Report, events Events) (stop <-chan struct{}, ended *verify.Ended, err error) {
	ctx, cancel := context.WithCancel(caller)
	defer cancel()
	run, end := s.Cells(req.Timeout, false)
	defer end()
	w := s.DB.NewWriter(environment.Current(), nil)
	w.Trouble = func(t store.Trouble) {
		if t.Err != nil {
			end() // an idle worker may be what holds the database
		}
		events.Trouble(t)
	}
	stop = events.Begins(Control{Cancel: cancel, Waiting: w.Waiting, Abandon: w.Abandon})
	claims, err := s.DB.NewClaims()
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	defer claims.Close() // after everything is stored
	ended = &verify.Ended{}
	opt.Ready, opt.Claims, opt.Started, opt.Waiting, opt.Unplaced = w.Ready, claims, events.Started, events.Waiting, events.Unplaced
	opt.Finished = func(c *plan.Cell, r result.Run) {
		ended.Add(s.Experiment, c, r)
		events.Finished(c, &r, r.Status)
	}
	opt.Elsewhere = func(c *plan.Cell, status result.Status) { events.Finished(c, nil, status) }
	opt = show(claims, out.Plan, opt)
	out.Outcome, err = schedule.Run(ctx, run, stop, out.Plan.Cells, opt, w.Put)
	stored := w.Close()
	events.Ended()
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
func (s *Session) changedData(ctx context.Context, todo *plan.Plan, events Events) error {
	names, err := s.DB.DataNames(ctx)
	if err != nil {
		return &StoredError{err}
	}
	for _, n := range names {
		if now, planned := todo.Data[n.Dataset]; planned && n.Fingerprint != now {
			events.ChangedData(n, now)
		}
	}
	return nil
}

// checkCode compares the code of the request's methods with that of their stored results.
func (s *Session) checkCode(ctx context.Context, req plan.Request, opt schedule.Options, events Events) error {
	run, end := s.Cells(0, false) // a time limit must not make a compared cell fail
	defer end()
	report, err := verify.Code(ctx, s.Experiment, s.DB, run, req, opt, events.CheckingCode)
	if err != nil {
		return &StoredError{err}
	}
	events.CheckedCode(report)
	return store.Patiently(ctx, events.Waits, func() error { return s.DB.PutCodeChecks(ctx, report.Checked) })
}

// checkState computes cells once more, each alone in a new process. It stores whether their methods depend on
// earlier cells.
func (s *Session) checkState(ctx context.Context, stop <-chan struct{}, cells []*plan.Cell, opt schedule.Options, events Events) error {
	if len(cells) == 0 {
		return nil
	}
	var methods []string
	for _, c := range cells {
		methods = append(methods, c.Method)
	}
	events.CheckingState(methods)
	fresh := func() (runner.Runner, func()) { return s.Cells(0, true) }
	checks, err := verify.State(ctx, fresh, cells, stop, opt.Limits.Memory, s.DB)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	return store.Patiently(ctx, events.Waits, func() error { return s.DB.PutStateChecks(ctx, checks) })
}

// names returns the names of cells in the form that the database compares with its notes.
func names(cells []*plan.Cell) []result.Exclusion {
	var out []result.Exclusion
	for _, c := range cells {
		out = append(out, c.Excluded(result.Why{}))
	}
	return out
}
