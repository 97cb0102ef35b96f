package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/registered"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/curtail"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// putQuestions writes down what a run will answer, before its first cell. A version that has a result on these sets is
// too late. Who asked with --against hears of it, and of too few sets.
func putQuestions(ctx context.Context, a *app, db *store.DB, exp *plan.Experiment, todo *plan.Plan, req plan.Request,
	f runFlags) error {
	common, questions, err := questionsOf(a, exp, todo, req, f)
	if err != nil {
		return err
	}
	for _, q := range questions {
		if asked, p := prospectOf(common, q, nil); f.against != nil && p.Sets < p.Enough {
			a.say("%s", asked.Foreseen(p))
		}
		if q, err = q.Written(); err != nil {
			return err
		}
		stored, err := db.PutComparison(ctx, q)
		switch {
		case err != nil:
			return databaseError(err)
		case stored.Earlier != "" && f.against != nil:
			a.say("the question is not written down: %s has a result already (%s)", q.Method.ID, stored.Earlier)
		case stored.Earlier == "" && stored.Text == q.Text:
			a.say("written down before the first result: %s", q.Question)
		}
	}
	return nil
}

// questionsOf are the questions of a run: the method against those of --against, or each method that did not come with
// the program against the field. The first result is what is common to them, with the method and the others missing.
func questionsOf(a *app, exp *plan.Experiment, todo *plan.Plan, req plan.Request, f runFlags) (common curtail.Question,
	out []registered.Comparison, err error) {
	common = curtail.Question{Splits: req.Splits, Level: frame.UsualLevel}
	if common.Metric, err = runMetric(exp, todo); err != nil {
		return common, nil, usageError(err)
	}
	if common.Region, err = f.region(common.Metric); err != nil {
		return common, nil, err
	}
	question := registered.Comparison{Created: time.Now().UTC(), Metric: common.Metric.Name, Level: common.Level,
		Equivalence: common.Region.String(), Splits: req.Splits, Until: f.until,
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
		out = append(out, q)
	}
	return common, out, nil
}

// foresee says before a run what its comparisons can find, by what the database and the reference run know of other
// methods.
func foresee(ctx context.Context, a *app, exp *plan.Experiment, todo *plan.Plan, req plan.Request, f runFlags,
	d *decision) error {
	common, questions, err := questionsOf(a, exp, todo, req, f)
	if err != nil || len(questions) == 0 {
		return err
	}
	read, err := a.frame(ctx, reportFlags{selection: selection{protocol: f.protocol}})
	if err != nil && !errors.Is(err, frame.ErrNoResults) && !isNoDatabase(err) {
		return err
	}
	rows := read.Rows
	if exp.Protocol.Builtin() {
		known, err := reference.Runs(exp.Protocol.Name)
		if err != nil {
			return err
		}
		rows = append(known, rows...)
	}
	for _, of := range questions {
		q, p := prospectOf(common, of, rows)
		a.say("%s", q.Foreseen(p))
		if d == nil || p.Gap == 0 {
			continue
		}
		if reach, ok := d.Reach(p.Gap, rows); ok {
			for _, line := range d.Foreseen(p.Gap, reach) {
				a.say("%s", line)
			}
		}
	}
	return nil
}

// prospectOf is what the comparisons of a question can find, and the question itself.
func prospectOf(q curtail.Question, of registered.Comparison, rows []store.Row) (curtail.Question, curtail.Prospect) {
	data := map[string]string{}
	for _, set := range of.Datasets {
		data[set.ID] = set.Hash
	}
	q.Methods = append([]string{of.Method.ID}, of.Others()...)
	return q, q.Prospect(data, rows)
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
