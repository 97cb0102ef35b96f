package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/datasets/fetch"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/spf13/cobra"
)

// makePlan makes the plan of a request, using the cells and times in the database; db may be nil.
func makePlan(ctx context.Context, exp *plan.Experiment, req plan.Request, db *store.DB) (*plan.Plan, error) {
	todo, err := harness.Plan(ctx, exp, req, db)
	if stored := (*harness.StoredError)(nil); errors.As(err, &stored) {
		return nil, databaseError(stored.Err)
	}
	return todo, usageError(err)
}

// announce says in a few lines what is about to happen.
func announce(a *app, plan *plan.Plan, p plan.Prediction, opt schedule.Options) {
	noteExcluded(a, plan.Excluded)
	noteCautions(a, plan)
	if d := plan.Dealt; d != nil {
		a.say("shard %d/%d: %d of %s; every shard of this request says list %s", d.Number, d.Of, plan.Requested,
			plural(d.Cells, "cell"), d.List)
	}
	if len(plan.Cells) > 0 {
		canaries := ""
		switch {
		case plan.Canaries == 1:
			canaries = " with 1 canary"
		case plan.Canaries > 1:
			canaries = fmt.Sprintf(" with %d canaries", plan.Canaries)
		}
		a.say("%s: %s to run%s, %d stored already; %s on %s", shapeOf(plan.Cells), plural(len(plan.Cells), "cell"),
			canaries, plan.Stored, predicted(plan, p), plural(opt.Places(), "job"))
	}
	if p.Early > 0 && p.Early < 0.9*p.Seconds {
		a.say("first one split of everything, about %s; then the others, heaviest first", wording.Seconds(p.Early))
	}
	noteExcluded(a, p.Excluded)
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
	for _, e := range missing {
		fetch = append(fetch, e.Dataset)
	}
	if a.data != "" {
		fetch = append(fetch, "--data", a.data)
	}
	for _, line := range result.Explain(excluded) {
		if missing != nil && line == result.Explain(missing)[0] {
			line += fmt.Sprintf("; get it with `%s`", frame.CommandLine(fetch...))
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
const (
	mostPairs     = 40
	heaviestPairs = 10
)

// runDry prints the plan: a row per set and method, then the sums by method and by set; or a row per cell with
// --explain. Times and sizes are for people in tables, plain numbers in the other formats.
func runDry(ctx context.Context, a *app, exp *plan.Experiment, req plan.Request, f runFlags, d *decision) error {
	db, err := a.readerIfAny(ctx)
	if err != nil {
		return err
	}
	if db != nil {
		defer db.Close()
	}
	req.Secret = []byte("a plan that is not run") // which splits canaries copy is not shown
	plan, err := makePlan(ctx, exp, req, db)
	if err != nil {
		return err
	}
	opt := schedule.Options{Jobs: f.jobs, Budget: f.budget}
	prediction := plan.Predict(opt.Places(), opt.Budget)
	l := f.plan
	if f.explain {
		err = l.addExplained(ctx, prediction.Cells, db, plan.Forecast)
	} else if pairs := l.addPlanned(prediction.Cells, plan.Excluded, plan.Forecast); pairs > mostPairs &&
		l.forPeople() {
		defer a.say("of %d pairs of a set and a method the heaviest are listed; --format csv lists all", pairs)
	}
	if err != nil {
		return err
	}
	if err := l.print(); err != nil {
		return err
	}
	announce(a, plan, prediction, opt)
	if plan.Failed > 0 {
		a.say("%d stored as failed; --retry runs them again", plan.Failed)
	}
	return foresee(ctx, a, exp, plan, req, f, d)
}

// addExplained lists cells with the reason why each is run.
func (l *listing) addExplained(ctx context.Context, cells []*plan.Cell, db *store.DB, f *plan.Forecast) error {
	l.header = []string{"dataset", "method", "split", "seconds", "reason"}
	if l.forPeople() {
		l.header[3] = "time"
	}
	for _, c := range cells {
		reason := "never run"
		if db != nil {
			var err error
			if reason, err = c.Explain(ctx, db); err != nil {
				return err
			}
		}
		l.add(c.Dataset, c.Method, c.Split, l.duration(c.Seconds, f.Unknown(c)), reason)
	}
	return nil
}

// A planRow sums up cells of a plan.
type planRow struct {
	dataset, method string
	cells           int
	seconds         float64
	longest         float64 // of one cell
	memory          int64   // of one cell, with its data set
	unknown         bool    // the time of a cell is not known
	limit           string  // the option that leaves the cells out
}

func (r *planRow) add(seconds float64, memory int64) {
	r.cells++
	r.seconds += seconds
	r.longest = max(r.longest, seconds)
	r.memory = max(r.memory, memory)
}

func (r *planRow) addCell(c *plan.Cell, f *plan.Forecast) {
	r.add(c.Seconds, c.Memory+c.SetBytes)
	r.unknown = r.unknown || f.Unknown(c)
}

// addPlanned lists a row per set and method, in the order in which they begin, and the sums. It returns the number of
// such pairs, too. A table leaves out sums of one row, and all but the heaviest of many pairs.
func (l *listing) addPlanned(cells []*plan.Cell, excluded []result.Exclusion, f *plan.Forecast) (n int) {
	var pairs, methods, sets, out []*planRow
	at := map[[3]string]*planRow{}
	row := func(rows *[]*planRow, dataset, method, limit string) *planRow {
		key := [3]string{dataset, method, limit}
		if at[key] == nil {
			at[key] = &planRow{dataset: dataset, method: method, limit: limit}
			*rows = append(*rows, at[key])
		}
		return at[key]
	}
	for _, c := range cells {
		row(&pairs, c.Dataset, c.Method, "").addCell(c, f)
		row(&methods, anySet, c.Method, "").addCell(c, f)
		row(&sets, c.Dataset, anyMethod, "").addCell(c, f)
	}
	for _, l := range result.OfKinds(excluded, result.TooLong, result.TooLarge) {
		row(&out, l.Dataset, l.Method, l.Why.Text).add(l.Why.Seconds, l.Why.Bytes)
	}
	listed := pairs
	l.header = []string{"dataset", "method", "cells", "seconds", "longest_seconds", "memory_mib", "skipped"}
	if l.forPeople() {
		if len(methods) == len(pairs) {
			methods = nil
		}
		if len(sets) == len(pairs) {
			sets = nil
		}
		if len(pairs) > mostPairs {
			listed = slices.SortedStableFunc(slices.Values(pairs), func(a, b *planRow) int {
				return cmp.Compare(b.seconds, a.seconds)
			})[:heaviestPairs]
			slices.Reverse(listed)
		}
		l.header = []string{"dataset", "method", "cells", "time", "longest", "memory", "skipped by"}
	}
	for _, rows := range [][]*planRow{listed, out, methods, sets} {
		for _, r := range rows {
			var memory any = r.memory >> 20
			if l.forPeople() {
				memory = wording.Bytes(r.memory)
			}
			var limit any = r.limit
			if r.limit == "" {
				limit = nil
			}
			l.add(r.dataset, r.method, r.cells, l.duration(r.seconds, r.unknown), l.duration(r.longest, r.unknown),
				memory, limit)
		}
	}
	return len(pairs)
}

// duration is seconds for programs, and a time for people; an unknown one is nothing and "unknown".
func (l *listing) duration(seconds float64, unknown bool) any {
	switch {
	case unknown && l.forPeople():
		return "unknown"
	case unknown:
		return nil
	}
	if l.forPeople() {
		return wording.Seconds(seconds)
	}
	return round1(seconds)
}

// suiteNotAdded returns a suite by its name, if the program knows the tasks of the suite, and nobody has added it.
func suiteNotAdded(a *app, name string) (fetch.KnownSuite, bool) {
	s, known := fetch.Known(name)
	_, added := a.sets.Group(name)
	return s, known && !added && strings.EqualFold(s.Name, name)
}

// howToAdd is the command that adds a suite.
func howToAdd(a *app, s fetch.KnownSuite) string {
	words := []string{"bench", "data", "add", fetch.Suite + s.Name}
	if a.data != "" {
		words = append(words, "--data", a.data)
	}
	return frame.CommandLine(words...)
}

// runDrySuite prints the plan of a run on a suite that nobody has added: a row a task, with its size and the time of
// all methods on one core. It needs no data and no network.
func runDrySuite(ctx context.Context, a *app, suite fetch.KnownSuite, f runFlags) error {
	if f.explain || f.shard != "" {
		return usage("%s is not added, and --explain and --shard need its data; `%s` adds it", suite.Name,
			howToAdd(a, suite))
	}
	f.datasets = nil
	chosen, err := a.choose(f.selection, nothingStored)
	if err != nil {
		return err
	}
	req, err := requestOf(a, chosen, f)
	if err != nil {
		return err
	}
	todo, err := planOfSuite(ctx, a, chosen.Experiment, req, suite)
	if err != nil {
		return err
	}
	req.Limits = plan.Limits{} // the table has the times of all cells
	whole, err := planOfSuite(ctx, a, chosen.Experiment, req, suite)
	if err != nil {
		return err
	}
	opt := schedule.Options{Jobs: f.jobs, Budget: f.budget}
	prediction := todo.Predict(opt.Places(), opt.Budget)
	if err := f.plan.printSuite(suite, whole.Cells, whole.Forecast); err != nil {
		return err
	}
	if len(whole.Cells) > 0 {
		announce(a, todo, prediction, opt)
		a.say("times are of one core, and follow from rows and columns of the files; a column of categories, which " +
			"becomes several features, counts once, so that sets with many of them take longer")
	} else {
		a.say("times are unknown: protocol %s follows the splits of the tasks, which are not here", f.protocol)
	}
	a.say("%s is not added; `%s` adds it", suite.Name, howToAdd(a, suite))
	a.say("rows, features and classes: %s", suite.Sizes)
	return nil
}

// planOfSuite plans a run on a suite by the sizes of its sets. The plan is empty where the protocol follows the splits
// of the tasks: nobody knows their sizes before the suite is added.
func planOfSuite(ctx context.Context, a *app, exp *plan.Experiment, req plan.Request, suite fetch.KnownSuite) (
	*plan.Plan, error) {
	db, err := a.readerIfAny(ctx)
	if err != nil {
		return nil, err
	}
	if db != nil {
		defer db.Close()
	}
	forecast, err := harness.Forecast(ctx, db)
	if err != nil {
		return nil, databaseError(err)
	}
	if exp.Protocol.Semantics.Splitter().Kind == split.OpenML {
		return &plan.Plan{Forecast: forecast}, nil
	}
	sizes := make([]plan.Size, len(suite.Tasks))
	for i, t := range suite.Tasks {
		task := registry.Binary
		if t.Classes > 2 {
			task = registry.Multiclass
		}
		sizes[i] = plan.Size{Name: t.SetName(), Shape: registry.Shape{Task: task, N: t.Rows, D: t.Features,
			Classes: t.Classes}}
	}
	return exp.OfSizes(req, sizes, forecast)
}

// printSuite lists the tasks of a suite, with the times of their cells on one core.
func (l *listing) printSuite(suite fetch.KnownSuite, cells []*plan.Cell, f *plan.Forecast) error {
	l.header = []string{"task", "dataset", "rows", "features", "classes", "cells", "seconds"}
	if l.forPeople() {
		l.header[6] = "time"
	}
	sums := map[string]*planRow{}
	for _, c := range cells {
		if sums[c.Dataset] == nil {
			sums[c.Dataset] = &planRow{}
		}
		sums[c.Dataset].addCell(c, f)
	}
	for _, t := range suite.Tasks {
		sum := sums[t.SetName()]
		if sum == nil { // no cell of the task is planned
			sum = &planRow{unknown: true}
		}
		l.add(t.ID, t.SetName(), t.Rows, t.Features, t.Classes, sum.cells, l.duration(sum.seconds, sum.unknown))
	}
	return l.print()
}
