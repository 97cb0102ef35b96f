package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/wording"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/curtail"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/report"
)

// untilFlags are those of a run that ends once a comparison is decided.
type untilFlags struct {
	until       string
	against     []string
	equivalence string
	goOn        bool // --continue
}

// check refuses what does not go with --until decided.
func (f runFlags) checkUntil() error {
	switch u := f.untilFlags; {
	case u.until == "" && (u.against != nil || u.equivalence != "" || u.goOn):
		return usage("--against, --equivalence and --continue belong to --until decided; add it, or leave them out")
	case u.until == "":
	case len(u.against) == 0:
		return usage("--until decided needs --against METHOD: the verdict on --methods against it is what is decided")
	case len(f.methods) != 1:
		return usage("--until decided is about one method; name it alone in --methods, and others in --against")
	case f.budget > 0 || f.shard != "" || f.all:
		return usage("--until decided does not go with --all, --budget or --shard: they choose cells, too")
	}
	return nil
}

// A decision runs the cells of a comparison until its verdict is decided.
type decision struct {
	app     *app
	methods []string // the method, then those that it is compared with
	metric  metric.Metric
	region  evidence.Region
	asked   string // --equivalence
	sets    []string
	splits  []int
	plan    curtail.Plan
	cells   map[cellName]*plan.Cell // of the whole plan
	note    func(format string, args ...any)

	study    *curtail.Study
	values   map[cellName]float64
	given    []int // splits by set that were given out
	open     []int // sets of the splits that were given out and not added, in their order
	forecast curtail.Forecast
	began    bool
}

type cellName struct {
	dataset, method string
	split           int
}

// decide plans a comparison. It changes the request, which then asks for the cells of all its methods.
func (a *app) decide(ctx context.Context, exp *plan.Experiment, req *plan.Request, f runFlags) (*decision, error) {
	others, err := a.choose(selection{protocol: f.protocol, methods: f.against}, nothingStored)
	if err != nil {
		return nil, err
	}
	d := &decision{app: a, methods: append(slices.Clone(req.Methods), others.methods...), asked: f.equivalence,
		splits: req.Splits, cells: map[cellName]*plan.Cell{}, note: a.say}
	if len(req.Methods) != 1 || slices.Contains(others.methods, req.Methods[0]) {
		return nil, usage("--until decided compares one method with others; --methods has %s and --against %s",
			strings.Join(req.Methods, ", "), strings.Join(others.methods, ", "))
	}
	req.Methods = d.methods
	if req.Datasets == nil { // sets that are shown apart are in no verdict
		req.Exclude = append(slices.Clone(req.Exclude), exp.Protocol.Apart...)
	}
	if err := d.measure(exp); err != nil {
		return nil, err
	}
	all, err := exp.Plan(ctx, *req, nil, plan.NewForecast(nil))
	if err != nil {
		return nil, usageError(err)
	}
	for _, c := range all.Cells {
		if c.Spec.Canary == nil {
			d.cells[cellName{c.Dataset, c.Method, c.Split}] = c
			frame.AppendUnique(&d.sets, c.Dataset)
		}
	}
	slices.Sort(d.sets)
	d.sets = slices.DeleteFunc(d.sets, func(set string) bool { return !d.whole(set) })
	if need := evidence.Enough(len(others.methods), report.UsualLevel); len(d.sets) < need {
		return nil, usage("--until decided: %s can be compared on %s, and fewer than %d sets show no significant "+
			"difference; name more, or run without --until", d.methods[0], wording.Count(len(d.sets), "set"), need)
	}
	d.setPlan()
	return d, nil
}

// measure finds the metric and the region, as compare does.
func (d *decision) measure(exp *plan.Experiment) error {
	usual := "mse"
	for _, name := range exp.Protocol.Datasets {
		if e, err := exp.Catalogue.Lookup(name); err == nil && e.Task != registry.Regression {
			usual = "accuracy"
		}
	}
	var err error
	if d.metric, err = metric.Lookup(cmp.Or(exp.Protocol.Semantics.Metric, usual)); err != nil {
		return err
	}
	d.region = evidence.UsualRegion(d.metric)
	if d.asked != "" {
		if d.region, err = evidence.ParseRegion(d.asked); err != nil {
			return usage("--equivalence: %w", err)
		}
	}
	return nil
}

// whole reports whether all cells of a set are in the plan.
func (d *decision) whole(set string) bool {
	for _, m := range d.methods {
		for _, split := range d.splits {
			if d.cells[cellName{set, m, split}] == nil {
				return false
			}
		}
	}
	return true
}

func (d *decision) setPlan() {
	d.plan = curtail.Plan{Splits: len(d.splits), Opponents: len(d.methods) - 1, Level: report.UsualLevel,
		Width: math.NaN(), Relative: d.region.Relative, Percent: d.metric.Percent}
	if d.region.Exists() {
		d.plan.Width, _ = d.region.Width.Float64()
	}
	if d.metric.Better == metric.Higher {
		if d.plan.Best = 1; d.metric.Percent {
			d.plan.Best = 100
		}
	}
	declared := plan.NewForecast(nil)
	for _, set := range d.sets {
		c := d.cells[cellName{set, d.methods[0], d.splits[0]}]
		d.plan.Sets = append(d.plan.Sets, curtail.Set{Cost: declared.Seconds(c), Test: float64(c.Spec.Test)})
	}
}

// begin reads what is stored. It is called when a run begins.
func (d *decision) begin(ctx context.Context, _ *plan.Plan) (schedule.Batches, error) {
	d.study, d.values, d.given, d.open = curtail.New(d.plan), map[cellName]float64{}, make([]int, len(d.sets)), nil
	d.began = false
	protocol := ""
	for _, c := range d.cells {
		protocol = c.Protocol
	}
	read, err := d.app.frame(ctx, reportFlags{selection: selection{protocol: protocol}})
	if errors.Is(err, frame.ErrNoResults) {
		return d, nil
	}
	if err != nil {
		return nil, err
	}
	for _, r := range read.Rows {
		name := cellName{r.Dataset, r.Method, r.Split}
		if c := d.cells[name]; c != nil && r.Status == result.OK && r.MethodVersion == c.Spec.Inputs.MethodVersion &&
			r.GridHash == c.Spec.Inputs.GridHash && r.Fingerprint == c.Spec.Inputs.Fingerprint {
			d.keep(name, r.Score)
		}
	}
	return d, nil
}

// keep notes the value of a finished cell, such that larger ones are better.
func (d *decision) keep(name cellName, s result.Score) {
	v := d.metric.Of(s)
	if v == nil {
		return
	}
	if d.metric.Percent {
		v.Mul(v, big.NewRat(100, 1))
	}
	if d.metric.Better == metric.Lower {
		v.Neg(v)
	}
	d.values[name], _ = v.Float64()
}

// Ended is of schedule.Batches.
func (d *decision) Ended(c *plan.Cell, r result.Run) {
	if c.Spec.Canary == nil && r.Status == result.OK {
		d.keep(cellName{c.Dataset, c.Method, c.Split}, r.Score)
	}
}

// Next is of schedule.Batches: it looks, and gives out the cells of the next splits. Splits whose cells are all stored
// cost nothing.
func (d *decision) Next(waiting []*plan.Cell) (now []*plan.Cell, why result.Why) {
	at := map[cellName]*plan.Cell{}
	for _, c := range waiting {
		if c.Spec.Canary == nil {
			at[cellName{c.Dataset, c.Method, c.Split}] = c
		} else if !d.began {
			now = append(now, c)
		}
	}
	for len(now) == 0 || !d.began {
		var next []int
		if !d.began {
			next = d.study.First()
		} else {
			d.add()
			before := d.forecast.Verdicts
			if d.forecast = d.study.Look(); !slices.Equal(before, d.forecast.Verdicts) {
				d.note("after %d of %d cells: %s", d.study.Done(), d.planned(), d.finding())
			}
			if d.forecast.Decided {
				why, _ := d.stop().Why() // it holds nothing that JSON cannot write
				return nil, why
			}
			next = d.study.Next(d.forecast)
		}
		d.began = true
		for _, set := range next {
			split := d.splits[d.given[set]]
			d.given[set]++
			d.open = append(d.open, set)
			for _, m := range d.methods {
				if c := at[cellName{d.sets[set], m, split}]; c != nil {
					now = append(now, c)
				}
			}
		}
	}
	return now, why
}

// add gives the values of the splits that were given out to the study.
func (d *decision) add() {
	first := map[int]int{}
	for _, set := range d.open {
		first[set]++
	}
	done := map[int]int{}
	for _, set := range d.open {
		split := d.splits[d.given[set]-first[set]+done[set]]
		done[set]++
		var values []float64
		for _, m := range d.methods {
			if v, ok := d.values[cellName{d.sets[set], m, split}]; ok {
				values = append(values, v)
			}
		}
		if len(values) < len(d.methods) {
			values = nil
		}
		d.study.Add(set, values)
	}
	d.open = nil
}

func (d *decision) planned() int { return len(d.sets) * len(d.splits) }

// stop describes the end of the run.
func (d *decision) stop() result.Stop {
	s := result.Stop{Method: d.methods[0], Level: d.plan.Level, Equivalence: d.asked, Cells: d.study.Done(),
		Planned:  d.planned(),
		Version:  d.cells[cellName{d.sets[0], d.methods[0], d.splits[0]}].Spec.Inputs.MethodVersion,
		Findings: make([]result.Forecast, len(d.forecast.Verdicts))}
	for i, v := range d.forecast.Verdicts {
		s.Findings[i] = result.Forecast{Against: d.methods[1+i], Verdict: string(v),
			Probability: d.forecast.Probabilities[i]}
	}
	for _, set := range d.study.Counted() {
		s.Sets = append(s.Sets, d.sets[set])
	}
	return s
}

// finding is the verdicts of the last look in words.
func (d *decision) finding() string {
	var parts []string
	for i, v := range d.forecast.Verdicts {
		parts = append(parts, fmt.Sprintf("%s against %s: %s (probability %.2f)", d.methods[0], d.methods[1+i], v,
			d.forecast.Probabilities[i]))
	}
	return strings.Join(parts, "; ")
}

// conclude says how the comparison ended.
func (d *decision) conclude(interrupted bool) {
	switch {
	case interrupted || !d.began || !d.forecast.Decided:
	case d.forecast.Whole:
		d.app.say("all %d cells ran; `bench compare %s` says what they show", d.planned(), strings.Join(d.methods, " "))
	default:
		d.app.say("%s `bench compare %s` shows the splits so far; --continue runs the rest.", d.stop().Text(),
			strings.Join(d.methods, " "))
	}
}
