package cmd

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/harmless"
	"github.com/kernelboosting/bench/internal/sandbox"
	"github.com/kernelboosting/bench/internal/span"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
)

type runFlags struct {
	all      bool
	methods  []string
	datasets []string
	splits   string
	protocol string
	jobs     int
	dryRun   bool
	explain  bool
	retry    bool
	keep     string
	timeout  time.Duration
	budget   time.Duration
	maxCell  time.Duration
	yes      bool
	format   string
	rerun    []string
	isolate  isolation
}

// defaultMaxCell skips what would keep a run from ending within a day or so.
const defaultMaxCell = 30 * time.Minute

func newRunCommand(a *app) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [--all | --methods A,B --datasets x,y]",
		Short: "Run methods on data sets under a protocol and store every evaluation",
		Long: `run plans the cells asked for (protocol, data set, split, method), passes over
those already stored, and runs the rest in parallel: first one split of every
method on every set, so that a whole table stands early, then the others, heaviest
first. A cell is stored whole when it ends, so a run that was stopped or killed is
continued by the same command. The first Ctrl-C lets running cells finish, the
second stops. Several runs on one database share the work: a cell that another is
at is left to it, and taken up at the end if it did not come.

Cells of methods that are not this program's own are run in worker processes, so
that a crash, an exit or a leak of memory costs one cell: its row says timeout, oom,
crash, bad-output or error. --isolate does so for every method, --isolate=false for
none but the cells that an earlier run died of. At the limits of --timeout and
--memory a worker ends with everything that it started.

Of such a method one further cell is computed for each set, a canary: a method that
is right although the training labels contradict the truth is named as a leak, and
one whose cell comes out otherwise in a new process as state (docs/evidence.md).
A cell that the program died of comes last, alone, and is a row if it dies of it again.

A cell that is predicted to take longer than --max-cell, or more than --memory, is
skipped; the run, its last line and every table say so. A run of more than a day
asks first, or needs --yes. Predictions come from the methods' declared costs and
from the cells that this machine has stored: --dry-run shows them.

Data sets are names of the catalogue or paths of TOML files that describe your
own (docs/datasets.md). Without --methods or --datasets: every method that solves
the task, the protocol's sets whose data is here. The results are the same bits
for any --jobs.`,
		Example: `  bench run --all                                  the protocol's 20 splits of everything
  bench run --all --splits 3 --budget 7m           what fits 7 minutes, cheapest sets first
  bench run --methods GBRFF2,CART --datasets wine,sonar --splits 1-5
  bench run --methods GBRFF2 --datasets ./mydata.toml --dry-run`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return a.run(c.Context(), f) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.all, "all", false, "every method on every set of the protocol")
	flags.StringSliceVar(&f.methods, "methods", nil, "methods, by name")
	flags.StringSliceVar(&f.datasets, "datasets", nil, "data sets, by name or as TOML files")
	flags.StringVar(&f.splits, "splits", "", `20 for the first 20, 4-6 for a range, "5,7" for a list (default all of the protocol)`)
	flags.StringVar(&f.protocol, "protocol", "table2", "protocol: "+strings.Join(protocol.Names(), ", ")+", or a TOML file")
	flags.IntVar(&f.jobs, "jobs", runtime.NumCPU(), "cells to run at a time")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and the predicted times, run nothing")
	flags.StringVar(&f.format, "format", "table", "with --dry-run: "+strings.Join(listingFormats, ", "))
	flags.BoolVar(&f.explain, "explain", false, "with --dry-run: say for each cell why it is to be run")
	flags.BoolVar(&f.retry, "retry", false, "run again cells that failed or timed out")
	rerunFlag(a, c, &f.rerun)
	flags.StringVar(&f.keep, "keep", string(runner.KeepScores), "what to keep beside the counts: scores of the test rows, models too, or none")
	flags.DurationVar(&f.timeout, "timeout", 0, "limit for one cell, e.g. 10m (default none)")
	isolateFlag(c, &f.isolate)
	flags.DurationVar(&f.maxCell, "max-cell", defaultMaxCell, "skip cells that are predicted to take longer on one core; 0 for none")
	flags.BoolVar(&f.yes, "yes", false, "start without asking, however long it takes, and plugins that are not known")
	permissionFlags(a, c)
	flags.DurationVar(&f.budget, "budget", 0, "wall time for the whole run: sets are taken in order of predicted cost as long as they fit")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(listingFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = c.RegisterFlagCompletionFunc("methods", listCompletion(a.reg.Names()))
	_ = c.RegisterFlagCompletionFunc("datasets", listCompletion(a.sets.Names()))
	_ = c.RegisterFlagCompletionFunc("protocol", cobra.FixedCompletions(protocol.Names(), cobra.ShellCompDirectiveDefault))
	return c
}

func (a *app) run(ctx context.Context, f runFlags) error {
	if f.all && (f.methods != nil || f.datasets != nil) {
		return usage("--all means every method and every set of the protocol; leave it out beside --methods or --datasets")
	}
	if !f.all && f.methods == nil && f.datasets == nil {
		return usage("nothing is asked for; use --all, or --methods and --datasets")
	}
	if f.methods != nil && len(f.methods) == 0 || f.datasets != nil && len(f.datasets) == 0 {
		return usage("--methods or --datasets is given and empty; name at least one")
	}
	if f.jobs < 1 {
		return usage("--jobs %d: at least one cell must run at a time", f.jobs)
	}
	if f.timeout < 0 || f.budget < 0 || f.maxCell < 0 {
		return usage("--timeout, --budget and --max-cell must not be negative")
	}
	if f.format != "table" && !f.dryRun {
		return usage("--format %s is of the plan that --dry-run prints; add --dry-run", f.format)
	}
	if !f.dryRun {
		if err := a.askPlugins(ctx, f); err != nil {
			return err
		}
	}
	h, err := a.harness(f.protocol)
	if err != nil {
		return err
	}
	h.Keep = runner.Keep(f.keep)
	if !slices.Contains(keeps, h.Keep) {
		return usage("--keep %q is not one of %s, %s, %s", f.keep, keeps[0], keeps[1], keeps[2])
	}
	req, err := a.request(h, f)
	if err == nil {
		err = a.rerun(h, &req, f.rerun)
	}
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.dryRun(ctx, h, req, f)
	}
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	err = store.Patiently(ctx, a.waits, func() (err error) {
		req.Secret, err = db.Secret(ctx)
		return err
	})
	if err != nil {
		return unreadable(err)
	}
	plan, err := a.plan(ctx, h, req, db)
	if err != nil {
		return err
	}
	opt := harness.Options{Jobs: f.jobs, Limits: req.Limits, Budget: f.budget, Forecast: plan.Forecast}
	if err := a.noteChangedData(ctx, db, plan); err != nil {
		return err
	}
	checker, apart := a.cells(0, f.isolate) // a cell that is compared is not to fail by a limit
	err = a.noteChangedCode(ctx, h, db, req, opt, checker)
	if apart.Close(); err != nil {
		return err
	}
	prediction := plan.Predict(opt.Jobs, opt.Budget)
	a.announce(plan, prediction, opt)
	if err := a.confirm(prediction, f.yes); err != nil {
		return err
	}
	err = store.Patiently(ctx, a.waits, func() error {
		if err := db.NoteSkipped(ctx, skipped(plan.Skipped), taken(plan.Cells)); err != nil {
			return err
		}
		return db.MakeCurrent(ctx, plan.Revive)
	})
	if err != nil {
		return err
	}
	defer collectWithin(a.memory)()
	cells, apart := a.cells(f.timeout, f.isolate)
	defer apart.Close()
	a.noteSandbox(h, plan, f.isolate)
	return a.execute(ctx, h, cells, apart, plan, db, opt)
}

// collectWithin makes the garbage of fits that have ended give way before the program
// outgrows what --memory admits, and returns what undoes it. GOMEMLIMIT may ask for less.
func collectWithin(memory int64) (undo func()) {
	const program = 64 << 20 // beside the cells: code, data sets, the database's buffers
	before := debug.SetMemoryLimit(-1)
	if memory > 0 {
		debug.SetMemoryLimit(min(before, memory+program))
	}
	return func() { debug.SetMemoryLimit(before) }
}

// request turns flags into names that exist.
func (a *app) request(h *harness.Harness, f runFlags) (harness.Request, error) {
	req := harness.Request{Methods: f.methods, Retry: f.retry, Timeout: f.timeout, Limits: harness.Limits{MaxCell: f.maxCell, Memory: a.memory}}
	for i, m := range f.methods {
		f.methods[i] = strings.TrimSpace(m)
		if _, err := h.Registry.Lookup(f.methods[i]); err != nil {
			return req, exitError{exitUsage, err}
		}
	}
	for _, name := range f.datasets {
		e, err := a.set(strings.TrimSpace(name))
		if err != nil {
			return req, err
		}
		req.Datasets = append(req.Datasets, e.Name)
	}
	var err error
	splits := f.splits
	if splits == "" {
		splits = strconv.Itoa(h.Protocol.Splits)
	}
	if req.Splits, err = harness.ParseSplits(splits); err != nil {
		return req, usage("--splits: %w", err)
	}
	if f.all {
		req.Datasets = a.allSets(h)
	}
	return req, nil
}

// allSets is the protocol's list; where data is missing, the sets that the program can make
// itself are added, so that there is something to see, but for an experiment with certain methods.
func (a *app) allSets(h *harness.Harness) []string {
	names := slices.Clone(h.Protocol.Datasets)
	missing := slices.ContainsFunc(names, func(n string) bool {
		e, err := a.sets.Lookup(n)
		if err != nil {
			return false // planning reports it
		}
		state, _ := h.Data.State(e)
		return state == datasets.Missing
	})
	if missing && !h.Protocol.Only {
		for _, e := range a.sets.All() {
			if e.Generated && e.VariantOf == "" && e.Channels == nil && !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// noteSandbox says once what of other modules' methods is not kept within limits.
func (a *app) noteSandbox(h *harness.Harness, plan *harness.Plan, how isolation) {
	var foreign []string
	for _, c := range plan.Cells {
		if spec, err := h.Registry.Lookup(c.Spec.Cell.Method); err == nil && runner.Foreign(spec) && !slices.Contains(foreign, spec.Name) {
			foreign = append(foreign, spec.Name)
		}
	}
	missing := sandbox.Missing()
	if how.given && !how.value {
		missing = "a method in Go runs in this program itself and may do what you may (--isolate=false)"
	}
	if foreign != nil && missing != "" {
		fmt.Fprintf(a.err, "%s: %s\n", strings.Join(foreign, ", "), missing)
	}
}

func (a *app) execute(ctx context.Context, h *harness.Harness, cells runner.Runner, apart *runner.Workers, plan *harness.Plan, db *store.DB, opt harness.Options) error {
	ended, end := context.WithCancel(ctx) // of the whole run, results that wait included
	defer end()
	ctx, cancel := context.WithCancel(ctx) // of its cells
	defer cancel()
	bar := newProgress(a.screen, plan, opt, h.Protocol.Semantics.Metric)
	w := db.NewWriter(harness.CurrentEnvironment(), nil)
	w.Trouble = func(t store.Trouble) {
		if t.Err != nil {
			apart.Close() // what is idle may be what holds the database
		}
		bar.note(a.troubleLine(t))
	}
	stop := a.handleSignals(ended, stopping{tell: bar.note, cancel: cancel, waiting: w.Waiting, abandon: w.Abandon})
	var over harness.Ended
	finished := func(c *harness.PlannedCell, r result.Run) {
		over.Add(h, c, r)
		bar.finished(c, r)
	}
	opt.Started, opt.Finished, opt.Ready = bar.started, finished, w.Ready
	opt.Elsewhere, opt.Waiting = bar.elsewhere, bar.waiting
	claims, err := db.NewClaims()
	if err != nil {
		return errors.Join(err, w.Close())
	}
	defer claims.Close() // when everything is stored
	opt.Claims = claims
	out, err := harness.Run(ctx, cells, stop, plan.Cells, opt, w.Put)
	closeErr := w.Close()
	bar.close()
	bar.failed.list(a.err, true)
	if closeErr == nil && len(out.Skipped) > 0 {
		closeErr = db.NoteSkipped(ended, skipped(out.Skipped), nil)
	}
	var lost *store.LostError
	if errors.As(closeErr, &lost) { // it says more than the error that the first cell met
		out.OK -= lost.OK
		out.Failed -= lost.Count - lost.OK
		code := exitIncomplete
		if e := (exitError{}); errors.As(a.conclude(plan, out), &e) && e.code == exitInterrupted {
			code = exitInterrupted
		}
		return exitError{code, closeErr}
	}
	if err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if !out.Interrupted {
		if err := a.checkState(ctx, db, stop, over.Sample()); err != nil {
			return err
		}
	}
	if err := a.noteFindings(ended, db, h.Protocol.Name, plan); err != nil {
		return err
	}
	return a.conclude(plan, out)
}

var keeps = []runner.Keep{runner.KeepScores, runner.KeepModels, runner.KeepNone}

// openToWrite opens the database and waits while another program keeps it from being
// opened: the cells of a plan are worth more than a prompt answer.
func (a *app) openToWrite(ctx context.Context) (*store.DB, error) {
	var db *store.DB
	err := store.Patiently(ctx, a.waits, func() (err error) {
		db, err = store.Open(ctx, a.db)
		return err
	})
	if err != nil {
		return nil, unreadable(err)
	}
	return db, nil
}

// waits says that another program holds the database.
func (a *app) waits(err error) {
	fmt.Fprintf(a.err, "waiting: %s (Ctrl-C ends)\n", harmless.Spelled(err.Error()))
}

// troubleLine says what became of results that could not be stored at once.
func (a *app) troubleLine(t store.Trouble) string {
	since := span.Seconds(time.Since(t.Since).Seconds())
	switch {
	case t.Err == nil:
		return fmt.Sprintf("%s: stored what had waited for %s (%s)", a.db, since, plural(t.Waiting, "result"))
	case t.Holds:
		return fmt.Sprintf("%s: %v; for %s now, %s in memory; no further cells start until they are stored", a.db, t.Err, since, plural(t.Waiting, "result"))
	}
	return fmt.Sprintf("%s: %v; computing goes on and results wait in memory", a.db, t.Err)
}

// noteNoData names the sets whose files are not here, and the command that gets them.
func (a *app) noteNoData(plan *harness.Plan) {
	if len(plan.NoData) == 0 {
		return
	}
	args := append([]string{"bench", "data", "fetch"}, plan.NoData...)
	if a.data != "" {
		args = append(args, "--data", a.data)
	}
	fmt.Fprintf(a.err, "no data for %s; get it with `%s`\n", strings.Join(plan.NoData, ", "), frame.CommandLine(args...))
}

// conclude prints the last line and chooses the exit code.
func (a *app) conclude(plan *harness.Plan, out harness.Outcome) error {
	done, asked := plan.Stored+out.OK, plan.Requested
	fmt.Fprintf(a.err, "complete %d/%d", done, asked)
	if failed := plan.Failed + out.Failed; failed > 0 {
		fmt.Fprintf(a.err, "; %d failed (`bench query \"SELECT method, dataset, split, status, error FROM results WHERE status <> 'ok'\"`; --retry runs them again)", failed)
	}
	if out.Elsewhere > 0 {
		fmt.Fprintf(a.err, "; %d of them by another run", out.Elsewhere)
	}
	if len(plan.NoData) > 0 {
		fmt.Fprintf(a.err, "; missing data: %s", strings.Join(plan.NoData, ", "))
	}
	if left := slices.Concat(plan.Skipped, out.Skipped); len(left) > 0 {
		fmt.Fprintf(a.err, "; skipped: %s", sumSkipped(left))
	}
	if len(out.NoBudget) > 0 {
		fmt.Fprintf(a.err, "; skipped by --budget: %s", strings.Join(out.NoBudget, ", "))
	}
	if out.NotStarted > 0 {
		fmt.Fprintf(a.err, "; %d not run: the same command continues", out.NotStarted)
	}
	fmt.Fprintln(a.err)
	switch {
	case out.Interrupted:
		return exitError{code: exitInterrupted}
	case done < asked:
		return exitError{code: exitIncomplete}
	}
	return nil
}
