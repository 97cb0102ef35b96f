package cmd

import (
	"cmp"
	"context"
	"slices"
	"strings"

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
)

const (
	mostPairs     = 40
	heaviestPairs = 10
)

// runDry prints the plan: a row per set and method, then the sums by method and by set; or a row per cell with
// --explain. Times and sizes are for people in tables, plain numbers in the other formats.
func runDry(ctx context.Context, a *app, exp *plan.Experiment, req plan.Request, f runOptions, d *decision) error {
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
	if len(prediction.Cells) == 0 {
		a.say("0 cells to run, %d stored already", plan.Stored)
	}
	announce(a, plan, prediction, opt)
	if plan.Failed > 0 {
		a.say("%d stored as failed; --retry runs them again", plan.Failed)
	}
	return foresee(ctx, a, exp, plan, req, f, d)
}

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

func howToAdd(a *app, s fetch.KnownSuite) string {
	words := []string{"bench", "data", "add", fetch.Suite + s.Name}
	if a.data != "" {
		words = append(words, "--data", a.data)
	}
	return frame.CommandLine(words...)
}

// runDrySuite prints the plan of a run on a suite that nobody has added: a row a task, with its size and the time of
// all methods on one core. It needs no data and no network.
func runDrySuite(ctx context.Context, a *app, suite fetch.KnownSuite, f runOptions) error {
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
