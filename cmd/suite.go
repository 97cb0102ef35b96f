package cmd

import (
	"context"
	"strings"

	"github.com/kernelboosting/bench/datasets/fetch"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/frame"
)

// notAdded returns a suite by its name, if the program knows the tasks of the suite, and nobody has added it.
func (a *app) notAdded(name string) (fetch.KnownSuite, bool) {
	s, known := fetch.Known(name)
	_, added := a.sets.Group(name)
	return s, known && !added && strings.EqualFold(s.Name, name)
}

// howToAdd is the command that adds a suite.
func (a *app) howToAdd(s fetch.KnownSuite) string {
	words := []string{"bench", "data", "add", fetch.Suite + s.Name}
	if a.data != "" {
		words = append(words, "--data", a.data)
	}
	return frame.CommandLine(words...)
}

// dryRunOfSuite prints the plan of a run on a suite that nobody has added: a row a task, with its size and the time of
// all methods on one core. It needs no data and no network.
func (a *app) dryRunOfSuite(ctx context.Context, suite fetch.KnownSuite, f runFlags) error {
	if f.explain || f.shard != "" {
		return usage("%s is not added, and --explain and --shard need its data; `%s` adds it", suite.Name,
			a.howToAdd(suite))
	}
	f.datasets = nil
	chosen, err := a.choose(f.selection, nothingStored)
	if err != nil {
		return err
	}
	req, err := a.request(chosen, f)
	if err != nil {
		return err
	}
	todo, err := a.planOfSuite(ctx, chosen.Experiment, req, suite)
	if err != nil {
		return err
	}
	req.Limits = plan.Limits{} // the table has the times of all cells
	whole, err := a.planOfSuite(ctx, chosen.Experiment, req, suite)
	if err != nil {
		return err
	}
	opt := schedule.Options{Jobs: f.jobs, Budget: f.budget}
	prediction := todo.Predict(opt.Places(), opt.Budget)
	if err := f.plan.printSuite(suite, whole.Cells, whole.Forecast); err != nil {
		return err
	}
	if len(whole.Cells) > 0 {
		a.announce(todo, prediction, opt)
		a.say("times are of one core, and follow from rows and columns of the files; a column of categories, which " +
			"becomes several features, counts once, so that sets with many of them take longer")
	} else {
		a.say("times are unknown: protocol %s follows the splits of the tasks, which are not here", f.protocol)
	}
	a.say("%s is not added; `%s` adds it", suite.Name, a.howToAdd(suite))
	a.say("rows, features and classes: %s", suite.Sizes)
	return nil
}

// planOfSuite plans a run on a suite by the sizes of its sets. The plan is empty where the protocol follows the splits
// of the tasks: nobody knows their sizes before the suite is added.
func (a *app) planOfSuite(ctx context.Context, exp *plan.Experiment, req plan.Request, suite fetch.KnownSuite) (
	*plan.Plan, error) {
	db, err := store.OpenReader(ctx, a.db)
	if err == nil {
		defer db.Close()
	} else if !isNoDatabase(err) {
		return nil, databaseError(err)
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
