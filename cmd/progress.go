package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"golang.org/x/term"
)

// lineEvery is the least time between progress lines without a terminal. The first and the last cell always have a
// line: the first one shows how long a method takes here.
const lineEvery = 10 * time.Second

// progress shows the progress of a run: in a pane of the terminal, elsewhere in plain lines.
type progress struct {
	out    io.Writer
	start  time.Time
	now    func() store.Progress
	cells  int
	metric string // of the protocol; "" for the task's usual metric

	mu    sync.Mutex // guards pane, label and over
	pane  pane
	label string
	over  bool

	ended    int       // cells
	last     time.Time // of the last line without a terminal
	failed   failures
	sided    map[string]bool // by "method on set": the note of metric.OneSided was printed
	suspects bool            // the user was told that an earlier run died in a cell
}

// drawEvery is the time between two drawings of the progress on a terminal.
const drawEvery = 200 * time.Millisecond

func newProgress(out io.Writer, now func() store.Progress, metric string) *progress {
	begun := time.Now()
	p := &progress{out: out, pane: newPane(out, out), start: begun, last: begun, now: now, cells: now().Planned,
		metric: metric, sided: map[string]bool{}}
	go func() {
		for p.draw("") {
			time.Sleep(drawEvery)
		}
	}()
	return p
}

// barWidth is the number of columns within the bar.
const barWidth = 16

// draw shows how far the run is, and said above that. It returns false where nothing is drawn: there is no terminal, no
// cell, or the run is over.
func (p *progress) draw(said string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cells == 0 || p.over {
		return false
	}
	return p.pane.draw(said, func(int) []string {
		seen := p.now()
		bar := strings.Repeat("=", barWidth*seen.Ended/p.cells)
		line := fmt.Sprintf("%d/%d cells [%-*s]%s", seen.Ended, p.cells, barWidth, bar, p.status(seen))
		return []string{line, underWay(seen)}
	})
}

// status is " 12s, about 3m40s left, wine GBRFF2". The time left is unknown where that of all its methods is.
func (p *progress) status(seen store.Progress) string {
	text := " " + wording.Seconds(time.Since(p.start).Seconds())
	left := max(0, time.Until(seen.Until).Seconds())
	switch {
	case seen.Ended == p.cells:
	case left == 0 && seen.Unknown != nil:
		text += ", time left unknown"
	default:
		text += fmt.Sprintf(", about %s left%s", wording.Seconds(left), without(seen.Unknown))
	}
	return text + p.label
}

// without names methods whose time is unknown, as in " without A, B"; it is empty if there are none.
func without(methods []string) string {
	if methods == nil {
		return ""
	}
	return " without " + wording.Few(methods, wording.MostNames)
}

const mostUnderWay = 8 // cells that the line of a run names; a worker takes many short ones at once

func underWay(seen store.Progress) string {
	var parts []string
	for _, c := range seen.Running {
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Name, wording.Seconds(time.Since(c.Since).Seconds())))
	}
	if more := len(parts) - mostUnderWay; more > 0 {
		parts = append(parts[:mostUnderWay], fmt.Sprintf("%d more", more))
	}
	return "now " + strings.Join(parts, "; ")
}

func (p *progress) handle(e schedule.Event) {
	switch e.Kind {
	case schedule.Started:
		if e.Cell.Spec.Suspect && !p.suspects {
			p.suspects = true
			p.note(fmt.Sprintf("a cell during which an earlier run ended is run in a process of its own: %s",
				e.Cell.Cell))
		}
	case schedule.Finished:
		p.finished(e.Cell, e.Run)
	case schedule.Unplaced:
		p.note(fmt.Sprintf("no worker takes %s, such as %s (%s): waiting for a worker with enough --memory that does "+
			"not refuse them",
			plural(e.Cells, "cell"), e.Cell, wording.Bytes(e.Cell.Spec.Memory)))
	}
}

func (p *progress) finished(c *plan.Cell, r result.Run) {
	name := c.Cell.String()
	if c.Spec.Canary != nil {
		name = "canary of " + name
	} else if r.Status == result.OK {
		name += p.testResult(r)
	}
	p.mu.Lock()
	p.label = ", " + name
	p.mu.Unlock()
	class, area, is := metric.OneSided(r.Score)
	if of := c.Cell.Method + " on " + c.Cell.Dataset; is && c.Foreign && c.Spec.Canary == nil && !p.sided[of] {
		p.sided[of] = true
		p.note(fmt.Sprintf("note: %s, split %d: "+oneSided, of, c.Cell.Split, class, 100*area))
	}
	if r.Status != result.OK && c.Spec.Canary == nil { // a failed canary is stored, but it is no result
		// further ones are counted at the end
		if p.failed.add(c.Cell.Method, c.Cell.Dataset, failedAs(r.Status, r.Class), r.Error, 1) {
			p.note(fmt.Sprintf("%s %s: %s", c.Cell, failedAs(r.Status, r.Class),
				wording.Spelled(wording.FirstLine(r.Error))))
		}
	}
	_, _, drawn := p.pane.size()
	if p.ended++; drawn || p.ended > 1 && p.ended < p.cells && time.Since(p.last) < lineEvery {
		return
	}
	p.last = time.Now()
	seen := p.now()
	line := fmt.Sprintf("%d/%d cells,%s", seen.Ended, p.cells, p.status(seen))
	if len(seen.Running) > 0 {
		line += "; " + underWay(seen)
	}
	fmt.Fprintln(p.out, line)
}

// oneSided is the note for a test that metric.OneSided finds.
const oneSided = "every row counts as class %s by the sign of its score, although the order of the scores separates " +
	"the classes (AUC %.1f %%); scores above 0 are for class +1, so take 1/2 from probabilities, 50 from percentages"

// testResult returns the test result by the metric that selects, such as ": 93.1 %" or ": rmse 0.482".
func (p *progress) testResult(r result.Run) string {
	task, err := registry.ParseTask(r.Task)
	if err != nil {
		return ""
	}
	m, err := metric.ForSelection(p.metric, task)
	if err != nil {
		return ""
	}
	value := m.Of(r.Score)
	if value == nil {
		return ""
	}
	v, _ := value.Float64()
	name := m.Name + " "
	if m.Name == "accuracy" {
		name = ""
	}
	if m.Percent {
		return fmt.Sprintf(": %s%.1f %%", name, 100*v)
	}
	return fmt.Sprintf(": %s%.3g", name, v)
}

func (p *progress) note(line string) {
	if line = wording.Spelled(line) + "\n"; !p.draw(line) {
		_, _ = io.WriteString(p.out, line)
	}
}

func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.pane.draw("", func(int) []string { return nil })
}

// runPrinter prints what happens in a run.
type runPrinter struct {
	app        *app
	ctx        context.Context // of the whole run, including the time in which results wait to be stored
	experiment *plan.Experiment
	flags      runOptions
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
	missing := sandbox.Missing()
	if how.given && !how.value {
		missing = "a method in Go runs in this program itself and may do what you may (--isolate=false)"
	}
	for _, text := range []string{missing, sandbox.Weaker()} {
		if foreign != nil && text != "" {
			m.say("%s: %s", strings.Join(foreign, ", "), text)
		}
	}
}

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
		if e := (exitError{}); errors.As(a.lastLine(report), &e) && e.code == exitInterrupted {
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
	return a.lastLine(report)
}

// instead says what to do instead of a run whose cells another run has.
func instead(of store.Progress) string {
	if of.Join != "" {
		return "add a worker to it: " + of.Join
	}
	return "wait until it has ended, ask for other cells, or interrupt it and start it with --listen HOST:PORT, so " +
		"that `bench worker` can help"
}

// lastLine prints how much of a run is complete and what is not, and returns the exit code.
func (a *app) lastLine(r harness.Report) error {
	todo, out := r.Plan, r.Outcome
	done, asked := todo.Stored+out.OK, todo.Requested
	parts := []string{fmt.Sprintf("complete %d/%d", done, asked)}
	replaces := func(c *plan.Cell) bool { return c.Spec.Replace }
	switch n := todo.Failed + out.Failed; {
	case n > 0 && slices.ContainsFunc(todo.Cells, replaces):
		parts = append(parts, fmt.Sprintf("%d failed (what was stored of them stays; --rerun runs them again)", n))
	case n > 0:
		parts = append(parts, fmt.Sprintf("%d failed (`%s`; --retry runs them again)", n,
			a.invocation("", "", 0).Other("query", store.FailuresQuery)))
	}
	excluded := slices.DeleteFunc(slices.Concat(todo.Excluded, out.Excluded), func(e result.Exclusion) bool {
		return !e.Counted()
	})
	parts = append(parts, result.Explain(excluded)...)
	if n := out.NotStarted - (canariesOf(todo.Cells) - out.Canaries); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not run: the same command continues", n))
	}
	fmt.Fprintln(a.err, strings.Join(parts, "; "))
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

// A pane is the last lines of a terminal, drawn again in place. No other code moves a terminal's cursor.
type pane struct {
	out    io.Writer
	size   func() (width, height int, ok bool) // of the terminal; ok is false if there is none
	widths []int                               // of the lines that are on the terminal now
}

// newPane returns the pane of the terminal behind w, which is written by out.
func newPane(w, out io.Writer) pane {
	return pane{out: out, size: func() (int, int, bool) {
		if os.Getenv("TERM") == "dumb" {
			return 0, 0, false
		}
		return terminalSize(w)
	}}
}

// terminalSize returns the columns and lines of the terminal behind w; ok is false if there is none.
func terminalSize(w io.Writer) (width, height int, ok bool) {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	return width, height, err == nil && width > 0 && height > 0
}

// draw puts lines, which are made for a width, in the place of those before, and said above them, where it stays. The
// first line is bold. It returns false and draws nothing where there is no terminal.
func (p *pane) draw(said string, lines func(width int) []string) bool {
	width, height, ok := p.size()
	if !ok {
		return false
	}
	drawn := lines(width - 1) // writing the last column moves the cursor on some terminals
	if room := max(2, height-1); len(drawn) > room {
		more := len(drawn) - room + 1
		drawn = append(drawn[:room-1], fmt.Sprintf("... %s; a higher window shows them", plural(more, "more line")))
	}
	up := 0
	for _, columns := range p.widths { // a line takes several lines now if the terminal became narrower
		up += 1 + max(0, columns-1)/width
	}
	var b strings.Builder
	if up > 0 {
		fmt.Fprintf(&b, "\r\x1b[%dA", min(up, height-1))
	}
	b.WriteString("\r\x1b[J" + said) // this also removes a printed ^C
	p.widths = p.widths[:0]
	for i, l := range drawn {
		l = text.Snip(wording.Spelled(l), width-1, "…")
		p.widths = append(p.widths, text.StringWidthWithoutEscSequences(l))
		if i == 0 && os.Getenv("NO_COLOR") == "" {
			l = "\x1b[1m" + l + "\x1b[0m"
		}
		b.WriteString(l + "\n")
	}
	_, _ = io.WriteString(p.out, b.String())
	return true
}

// end leaves the cursor on an empty line. A terminal may have printed ^C at an interrupt.
func (p *pane) end() {
	if p.widths != nil {
		fmt.Fprint(p.out, "\r\x1b[J")
	}
}
