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

// A Session runs requests of an experiment and keeps what comes out in a database.
type Session struct {
	Experiment *plan.Experiment
	DB         *store.DB

	// Cells returns what runs cells, each within timeout (0 for any time), and how to end it; alone asks for a new process
	// for each cell, where there can be one.
	Cells func(timeout time.Duration, alone bool) (run runner.Runner, end func())
}

// A Request says what to run and how.
type Request struct {
	plan.Request
	Jobs   int           // cells at a time
	Budget time.Duration // wall time of the whole run; 0 for any
}

// Events hears what a session comes to, in this order, one call at a time; an error ends the session before a cell starts.
type Events interface {
	// Waits: another program holds the database. It is said now and then while that lasts.
	Waits(err error)
	// ChangedData: cells under the name of a set are stored of other data than today's.
	ChangedData(was store.DataName, now string)
	// CheckingCode: a cell of each of these methods is run again, since the code changed or the results are imported.
	CheckingCode(methods []string, imported bool)
	// CheckedCode: what came of it, and what was known before.
	CheckedCode(verify.CodeReport)
	// Planned: what is to be run.
	Planned(*plan.Plan, plan.Prediction, schedule.Options) error
	// Begins: cells start. Closing the channel that it returns lets running cells finish and starts no more.
	Begins(Control) <-chan struct{}
	// Trouble: results cannot be stored for now, or can again.
	Trouble(store.Trouble)
	// Progress: a cell started, ended here, or was ended by another run (its run is nil), or other runs are waited for.
	Started(*plan.Cell)
	Finished(*plan.Cell, *result.Run, result.Status)
	Waiting(cells int, by string)
	// Ended: no cell runs any more, and what could be stored is.
	Ended()
	// CheckingState: a cell of each of these methods is run once more in a new process.
	CheckingState(methods []string)
}

// Control ends a run before it is over.
type Control struct {
	Cancel  func()     // running cells, without a result
	Waiting func() int // finished cells that cannot be stored for now
	Abandon func()     // gives those up
}

// A Report is what a session came to.
type Report struct {
	Plan     *plan.Plan
	Outcome  schedule.Outcome
	Findings []store.Finding // what speaks against the methods of the plan, found now and before
}

// Run plans a request, runs what is not stored, and stores it. A cell is stored whole when it ends, so that a run that was stopped
// or killed is continued by the same request. Results that could not be stored are a [store.LostError], and do not count in
// the report.
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
	if err := events.Planned(todo, todo.Predict(opt.Jobs, opt.Budget), opt); err != nil {
		return Report{}, err
	}
	err = store.Patiently(ctx, events.Waits, func() error {
		if err := s.DB.NoteSkipped(ctx, notes(todo.Skipped), notesOf(todo.Cells)); err != nil {
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

// Plan works out what a request comes to, with what a database knows of cells and times; db may be nil.
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
	return e.Plan(ctx, req, known, plan.NewForecast(timings))
}

// A StoredError is one of what is stored, not of a request.
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
			end() // what is idle may be what holds the database
		}
		events.Trouble(t)
	}
	stop = events.Begins(Control{Cancel: cancel, Waiting: w.Waiting, Abandon: w.Abandon})
	claims, err := s.DB.NewClaims()
	if err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	defer claims.Close() // when everything is stored
	ended = &verify.Ended{}
	opt.Ready, opt.Claims, opt.Started, opt.Waiting = w.Ready, claims, events.Started, events.Waiting
	opt.Finished = func(c *plan.Cell, r result.Run) {
		ended.Add(s.Experiment, c, r)
		events.Finished(c, &r, r.Status)
	}
	opt.Elsewhere = func(c *plan.Cell, status result.Status) { events.Finished(c, nil, status) }
	out.Outcome, err = schedule.Run(ctx, run, stop, out.Plan.Cells, opt, w.Put)
	stored := w.Close()
	events.Ended()
	if stored == nil && len(out.Outcome.Skipped) > 0 {
		stored = s.DB.NoteSkipped(context.WithoutCancel(caller), notes(out.Outcome.Skipped), nil)
	}
	var lost *store.LostError
	if errors.As(stored, &lost) { // it says more than the error that the first cell met
		out.Outcome.OK -= lost.OK
		out.Outcome.Failed -= lost.Count - lost.OK
		return nil, nil, stored
	}
	if err == nil {
		err = stored
	}
	return stop, ended, err
}

// changedData tells of the sets of a plan of which cells of other data are stored.
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
	run, end := s.Cells(0, false) // a cell that is compared is not to fail by a limit
	defer end()
	report, err := verify.Code(ctx, s.Experiment, s.DB, run, req, opt, events.CheckingCode)
	if err != nil {
		return &StoredError{err}
	}
	events.CheckedCode(report)
	return store.Patiently(ctx, events.Waits, func() error { return s.DB.PutCodeChecks(ctx, report.Checked) })
}

// checkState computes cells once more, each alone in a new process, and stores what that shows of the state of their methods.
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

// notes are what the database keeps of cells that are skipped.
func notes(skipped []plan.Skipped) []store.Skipped {
	var out []store.Skipped
	for _, l := range skipped {
		out = append(out, l.Note())
	}
	return out
}

// notesOf names cells that are not skipped.
func notesOf(cells []*plan.Cell) []store.Skipped {
	var out []store.Skipped
	for _, c := range cells {
		out = append(out, plan.Skipped{Cell: c}.Note())
	}
	return out
}
