package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/curtail"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

func (f runOptions) checkUntil() error {
	switch {
	case f.until == "" && f.goOn:
		return usage("--continue belongs to --until decided; add it, or leave it out")
	case f.until != "" && len(f.against) == 0:
		return usage("--until decided needs --against METHOD: the verdict on --methods against it is what is decided")
	case f.against == nil && f.equivalence != "":
		return usage("--equivalence is of the question that --against asks; name the other methods there")
	case f.against == nil:
	case len(f.methods) != 1:
		return usage("--against is about one method; name it alone in --methods")
	case f.budget > 0 || f.shard != "" || f.all:
		return usage("--against does not go with --all, --budget or --shard: they choose cells, too")
	}
	_, err := f.region(metric.Metric{})
	return err
}

// A decision is a run that ends once its comparison is decided.
type decision struct {
	*curtail.Run
	app     *app
	read    reportOptions // what is stored of the protocol
	compare string        // the command that asks the same
}

func decideUntil(ctx context.Context, a *app, c choice, req plan.Request, f runOptions) (*decision, error) {
	all, err := c.Plan(ctx, req, nil, plan.NewForecast(nil))
	if err != nil {
		return nil, usageError(err)
	}
	q, err := f.question(c.Experiment, all, req)
	if err != nil {
		return nil, err
	}
	for i, m := range req.Methods {
		if q.Methods = append(q.Methods, m); c.Registry.Foreign(q.Methods[0]) && c.Registry.Foreign(m) {
			q.Own = append(q.Own, i)
		}
	}
	if q.Metric.Unit {
		return nil, usage("--until decided does not forecast the %s, which is compared over sets in percent of the "+
			"error; run all splits with --against, or take a protocol whose metric is r2", q.Metric.Title)
	}
	asks := append([]string{"compare"}, req.Methods...)
	if c.typed != nil {
		asks = append(asks, "--datasets", strings.Join(c.typed, ","))
	}
	if f.equivalence != "" {
		asks = append(asks, "--equivalence", f.equivalence)
	}
	how := a.invocation(c.Protocol.Shown(), c.Protocol.Path, c.Protocol.Splits)
	if flag, splits := how.OfSplits(req.Splits); flag != "" {
		asks = append(asks, flag, splits)
	}
	d := &decision{Run: curtail.NewRun(q, all.Cells), app: a, compare: how.Other(asks...),
		read: reportOptions{selection: selection{protocol: f.protocol}}}
	if need := evidence.Enough(len(req.Methods)-1, q.Level); d.Sets() < need {
		return nil, usage("--until decided: %s can be compared on %s, and with fewer than %d %q and %q cannot come; "+
			"name more, or run without --until", q.Methods[0], wording.Count(d.Sets(), "set"), need, evidence.Better,
			evidence.Worse)
	}
	return d, nil
}

func (d *decision) begin(ctx context.Context, _ *plan.Plan) (schedule.Batches, error) {
	read, err := d.app.frame(ctx, d.read)
	if err != nil && !errors.Is(err, frame.ErrNoResults) {
		return nil, err
	}
	d.Begin(read.Rows)
	return d, nil
}

func (d *decision) conclude(interrupted bool) {
	if d.Decided() {
		if stop, early := d.Stop(); early {
			d.app.say("%s `%s` shows the splits so far; --continue runs the rest.", stop.Text(), d.compare)
			return
		}
	}
	if !interrupted {
		d.app.say("no split is left; `%s` says what they show", d.compare)
	}
}

// putQuestions writes down what a run will answer, before its first cell. A version of a method that has a result on
// these sets already is too late for a question. A user who asked with --against is told so, and is told of too few
// sets. If the run has a question that was written down and ends once it is decided, the comparisons of this question
// are the family, as on the page.
func putQuestions(ctx context.Context, a *app, db *store.DB, exp *plan.Experiment, todo *plan.Plan, req plan.Request,
	f runOptions, d *decision) error {
	questions, err := questionsOf(a, exp, todo, req, f)
	if err != nil {
		return err
	}
	for _, asked := range questions {
		if p := asked.Prospect(asked.data, nil); f.against != nil && p.Sets < p.Enough {
			a.say("%s", asked.Foreseen(p))
		}
		q, err := asked.of.Written()
		if err != nil {
			return err
		}
		stored, err := db.PutComparison(ctx, q)
		if err == nil && stored.Earlier == "" && d != nil {
			d.Own = []int{0}
		}
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

// asked is a question of a run, as it is computed and as it is written down, with the fingerprints of its sets.
type asked struct {
	curtail.Question
	of   result.Comparison
	data map[string]string
}

// questionsOf are the questions of a run: the method against those of --against, or each method that did not come with
// the program against the field.
func questionsOf(a *app, exp *plan.Experiment, todo *plan.Plan, req plan.Request, f runOptions,
) (out []asked, err error) {
	common, err := f.question(exp, todo, req)
	if err != nil {
		return nil, err
	}
	question := result.Comparison{Created: time.Now().UTC(), Metric: common.Metric.Name, Level: common.Level,
		Equivalence: common.Region.String(), Splits: req.Splits, Until: f.until,
		Protocol: result.Named{ID: exp.Protocol.Name, Hash: exp.Protocol.Hash()}}
	methods := slices.Sorted(maps.Keys(todo.Versions))
	if f.against == nil {
		methods = slices.DeleteFunc(methods, func(m string) bool { return !exp.Registry.Foreign(m) })
	} else {
		methods = req.Methods
		for _, name := range methods[1:] {
			question.Against = append(question.Against, result.ComparedMethod{ID: name, Version: todo.Versions[name]})
		}
		methods = methods[:1]
	}
	for _, name := range methods {
		q := asked{common, question, map[string]string{}}
		q.Methods = append([]string{name}, question.Others()...)
		q.of.Method = result.ComparedMethod{ID: name, Version: todo.Versions[name]}
		if q.of.Datasets = questionSets(a, exp, todo, req, q.Methods); q.of.Datasets == nil {
			continue
		}
		for _, set := range q.of.Datasets {
			q.data[set.ID] = set.Hash
		}
		q.of.Question = fmt.Sprintf("%s against %s over %s", name, cmp.Or(frame.Listed(question.Others()),
			"each method of the field"), plural(len(q.data), "data set"))
		out = append(out, q)
	}
	return out, nil
}

// foresee says before a run what its comparisons can find, by what the database and the reference run know of other
// methods.
func foresee(ctx context.Context, a *app, exp *plan.Experiment, todo *plan.Plan, req plan.Request, f runOptions,
	d *decision) error {
	questions, err := questionsOf(a, exp, todo, req, f)
	if err != nil || len(questions) == 0 {
		return err
	}
	read, err := a.frame(ctx, reportOptions{selection: selection{protocol: f.protocol}})
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
	for _, q := range questions {
		p := q.Prospect(q.data, rows)
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

// questionSets are the sets of a question with the hashes of their data: those of the main group on which each method
// has cells. Sets that one of the methods lacks are said.
func questionSets(a *app, exp *plan.Experiment, todo *plan.Plan, req plan.Request, methods []string) (
	out []result.Named) {
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
			out = append(out, result.Named{ID: name, Hash: hash})
		} else if len(methods) > 1 {
			a.say("%s is not in the question, since %s lacks cells on it", name, lacks)
		}
	}
	return out
}

// question is what all questions of a run share, without methods. The metric is that of reports on the plan's cells.
func (f runOptions) question(exp *plan.Experiment, todo *plan.Plan, req plan.Request) (q curtail.Question, err error) {
	usual := "mse"
	if todo.Cells == nil || slices.ContainsFunc(todo.Cells, func(c *plan.Cell) bool {
		return c.Spec.Shape.Task != registry.Regression
	}) {
		usual = "accuracy"
	}
	q = curtail.Question{Splits: req.Splits, Level: frame.UsualLevel}
	if q.Metric, err = metric.Lookup(cmp.Or(exp.Protocol.Semantics.Metric, usual)); err != nil {
		return q, usageError(err)
	}
	q.Region, err = f.region(q.Metric)
	return q, err
}

func (f runOptions) region(m metric.Metric) (evidence.Region, error) {
	if f.equivalence == "" {
		return evidence.UsualRegion(m), nil
	}
	r, err := evidence.ParseRegion(f.equivalence)
	if err != nil {
		err = usage("--equivalence: %w", err)
	}
	return r, err
}
