package curtail

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// A Question is what a run is to decide.
type Question struct {
	Methods []string // the method, then those that it is compared with
	Splits  []int
	Metric  metric.Metric
	Region  evidence.Region
	Level   float64
	Own     []int // as in Plan
}

// A Run gives out the cells of a comparison to the scheduler (schedule.Batches) until its verdicts are decided.
type Run struct {
	Question
	Say func(format string, args ...any) // hears of a verdict that becomes the most probable one

	sets     []string
	cells    map[cellName]*plan.Cell // of the whole plan, stored or not
	plan     Plan
	study    *Study
	values   map[cellName]float64
	open     []Split // that were given out and not added, in their order
	forecast Forecast
	waits    bool // a cell is not stored: if none is, the verdict is that of all splits
}

type cellName struct {
	dataset, method string
	split           int
}

// NewRun takes all cells of the comparison, also those that are stored. Sets of which a cell is missing are left out.
func NewRun(q Question, cells []*plan.Cell) *Run {
	r := &Run{Question: q, cells: map[cellName]*plan.Cell{}}
	for _, c := range cells {
		if c.Spec.Canary == nil {
			r.cells[nameOf(c)] = c
			frame.AppendUnique(&r.sets, c.Dataset)
		}
	}
	slices.Sort(r.sets)
	r.sets = slices.DeleteFunc(r.sets, func(set string) bool { return !r.whole(set) })
	r.plan = Plan{Splits: len(q.Splits), Opponents: len(q.Methods) - 1, Level: q.Level,
		Width: math.NaN(), Relative: q.Region.Relative, Percent: q.Metric.Percent}
	if q.Region.Exists() {
		r.plan.Width, _ = q.Region.Width.Float64()
	}
	r.plan.Best = q.best()
	declared := plan.NewForecast(nil)
	for _, set := range r.sets {
		c := r.cells[cellName{set, q.Methods[0], q.Splits[0]}]
		r.plan.Sets = append(r.plan.Sets, Set{Cost: cmp.Or(declared.Seconds(c), c.Work), Test: float64(c.Spec.Test)})
	}
	return r
}

func nameOf(c *plan.Cell) cellName { return cellName{c.Dataset, c.Method, c.Split} }

func (r *Run) whole(set string) bool {
	for _, m := range r.Methods {
		for _, split := range r.Splits {
			if r.cells[cellName{set, m, split}] == nil {
				return false
			}
		}
	}
	return true
}

// Sets is the number of sets that are compared.
func (r *Run) Sets() int { return len(r.sets) }

// Begin begins with what is stored. Rows with other inputs than the plan's do not count.
func (r *Run) Begin(stored []store.Row) {
	r.study, r.values, r.open, r.forecast = nil, map[cellName]float64{}, nil, Forecast{}
	for _, row := range stored {
		name := cellName{row.Dataset, row.Method, row.Split}
		c := r.cells[name]
		if c == nil || row.Status != result.OK {
			continue
		}
		in := c.Spec.Inputs
		if row.MethodVersion == in.MethodVersion && row.GridHash == in.GridHash && row.Fingerprint == in.Fingerprint {
			r.keep(name, row.Score)
		}
	}
}

func (q Question) best() float64 {
	switch {
	case q.Metric.Better == metric.Lower:
		return 0
	case q.Metric.Percent:
		return 100
	}
	return 1
}

// relative reports whether the region is a share of the error of a width above zero.
func (q Question) relative() bool { return q.Region.Relative && q.Region.Width.Sign() > 0 }

// value is the value of a score, with a sign such that larger values are better.
func (q Question) value(s result.Score) (x float64, ok bool) {
	v := (&frame.Table{Metric: q.Metric}).ValueOf(s)
	if v == nil {
		return 0, false
	}
	if x, _ = v.Float64(); q.Metric.Better == metric.Lower {
		x = -x
	}
	return x, true
}

func (r *Run) keep(name cellName, s result.Score) {
	if x, ok := r.value(s); ok {
		r.values[name] = x
	}
}

// Ended is of schedule.Batches.
func (r *Run) Ended(c *plan.Cell, run result.Run) {
	if c.Spec.Canary == nil && run.Status == result.OK {
		r.keep(nameOf(c), run.Score)
	}
}

// Next is of schedule.Batches: it looks, and gives out the cells of the next splits, canaries with the first ones.
// Splits whose cells are all stored cost nothing.
func (r *Run) Next(waiting []*plan.Cell) (now []*plan.Cell, why result.Why) {
	at := map[cellName]*plan.Cell{}
	for _, c := range waiting {
		switch {
		case c.Spec.Canary == nil:
			at[nameOf(c)] = c
		case r.study == nil:
			now = append(now, c)
		}
	}
	r.waits = len(at) > 0
	if r.study == nil {
		r.plan.Own = r.Own
		r.study = New(r.plan)
		r.open = r.study.First()
	} else {
		why = r.look()
	}
	for ; why.Kind == 0; why = r.look() {
		for _, s := range r.open {
			for _, m := range r.Methods {
				if c := at[cellName{r.sets[s.Set], m, r.Splits[s.At]}]; c != nil {
					now = append(now, c)
				}
			}
		}
		if len(now) > 0 {
			return now, why
		}
	}
	return nil, why
}

// look adds what was given out, and either chooses the next splits or says why none is needed.
func (r *Run) look() result.Why {
	for _, s := range r.open {
		var values []float64
		for _, m := range r.Methods {
			v, ok := r.values[cellName{r.sets[s.Set], m, r.Splits[s.At]}]
			if !ok {
				v = math.NaN()
			}
			values = append(values, v)
		}
		r.study.Add(s.Set, values)
	}
	before := r.forecast.Verdicts
	r.forecast, r.open = r.study.Look(), nil
	if !r.forecast.Whole && !slices.Equal(before, r.forecast.Verdicts) { // what all splits show is the page's to say
		r.Say("after %d of %d cells: %s", r.study.Done(), r.planned(), r.finding())
	}
	if r.forecast.Whole || r.forecast.Decided && r.waits {
		stop, _ := r.Stop()
		why, _ := stop.Why() // it holds nothing that JSON cannot write
		return why
	}
	r.open = r.study.Next(r.forecast)
	return result.Why{}
}

func (r *Run) planned() int { return len(r.sets) * len(r.Splits) }

// Stop describes the end of the run; early is false if nothing was left to run.
func (r *Run) Stop() (stop result.Stop, early bool) {
	stop = result.Stop{Method: r.Methods[0], Level: r.Level, Equivalence: r.Region.String(), Cells: r.study.Done(),
		Planned: r.planned()}
	stop.Version = r.cells[cellName{r.sets[0], r.Methods[0], r.Splits[0]}].Spec.Inputs.MethodVersion
	for i, v := range r.forecast.Verdicts {
		stop.Findings = append(stop.Findings, result.Forecast{Against: r.Methods[1+i], Verdict: string(v),
			Probability: r.forecast.Probabilities[i]})
	}
	for _, set := range r.study.Counted() {
		stop.Sets = append(stop.Sets, r.sets[set])
	}
	return stop, !r.forecast.Whole
}

// Decided reports whether the verdicts are decided.
func (r *Run) Decided() bool { return r.forecast.Decided }

func (r *Run) finding() string {
	var parts []string
	for i, v := range r.forecast.Verdicts {
		parts = append(parts, fmt.Sprintf("%s against %s: %s (probability %.2f)", r.Methods[0], r.Methods[1+i], v,
			r.forecast.Probabilities[i]))
	}
	return strings.Join(parts, "; ")
}
