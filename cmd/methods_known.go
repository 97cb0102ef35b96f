package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/reports/cells"
	"github.com/kernelboosting/bench/reports/compare"
	"github.com/kernelboosting/bench/reports/costs"
	"github.com/kernelboosting/bench/reports/frame"
)

// knownLevel is the level of the tests that `methods show` reports.
const knownLevel = 0.05

// A fact is a line of what results say of a method: text for people, and its values for programs.
type fact struct {
	text   string
	values any
}

func (f fact) String() string               { return f.text }
func (f fact) MarshalJSON() ([]byte, error) { return json.Marshal(f.values) }

// know adds what stored results say of a method: those of the database or, where it has none of the protocol, those
// that come with the program.
func (a *app) know(ctx context.Context, l *listing, exp *plan.Experiment, protocol, method string) error {
	from, remove, err := a.someResults(ctx, exp, method)
	if err != nil || remove == nil {
		return err
	}
	defer remove()
	read, err := a.frame(ctx, reportFlags{selection: selection{protocol: protocol}})
	if err != nil {
		return err
	}
	t, err := read.Table("")
	switch {
	case errors.Is(err, frame.ErrNoResults), err == nil && !slices.Contains(t.Methods, method):
		return nil
	case err != nil:
		return err
	}
	k, ok, err := compare.KnownOf(&t, method, knownLevel)
	if err != nil {
		return err
	}
	if l.forPeople() { // names in a narrow column leave more room
		if err := l.print(); err != nil {
			return err
		}
		fmt.Fprintln(a.out)
		l.header = []string{"in results", "value"}
	}
	l.add("results", fmt.Sprintf("%s: %s, %s, protocol %s", cmp.Or(from, a.db), plural(len(t.Methods), "method"),
		plural(len(t.Counted), "data set"), t.Protocol))
	if ok {
		l.addStanding(k)
	}
	alone := selection{protocol: protocol, methods: []string{method}}
	of, err := a.frame(ctx, reportFlags{selection: alone, folds: true})
	if err != nil {
		return err
	}
	own, err := of.Table("")
	if err != nil {
		return err
	}
	l.addFixed(&own, method)
	l.addGrowth(costs.GrowthOf(&own, method))
	return nil
}

// addStanding says where a method stands, and on which sets it is significantly better or worse than others.
func (l *listing) addStanding(k compare.Known) {
	values := map[string]any{"place": k.Place, "of": k.Field, "sets": k.Have, "rank_low": k.Ranks[0],
		"rank_high": k.Ranks[1], "level": k.Level}
	switch {
	case !k.Row.Whole:
		l.add("place", fact{fmt.Sprintf("none: it has %s of those that %s have", plural(k.Have, "data set"),
			plural(k.Field, "method")), values})
	case !k.Testable:
		l.add("place", fact{fmt.Sprintf("%d of %d by the mean over %s, too few for an interval", k.Place, k.Field,
			plural(k.Have, "data set")), values})
	default:
		l.add("place", fact{fmt.Sprintf("%d of %d by the mean over %s; its rank may be %s (%.4g %% for all methods "+
			"together)", k.Place, k.Field, plural(k.Have, "data set"), k.RanksText(), 100*(1-k.Level)), values})
	}
	var better, worse, all []string
	for _, s := range k.Sets {
		all = append(all, fmt.Sprintf("%s %d", s.Name, s.Place))
		if s.Better > 0 {
			better = append(better, fmt.Sprintf("%s (than %d)", s.Name, s.Better))
		}
		if s.Worse > 0 {
			worse = append(worse, fmt.Sprintf("%s (than %d)", s.Name, s.Worse))
		}
	}
	l.add("place by set", fact{strings.Join(all, ", "), k.Sets})
	l.add("sig. better on", cmp.Or(strings.Join(better, ", "), "no set"))
	l.add("sig. worse on", cmp.Or(strings.Join(worse, ", "), "no set"))
}

// addFixed says what tuning gains over the best fixed grid point.
func (l *listing) addFixed(t *frame.Table, method string) {
	f, ok, whole := cells.FixedOf(t, method)
	switch {
	case !whole:
		l.add("fixed point", "not known: the folds of every grid point are needed; `bench import` takes them from "+
			"the files of bench-VERSION-reference.tar of the release")
		return
	case !ok:
		return
	}
	point := f.Point
	if f.Other != nil {
		point += fmt.Sprintf("; another one where %s is left out", strings.Join(f.Other, " or "))
	}
	l.add("fixed point", fact{point, map[string]any{"point": f.Point, "sets": f.Sets, "other": f.Other}})
	in, mean := f.Interval(1-knownLevel), frame.Float64(f.Mean)
	unit := ""
	if t.Metric.Percent {
		unit = " points"
	}
	signed := func(v float64) string { return frame.SignedFloat(v, t.Decimals()) }
	l.add("tuning gains", fact{fmt.Sprintf("%s%s of %s over the fixed point that other sets choose (%s to %s, %.4g %% "+
		"over %s), in folds that chose neither", signed(mean), unit, t.Metric.Title, signed(in.Low), signed(in.High),
		100*(1-knownLevel), plural(len(f.Sets), "set")), map[string]any{"mean": mean, "low": in.Low, "high": in.High,
		"sets": len(f.Sets)}})
}

// addGrowth says how long a cell takes.
func (l *listing) addGrowth(g costs.Growth) {
	if len(g.Sets) == 0 {
		return
	}
	first, last := g.Sets[0], g.Sets[len(g.Sets)-1]
	at := func(s costs.TimedSet) string {
		return fmt.Sprintf("%.2g s with %s (%s)", s.Seconds, plural(s.Rows, "training row"), s.Name)
	}
	said := "of a cell: " + at(first)
	if len(g.Sets) > 1 {
		said += " to " + at(last)
	}
	values := map[string]any{"cpu": g.CPU, "sets": g.Sets}
	if g.Fits {
		said += fmt.Sprintf("; about rows^%.1f (%.1f to %.1f) over these sets, which differ in their features, too",
			g.Power, g.Low, g.High)
		values["power"] = g.Power
	}
	l.add("processor time", fact{said, values})
}
