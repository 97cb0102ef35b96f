package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/remote"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
)

type runOptions struct {
	selection
	all     bool
	jobs    int
	dryRun  bool
	explain bool
	retry   bool
	keep    string
	timeout time.Duration
	budget  time.Duration
	maxCell time.Duration
	plan    *listing // of --dry-run
	rerun   []string
	isolate isolation
	shard   string

	until       string
	against     []string
	equivalence string
	goOn        bool // --continue

	listen, engine, tokenFile string
	verifyShare               string
	certFile                  string
}

func newRunCommand(a *app) *cobra.Command {
	var f runOptions
	c := &cobra.Command{
		Use:   "run [--all | --methods A,B --datasets x,y]",
		Short: "Run methods on data sets under a protocol and store every evaluation",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return runRun(c.Context(), a, f) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.all, "all", false, "every method on every set of the protocol")
	f.selection.add(a, c, defaultProtocol)
	jobsFlag(c, &f.jobs, "cells to run at a time; 0 with --listen or --engine leaves all to workers")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the plan and the predicted times, and run nothing")
	f.plan = a.listing(c)
	flags.Lookup("format").Usage += ", of --dry-run"
	flags.BoolVar(&f.explain, "explain", false, "with --dry-run: say why each cell is to be run")
	flags.BoolVar(&f.retry, "retry", false, "run cells again that failed or timed out")
	flags.StringSliceVar(&f.rerun, "rerun", nil, "methods of the request whose stored cells are run again; the new "+
		"results replace the old ones")
	completeList(c, "rerun", a.names("methods", "groups of methods"))
	oneOf(c, &f.keep, "keep", string(runner.KeepScores), "what to keep besides the counts: scores of the test rows, "+
		"models too, or none", string(runner.KeepScores), string(runner.KeepModels), string(runner.KeepNone))
	flags.DurationVar(&f.timeout, "timeout", 0, "limit for one cell, e.g. 10m (default none)")
	isolateFlag(c, &f.isolate)
	maxCellFlag(c, &f.maxCell, "")
	oneOf(c, &f.until, "until", "", "decided: stop once the verdict that all splits would give is certain enough, of "+
		"the method against those of --against", "decided")
	flags.StringSliceVar(&f.against, "against", nil, "run these methods, too, and write down before the first result "+
		"that the method is compared with them")
	completeList(c, "against", a.names("methods", "groups of methods"))
	flags.StringVar(&f.equivalence, "equivalence", "", "with --against: the largest difference that does not matter, "+
		"as for compare")
	flags.BoolVar(&f.goOn, "continue", false, "with --until decided: run the cells that the verdict did not need, too")
	flags.StringVar(&f.shard, "shard", "", "run one of several shares of the cells, such as 3/40, with a database of "+
		"its own; bench import joins the databases")
	flags.StringVar(&f.listen, "listen", "", "let workers on other machines run cells, too (bench worker); HOST:PORT "+
		"is where they find this run")
	flags.StringVar(&f.engine, "engine", "", "let workers run cells, too, through a NATS server that is running: "+
		"nats://HOST:PORT or tls://HOST:PORT")
	flags.StringVar(&f.tokenFile, "token-file", "", "a file with the token that workers must have (default one that "+
		"is kept beside the database, if other machines reach HOST); for --engine with the server's token or "+
		"USER:PASSWORD")
	flags.StringVar(&f.certFile, "cert", "", "with --listen: a file with the server's certificate and its key "+
		"(default one that is kept beside the database)")
	flags.StringVar(&f.verifyShare, "verify-share", "", "share of each worker's cells that is computed again here; 0 "+
		"for none (default 1%, with a loopback address none)")
	permissionFlags(a, c)
	yesToLongRuns(c)
	flags.DurationVar(&f.budget, "budget", 0, "time limit of the whole run: sets are taken in order of predicted "+
		"cost, as long as they fit")
	rare(c, "cert", "engine", "explain", "format", "keep", "token-file", "verify-share")
	return c
}

// defaultMaxCell is short enough that a run ends within about a day.
const defaultMaxCell = 30 * time.Minute

func maxCellFlag(c *cobra.Command, to *time.Duration, where string) {
	c.Flags().DurationVar(to, "max-cell", defaultMaxCell, fmt.Sprintf("skip cells that are predicted to take more "+
		"than %v times as long on one core%s; 0 for no limit", result.ForecastError, where))
}

func runRun(ctx context.Context, a *app, f runOptions) error {
	if err := f.check(); err != nil {
		return err
	}
	if methods := f.methods; methods == nil {
		if err := a.know(f.protocol, nil); err != nil {
			return err
		}
	} else if err := a.know(f.protocol, slices.Concat(methods, f.against)); err != nil {
		return err
	}
	if f.dryRun && len(f.datasets) == 1 {
		if suite, is := suiteNotAdded(a, f.datasets[0]); is {
			return runDrySuite(ctx, a, suite, f)
		}
	}
	chosen, err := a.choose(f.selection, nothingStored)
	if err != nil {
		return err
	}
	exp := chosen.Experiment
	exp.Keep = runner.Keep(f.keep)
	req, err := requestOf(a, chosen, f)
	if err != nil {
		return err
	}
	var decided *decision
	if f.until != "" {
		if decided, err = decideUntil(ctx, a, chosen, req, f); err != nil {
			return err
		}
	}
	if f.goOn {
		decided = nil
	}
	if f.dryRun {
		return runDry(ctx, a, exp, req, f, decided)
	}
	if err := storeReference(ctx, a, chosen, f); err != nil {
		return err
	}
	return computeCells(ctx, a, exp, req, f, decided)
}

// storeReference stores the reference run, whose results come with the program, in a new database. It does so before a
// run of a method that the reference run lacks, on all sets and splits of the protocol. Whoever starts
// this run asks how good the method is.
func storeReference(ctx context.Context, a *app, c choice, f runOptions) error {
	asksAll := f.datasets == nil && f.exclude == nil && f.splits == "" && f.split == "" && f.shard == ""
	name, lacks := c.Protocol.Name, slices.Clone(c.methods)
	if _, err := os.Stat(a.db); !asksAll || !reference.Has(name) || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for runs, err := range reference.Files(name) {
		if err != nil {
			return err
		}
		lacks = slices.DeleteFunc(lacks, func(m string) bool {
			return slices.ContainsFunc(runs, func(r result.Run) bool { return r.Method == m })
		})
		if len(lacks) == 0 {
			return nil
		}
	}
	a.say("%s is new: results that come with the program are stored first, to compare %s with", a.db,
		strings.Join(lacks, ", "))
	return runImport(ctx, a, []string{name}, "", &listing{})
}

// computeCells lets a session run a request, with workers if the flags say so, and until a comparison is decided if
// there is one.
func computeCells(ctx context.Context, a *app, exp *plan.Experiment, req plan.Request, f runOptions,
	d *decision) error {
	db, err := a.openToWrite(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	defer collectWithin(a.memory)()
	ended, end := context.WithCancel(ctx) // of the whole run, including the time in which results wait to be stored
	defer end()
	printer := &runPrinter{app: a, ctx: ended, experiment: exp, flags: f}
	session := harness.Session{Experiment: exp, DB: db, Tell: printer.handle, Cells: cellsOfSession(a, f.isolate),
		Confirm: func(todo *plan.Plan, p plan.Prediction, opt schedule.Options) error {
			if err := printer.confirm(todo, p, opt); err != nil {
				return err
			}
			return putQuestions(ctx, a, db, exp, todo, req, f, d)
		}}
	var workers *coordinator
	if f.shares() {
		if session.Share, err = f.workersShare(); err != nil {
			return err
		}
		if workers, err = listenForWorkers(a, printer, f); err != nil {
			return err
		}
		session.Remote, session.Join = workers.Pool, workers.join
	}
	request := harness.Request{Request: req, Jobs: f.jobs, Budget: f.budget}
	if d != nil {
		request.Batches, d.Say = d.begin, func(format string, args ...any) {
			printer.bar.note(fmt.Sprintf(format, args...))
		}
	}
	report, err := printer.runUntilDone(ctx, &session, request)
	conflicts, wrong := workers.stop(err == nil && !report.Outcome.Interrupted)
	if err = concludeRun(a, report, err); d != nil && report.Plan != nil {
		d.conclude(report.Outcome.Interrupted)
	}
	if e := (exitError{}); wrong && (err == nil || errors.As(err, &e) && e.code == exitIncomplete) {
		err = exitError{code: exitConflict}
	}
	a.err.printConflicts(conflicts)
	return err
}

func cellsOfSession(a *app, usual isolation) func(time.Duration, bool) (runner.Runner, func()) {
	return func(timeout time.Duration, alone bool) (runner.Runner, func()) {
		how := usual
		if alone {
			how = isolation{given: true, value: runner.CanIsolate}
		}
		run, apart := a.cells(timeout, how)
		return run, apart.Close
	}
}

// runUntilDone runs a request. It runs the cells again whose results were removed because a worker had sent wrong ones.
func (r *runPrinter) runUntilDone(ctx context.Context, session *harness.Session, request harness.Request) (
	harness.Report, error) {
	report, err := session.Run(ctx, request)
	for err == nil && report.Withdrawn > 0 && !report.Outcome.Interrupted { // each time of one more worker at least
		r.again = true
		request.Retry, request.Rerun = false, nil
		report, err = session.Run(ctx, request)
	}
	return report, err
}

// workersShare returns the share of each worker's results that this program computes again. At a loopback address all
// workers run on this machine, and the default is none.
func (f runOptions) workersShare() (float64, error) {
	switch {
	case f.verifyShare == "0", f.verifyShare == "0%":
		return 0, nil
	case f.verifyShare != "":
		share, number, err := parseSample(f.verifyShare)
		if err != nil || number > 0 {
			return 0, usage("--verify-share %q is not a share, such as 1%%, or 0", f.verifyShare)
		}
		return share, nil
	}
	address := f.listen
	if at, err := url.Parse(f.engine); err == nil && f.engine != "" {
		address = at.Host
	}
	if host, _, err := net.SplitHostPort(address); err == nil && remote.Loopback(host) {
		return 0, nil
	}
	return defaultShare, nil
}

// defaultShare is the share of a remote worker's results that the coordinator computes again by default.
const defaultShare = 0.01

func (f runOptions) shares() bool { return f.listen != "" || f.engine != "" }

// check refuses flags that contradict each other, or that ask for nothing.
func (f runOptions) check() error {
	switch {
	case f.all && (f.methods != nil || f.datasets != nil):
		return usage("--all means every method and every set of the protocol; leave it out with --methods or " +
			"--datasets")
	case !f.all && f.methods == nil && f.datasets == nil:
		return usage("nothing is asked for; use --all, or --methods and --datasets")
	case f.methods != nil && len(f.methods) == 0 || f.datasets != nil && len(f.datasets) == 0:
		return usage("--methods or --datasets is given and empty; name at least one")
	case f.timeout < 0 || f.budget < 0 || f.maxCell < 0:
		return usage("--timeout, --budget and --max-cell must not be negative")
	case f.explain && !f.dryRun:
		return usage("--explain belongs to --dry-run; add it, or leave it out")
	case f.plan.format != "table" && !f.dryRun:
		return usage("--format %s is of the plan that --dry-run prints; add --dry-run", f.plan.format)
	}
	return errors.Join(f.checkUntil(), f.checkWorkers())
}

// checkWorkers refuses flags for workers that contradict each other, or that are given without workers.
func (f runOptions) checkWorkers() error {
	switch {
	case f.listen != "" && f.engine != "":
		return usage("--listen starts a server and --engine takes one that is running; leave one of them out")
	case f.tokenFile != "" && !f.shares():
		return usage("--token-file is for the workers of --listen HOST:PORT or --engine URL; add one of them")
	case f.verifyShare != "" && !f.shares():
		return usage("--verify-share is of the workers of --listen HOST:PORT or --engine URL; add one of them")
	case f.certFile != "" && f.listen == "":
		return usage("--cert belongs to --listen HOST:PORT")
	case f.jobs < 1 && (f.jobs < 0 || !f.shares()):
		return usage("--jobs %d: at least one cell must run at a time (0 is for --listen and --engine alone)", f.jobs)
	}
	return nil
}

func requestOf(a *app, c choice, f runOptions) (plan.Request, error) {
	req := plan.Request{
		Methods: c.methods, Datasets: c.datasets, Splits: c.splits, Exclude: c.exclude,
		Retry: f.retry, Timeout: f.timeout, Limits: plan.Limits{MaxCell: f.maxCell, Memory: a.memory},
	}
	if f.all {
		req.Datasets = c.AllSets()
	}
	if req.Splits == nil {
		req.Splits, _ = plan.Splits(strconv.Itoa(c.Protocol.Splits), "")
	}
	again, err := a.choose(selection{protocol: f.protocol, methods: f.rerun}, nothingStored)
	if err != nil {
		return req, err
	}
	for _, m := range again.methods {
		if req.Methods != nil && !slices.Contains(req.Methods, m) {
			return req, usage("--rerun %s: the method is not among --methods; name it there too", m)
		}
	}
	req.Rerun = again.methods
	if req.Shard, err = plan.ParseShard(f.shard); err != nil {
		return req, usage("--%w", err)
	}
	if f.against == nil {
		return req, nil
	}
	others, err := a.choose(selection{protocol: f.protocol, methods: f.against}, nothingStored)
	if err != nil {
		return req, err
	}
	if len(req.Methods) != 1 || slices.Contains(others.methods, req.Methods[0]) {
		return req, usage("--against compares one method with others; --methods has %s and --against %s",
			strings.Join(req.Methods, ", "), strings.Join(others.methods, ", "))
	}
	req.Methods = slices.Concat(req.Methods, others.methods)
	if req.Datasets == nil { // sets that are shown apart are in no verdict
		req.Exclude = slices.Concat(req.Exclude, c.Protocol.Apart)
	}
	return req, nil
}

// makePlan makes the plan of a request, using the cells and times in the database; db may be nil.
func makePlan(ctx context.Context, exp *plan.Experiment, req plan.Request, db *store.DB) (*plan.Plan, error) {
	todo, err := harness.Plan(ctx, exp, req, db)
	if stored := (*harness.StoredError)(nil); errors.As(err, &stored) {
		return nil, databaseError(stored.Err)
	}
	return todo, usageError(err)
}

func announce(a *app, plan *plan.Plan, p plan.Prediction, opt schedule.Options) {
	noteExcluded(a, plan.Excluded)
	noteCautions(a, plan)
	if d := plan.Dealt; d != nil {
		a.say("shard %d/%d: %d of %s; every shard of this request says list %s", d.Number, d.Of, plan.Requested,
			plural(d.Cells, "cell"), d.List)
	}
	if len(p.Cells) > 0 {
		canaries := ""
		switch n := canariesOf(p.Cells); {
		case n == 1:
			canaries = " with 1 canary"
		case n > 1:
			canaries = fmt.Sprintf(" with %d canaries", n)
		}
		a.say("%s: %s to run%s, %d stored already; %s on %s", shapeOf(p.Cells), plural(len(p.Cells), "cell"),
			canaries, plan.Stored, predicted(plan, p), plural(opt.Places(), "job"))
	}
	if n := cellsOfReference(p.Cells); n > 0 {
		a.say("%d of these come with the program: `%s` stores them", n, a.importing(plan.Cells[0].Protocol))
	}
	if p.Early > 0 && p.Early < 0.9*p.Seconds {
		a.say("first one split of everything, about %s; then the others, heaviest first", wording.Seconds(p.Early))
	}
	noteExcluded(a, p.Excluded)
}

func canariesOf(cells []*plan.Cell) (n int) {
	for _, c := range cells {
		if c.Spec.Canary != nil {
			n++
		}
	}
	return n
}

// cellsOfReference counts the cells without a stored result whose results come with the program.
func cellsOfReference(cells []*plan.Cell) (n int) {
	inputs := map[runner.Cell]runner.Inputs{}
	var sets []string
	for _, c := range cells {
		if !c.Foreign && c.Attempt == 0 {
			inputs[c.Cell], sets = c.Spec.Inputs, append(sets, c.Dataset)
		}
	}
	if sets == nil {
		return 0
	}
	runs, err := reference.Runs(cells[0].Protocol, sets...)
	if err != nil {
		return 0 // bench import says why
	}
	for _, r := range runs {
		in, asked := inputs[runner.CellOf(r)]
		if asked && in.MethodVersion == r.MethodVersion && in.GridHash == r.GridHash {
			n++
		}
	}
	return n
}

// importing is the command that stores the results of a protocol that come with the program.
func (a *app) importing(protocol string) string {
	if protocol == reference.Table2 {
		protocol = referenceRun
	}
	return a.invocation("", "", 0).Other("import", protocol)
}

// predicted returns the predicted time of a plan in words. It names the methods whose time is not known yet.
func predicted(todo *plan.Plan, p plan.Prediction) string {
	switch {
	case p.Unknown == nil:
		return "about " + wording.Seconds(p.Seconds)
	case !slices.ContainsFunc(p.Cells, func(c *plan.Cell) bool { return !todo.Forecast.Unknown(c) }):
		return "time unknown, measured after the first fit,"
	}
	return fmt.Sprintf("about %s%s, whose time is unknown and measured after the first fit,",
		wording.Seconds(p.Seconds), without(p.Unknown))
}

// noteCautions says what describing each set of the plan found that may make its results too good.
func noteCautions(a *app, p *plan.Plan) {
	said := map[string]bool{}
	for _, c := range p.Cells {
		name := c.Spec.Cell.Dataset
		if e, err := a.sets.Lookup(name); err == nil && !said[name] {
			for _, caution := range e.Cautions {
				a.say("note: %s: %s", name, caution)
			}
		}
		said[name] = true
	}
}

// noteExcluded says what is not run and why, and for missing data the command that gets it.
func noteExcluded(a *app, excluded []result.Exclusion) {
	missing, fetch := result.OfKinds(excluded, result.NoData), []string{"bench", "data", "fetch"}
	var private []string
	for _, e := range missing {
		fetch = append(fetch, e.Dataset)
		set, err := a.sets.Lookup(e.Dataset)
		if err == nil && slices.ContainsFunc(set.Files, func(f catalogue.File) bool { return f.Repository == "" }) {
			private = append(private, e.Dataset)
		}
	}
	if a.data != "" {
		fetch = append(fetch, "--data", a.data)
	}
	for _, line := range result.Explain(excluded) {
		if missing != nil && line == result.Explain(missing)[0] {
			if line += fmt.Sprintf("; get it with `%s`", frame.CommandLine(fetch...)); private != nil {
				line += fmt.Sprintf(" and --from a folder or URL that has %s: no public address does",
					frame.Listed(private))
			}
		}
		fmt.Fprintln(a.err, line)
	}
}

// shapeOf describes the cells that exist, such as "6 methods x 16 sets x splits 1-20".
func shapeOf(cells []*plan.Cell) string {
	methods, sets, splits := map[string]bool{}, map[string]bool{}, []int(nil)
	for _, c := range cells {
		methods[c.Method], sets[c.Dataset], splits = true, true, append(splits, c.Split)
	}
	slices.Sort(splits)
	splits = slices.Compact(splits)
	which := "splits " + frame.Ranges(splits)
	switch {
	case len(splits) == 1:
		which = fmt.Sprint("split ", splits[0])
	case len(which) > 80: // a shard of many splits
		which = fmt.Sprintf("%d splits from %d to %d", len(splits), splits[0], splits[len(splits)-1])
	}
	return fmt.Sprintf("%s x %s x %s", plural(len(methods), "method"), plural(len(sets), "set"), which)
}

// askBeyond is the predicted time from which on a run must be confirmed.
const askBeyond = 24 * time.Hour

// yesToLongRuns makes --yes an answer to the question of confirm, too.
func yesToLongRuns(c *cobra.Command) {
	yes := c.Flags().Lookup("yes")
	yes.Usage, yes.Annotations = "start without asking, however long it takes, and "+yes.Usage, nil
}

// confirmLong asks before a run of more than a day, the only question of this program. If nobody can be asked, it
// refuses the run.
func confirmLong(a *app, p plan.Prediction) error {
	if a.yes || p.Seconds <= askBeyond.Seconds() {
		return nil
	}
	takes := "about " + wording.Seconds(p.Seconds) + without(p.Unknown)
	shorter := "--max-cell and --budget shorten it, --dry-run shows what takes how long"
	if !isTerminal(os.Stdin) || !isTerminal(a.err) {
		return usage("this takes %s; --yes starts it, %s", takes, shorter)
	}
	fmt.Fprintf(a.err, "This takes %s (%s). Go on? [y/N] ", takes, shorter)
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n') // no answer is a no
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return nil
	}
	return usage("not started")
}

// These are the names of a dry run's rows that sum up other rows.
const (
	anySet    = "(all sets)"
	anyMethod = "(all methods)"
)

// A table for people has rows for the heaviest pairs alone where there are more than mostPairs pairs of a set and a
// method.
