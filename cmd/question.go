package cmd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/registered"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// putQuestions writes down what a run will answer, before its first cell: the method against those of --against, or
// each method that did not come with the program against the field. A version that has a result on these sets is too
// late. Who asked with --against hears of it.
func putQuestions(ctx context.Context, a *app, db *store.DB, exp *plan.Experiment, todo *plan.Plan, req plan.Request,
	f runFlags) error {
	m, err := runMetric(exp, todo)
	if err != nil {
		return usageError(err)
	}
	region, err := f.region(m)
	if err != nil {
		return err
	}
	question := registered.Comparison{Created: time.Now().UTC(), Metric: m.Name, Level: report.UsualLevel,
		Equivalence: region.String(), Splits: req.Splits, Until: f.until,
		Protocol: registered.Named{ID: exp.Protocol.Name, Hash: exp.Protocol.Hash()}}
	methods := slices.Sorted(maps.Keys(todo.Versions))
	if f.against == nil {
		methods = slices.DeleteFunc(methods, func(m string) bool { return !exp.Registry.Foreign(m) })
	} else {
		methods = req.Methods
		for _, name := range methods[1:] {
			question.Against = append(question.Against, registered.Method{ID: name, Version: todo.Versions[name]})
		}
		methods = methods[:1]
	}
	for _, name := range methods {
		q := question
		q.Method = registered.Method{ID: name, Version: todo.Versions[name]}
		if q.Datasets = questionSets(a, exp, todo, req, append(q.Others(), name)); q.Datasets == nil {
			continue
		}
		q.Question = fmt.Sprintf("%s against %s over %s", name, cmp.Or(frame.Listed(q.Others()),
			"each method of the field"), plural(len(q.Datasets), "data set"))
		if q, err = q.Written(); err != nil {
			return err
		}
		stored, err := db.PutComparison(ctx, q)
		switch {
		case err != nil:
			return databaseError(err)
		case stored.Earlier != "" && f.against != nil:
			a.say("the question is not written down: %s has a result already (%s)", name, stored.Earlier)
		case stored.Earlier == "" && stored.Text == q.Text:
			a.say("written down before the first result: %s", q.Question)
		}
	}
	return nil
}

// questionSets are the sets of a question with the hashes of their data: those of the main group on which each method
// has cells. Sets that one of the methods lacks are said.
func questionSets(a *app, exp *plan.Experiment, todo *plan.Plan, req plan.Request, methods []string) (
	out []registered.Named) {
	names := req.Datasets
	if names == nil {
		names = exp.Protocol.Datasets
	}
	for _, name := range names {
		hash, planned := todo.Data[name]
		if !planned || req.Datasets == nil && slices.Contains(exp.Protocol.Apart, name) {
			continue
		}
		lacks := ""
		for _, e := range todo.Excluded {
			if e.Dataset == name && slices.Contains(methods, e.Method) {
				lacks = e.Method
			}
		}
		if lacks == "" {
			out = append(out, registered.Named{ID: name, Hash: hash})
		} else if len(methods) > 1 {
			a.say("%s is not in the question, since %s lacks cells on it", name, lacks)
		}
	}
	return out
}

// runMetric is the metric of reports on the cells of a plan.
func runMetric(exp *plan.Experiment, todo *plan.Plan) (metric.Metric, error) {
	usual := "mse"
	if todo.Cells == nil || slices.ContainsFunc(todo.Cells, func(c *plan.Cell) bool {
		return c.Spec.Shape.Task != registry.Regression
	}) {
		usual = "accuracy"
	}
	return metric.Lookup(cmp.Or(exp.Protocol.Semantics.Metric, usual))
}

// region is the size of a difference that does not matter.
func (f untilFlags) region(m metric.Metric) (evidence.Region, error) {
	if f.equivalence == "" {
		return evidence.UsualRegion(m), nil
	}
	r, err := evidence.ParseRegion(f.equivalence)
	if err != nil {
		err = usage("--equivalence: %w", err)
	}
	return r, err
}
