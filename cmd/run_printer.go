package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/wording"
)

// runPrinter prints what happens in a run.
type runPrinter struct {
	app        *app
	ctx        context.Context // of the whole run, including the time in which results wait to be stored
	experiment *plan.Experiment
	flags      runFlags
	bar        *progress
	again      bool // the run is one that was confirmed, without what was withdrawn

	mu      sync.Mutex
	waiting []string  // messages of workers from before the bar existed
	shown   *progress // the bar while cells run
}

// worker prints a message of a worker. Any goroutine may call it.
func (r *runPrinter) worker(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	if r.shown == nil {
		r.waiting = append(r.waiting, line)
		return
	}
	r.shown.note(line)
}

// show prints the messages of workers so far, and sends later ones to bar.
func (r *runPrinter) show(bar *progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = bar
	if bar != nil {
		for _, line := range r.waiting {
			bar.note(line)
		}
		r.waiting = nil
	}
}

// confirm announces the plan, and asks before a long run.
func (r *runPrinter) confirm(todo *plan.Plan, p plan.Prediction, opt schedule.Options) error {
	announce(r.app, todo, p, opt)
	if r.again { // what was agreed to runs once more
		return nil
	}
	return confirmLong(r.app, p)
}

func (r *runPrinter) handle(event harness.Event) {
	say := r.app.say
	switch e := event.(type) {
	case harness.Waits:
		r.app.err.waits(e.Err)
	case harness.ChangedData:
		say("%s changed: %s stored under this name of data %.8s, it is %.8s now; status and reports leave them out",
			e.Was.Dataset, counted(e.Was.Cells, "cell", "is", "are"), e.Was.Fingerprint, e.Now)
	case harness.Begins:
		r.app.err.noteSandbox(r.experiment, e.Plan, r.flags.isolate)
		r.bar = newProgress(r.app.err.To, e.Progress.Now, r.experiment.Protocol.Semantics.Metric)
		r.show(r.bar)
		handleSignals(r.ctx, r.app, stopping{r.bar.note,
			"stopping: running cells finish and are stored; interrupt again to stop at once", e.Control})
	case store.Trouble:
		r.bar.note(troubleLine(r.app, e))
	case schedule.Event:
		r.bar.handle(e)
	case harness.Ended:
		r.show(nil)
		r.bar.close()
		r.bar.failed.list(r.app.err, true)
	case harness.CheckingState:
		printState(say, e)
	case harness.CheckingWorkers:
		say("computing a part of what workers computed once more here")
	case harness.CheckedWorkers:
		for _, c := range e {
			say("%s", workerLine(c))
		}
	case harness.UncheckedState:
		say("not known whether what ran before matters, since the check took too long or did not end ok: %s",
			strings.Join(cellNames(e), ", "))
	}
}

// workerLine says what was compared of a worker's cells, and what that finds.
func workerLine(c verify.WorkerCheck) string {
	line := fmt.Sprintf("%s: %d of %s computed again", c.Worker, c.Checked, plural(c.Comparable, "comparable cell"))
	switch {
	case c.Differs != nil:
		cells := counted(len(c.Cells), "cell", "is", "are")
		return fmt.Sprintf("%s; %s; %s withdrawn and run again", line, c.Why(), cells)
	case c.Checked == 0:
		return line + "; nothing is known of it"
	case c.Checked == c.Comparable:
		return line + ", none differs"
	}
	return fmt.Sprintf("%s, none differs; %.2g %% forged ones would have been found with 99 %%", line, 100*c.Finds())
}

// printState says which cells are computed again, and how long that may take.
func printState(say func(format string, a ...any), cells []verify.Sampled) {
	var methods, repeated []string
	var seconds float64
	for _, c := range cells {
		if c.Before == nil {
			methods = append(methods, c.Method)
			continue
		}
		repeated = append(repeated, c.Method+" on "+c.Dataset)
		seconds += c.Seconds
	}
	if methods != nil {
		say("computing a cell once more in a new process, to see whether what ran before matters, of %s",
			strings.Join(methods, ", "))
	}
	if repeated != nil {
		say("computing a cell up to %d times in new processes, to see the same of methods that are not "+
			"deterministic: %s (at most %s of cells; the check ends after %v)",
			2*verify.Repeats, strings.Join(repeated, ", "), wording.Seconds(seconds), verify.Longest)
	}
}

func cellNames(cells []verify.Sampled) (out []string) {
	for _, c := range cells {
		out = append(out, c.Method+" on "+c.Dataset)
	}
	return out
}

// noteSandbox says once what of other modules' methods is not kept within limits.
func (m *messages) noteSandbox(exp *plan.Experiment, plan *plan.Plan, how isolation) {
	var foreign []string
	for _, c := range plan.Cells {
		if spec, err := exp.Registry.Lookup(c.Spec.Cell.Method); err == nil && spec.Foreign() &&
			!slices.Contains(foreign, spec.Name) {
			foreign = append(foreign, spec.Name)
		}
	}
	missing := cmp.Or(sandbox.Missing(), sandbox.Weaker())
	if how.given && !how.value {
		missing = "a method in Go runs in this program itself and may do what you may (--isolate=false)"
	}
	if foreign != nil && missing != "" {
		m.say("%s: %s", strings.Join(foreign, ", "), missing)
	}
}

// waits says that another program holds the database.
func (m *messages) waits(err error) {
	m.say("waiting: %s (Ctrl-C ends)", wording.Spelled(err.Error()))
}

// troubleLine says what happened to results that could not be stored at once.
func troubleLine(a *app, t store.Trouble) string {
	since := wording.Seconds(time.Since(t.Since).Seconds())
	switch {
	case t.Err == nil:
		return fmt.Sprintf("%s: stored what had waited for %s (%s)", a.db, since, plural(t.Waiting, "result"))
	case t.Holds:
		return fmt.Sprintf("%s: %v; for %s now, %s in memory; no further cells start until they are stored", a.db,
			t.Err, since, plural(t.Waiting, "result"))
	}
	return fmt.Sprintf("%s: %v; computing goes on and results wait in memory", a.db, t.Err)
}

// printFindings prints a line a method and kind of finding.
func (m *messages) printFindings(findings []store.Finding) {
	for _, line := range store.Describe(findings) {
		fmt.Fprintln(m, line)
	}
}

// concludeRun prints the outcome of a run, and chooses the exit code.
func concludeRun(a *app, report harness.Report, err error) error {
	var lost *store.LostError
	var stored *harness.StoredError
	var overlap *store.OverlapError
	switch {
	case errors.As(err, &lost):
		code := exitIncomplete
		if e := (exitError{}); errors.As(a.err.lastLine(report.Plan, report.Outcome), &e) && e.code == exitInterrupted {
			code = exitInterrupted
		}
		return exitError{code, err}
	case errors.As(err, &stored):
		return databaseError(stored.Err)
	case errors.As(err, &overlap):
		return usage("%v, which is under way on %s: %s", overlap, a.db, instead(overlap.Run))
	case err != nil && report.Plan == nil:
		return usageError(err)
	case err != nil:
		return err
	}
	a.err.printFindings(report.Findings)
	switch n := report.Outcome.Canaries; {
	case report.Findings != nil || n == 0:
	case n == 1:
		a.say("the canary shows no method that knows labels which it was not given")
	default:
		a.say("none of %d canaries shows a method that knows labels which it was not given", n)
	}
	return a.err.lastLine(report.Plan, report.Outcome)
}

// instead says what to do instead of a run whose cells another run has.
func instead(of store.Progress) string {
	if of.Join != "" {
		return "add a worker to it: " + of.Join
	}
	return "wait until it has ended, ask for other cells, or interrupt it and start it with --listen HOST:PORT, so " +
		"that `bench worker` can help"
}

// lastLine prints the last line and chooses the exit code.
func (m *messages) lastLine(plan *plan.Plan, out schedule.Outcome) error {
	done, asked := plan.Stored+out.OK, plan.Requested
	parts := []string{fmt.Sprintf("complete %d/%d", done, asked)}
	also := func(number int, format string) {
		if number > 0 {
			parts = append(parts, fmt.Sprintf(format, number))
		}
	}
	also(plan.Failed+out.Failed, "%d failed (`bench query \""+store.FailuresQuery+"\"`; --retry runs them again)")
	excluded := slices.DeleteFunc(slices.Concat(plan.Excluded, out.Excluded), func(e result.Exclusion) bool {
		return !e.Counted()
	})
	parts = append(parts, result.Explain(excluded)...)
	also(out.NotStarted, "%d not run: the same command continues")
	fmt.Fprintln(m, strings.Join(parts, "; "))
	switch {
	case out.Interrupted:
		return exitError{code: exitInterrupted}
	case done+len(result.OfKinds(out.Excluded, result.Decided)) < asked:
		return exitError{code: exitIncomplete}
	}
	return nil
}

// mostFailures bounds the different failures that are listed.
const mostFailures = 10

// failures collects cells that failed, grouped by method and text, in the order of the first failures.
type failures struct{ kinds []*failureKind }

// A failureKind is a group of cells of a method that failed with the same text.
type failureKind struct {
	method, status, text string
	datasets             []string
	cells                int
}

// add notes cells of a method on a set, and reports whether their failure is the first of its kind.
func (f *failures) add(method, dataset, status, text string, cells int) (first bool) {
	i := slices.IndexFunc(f.kinds, func(k *failureKind) bool {
		return k.method == method && k.status == status && k.text == text
	})
	if i < 0 {
		i = len(f.kinds)
		f.kinds = append(f.kinds, &failureKind{method: method, status: status, text: text})
	}
	k := f.kinds[i]
	if k.cells += cells; !slices.Contains(k.datasets, dataset) {
		k.datasets = append(k.datasets, dataset)
	}
	return k.cells == cells
}

// list writes a line for each kind. If whole is set, it also writes the further lines of the text, such as a traceback.
func (f *failures) list(w io.Writer, whole bool) {
	for i, k := range f.kinds {
		if i == mostFailures {
			fmt.Fprintf(w, "%s of other kinds; `bench query \"%s\"` has them\n",
				plural(len(f.kinds)-i, "failure"), store.FailuresQuery)
			return
		}
		lines := strings.Split(k.text, "\n")
		fmt.Fprintf(w, "%s of %s %s (%s): %s\n", plural(k.cells, "cell"), k.method, k.status, strings.Join(k.datasets,
			", "), wording.Spelled(lines[0]))
		for _, line := range lines[1:] {
			if whole {
				fmt.Fprintf(w, "    %s\n", wording.Spelled(line))
			}
		}
	}
}

// failedAs returns a status, with the class if that says more, such as "failed (crash)".
func failedAs(status result.Status, class result.Class) string {
	if status == result.Failed && class != "" && class != result.ClassError {
		return fmt.Sprintf("%s (%s)", status, class)
	}
	return string(status)
}
