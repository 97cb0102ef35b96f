package experiment

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/curves"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Alpha is the probability with which a verdict may be wrong.
const Alpha = 0.05

// A Verdict says what results say about a claim.
type Verdict string

// The verdicts.
const (
	Holds   Verdict = "holds"
	Fails   Verdict = "fails"
	Open    Verdict = "inconclusive"
	Few     Verdict = "not testable" // there are too few splits for an interval
	Missing Verdict = "no results"
	Quoted  Verdict = "not decided" // the claim has no rule
)

// A Result is a decided claim.
type Result struct {
	Claim   experiments.Claim
	Verdict Verdict
	Parts   []Part
	Old     []string // the cells that decide and that another version of their method computed, in words
}

// A Part is a decided comparison.
type Part struct {
	experiments.Comparison
	Other    string // the series that Series is compared with; "" for a number
	Estimate curves.Estimate
	Sets     []string // which the estimate is over
	Verdict  Verdict  // by itself
	Ratio    bool     // estimate and interval are of a ratio
	Percent  bool     // estimate and interval are percentage points
	What     string   // what is compared: the metric, processor time, power
	Source   *big.Rat // the source's own number; nil for none
}

// Decide decides claims on a frame. Rows that a claim needs and that are not stored make it Missing.
func Decide(f frame.Frame, claims []experiments.Claim) ([]Result, error) {
	d := decider{frame: f, lines: map[string]curves.Lines{}, old: map[[3]string]map[string]bool{}}
	var out []Result
	for _, c := range claims {
		r := Result{Claim: c, Verdict: Quoted}
		clear(d.old)
		for _, comparison := range c.Compare {
			parts, err := d.compare(comparison)
			if err != nil {
				return nil, fmt.Errorf("claim %q: %w", c.Says, err)
			}
			r.Parts = append(r.Parts, parts...)
		}
		if c.Compare != nil {
			r.Verdict = verdict(r.Parts)
		}
		r.Old = d.outdated()
		out = append(out, r)
	}
	return out, nil
}

// verdict is the verdict on a claim, from all of its comparisons: what one of them lacks no other makes good.
func verdict(parts []Part) Verdict {
	there := map[Verdict]bool{}
	for _, p := range parts {
		one := p.Verdict
		if one == Fails && !p.outside(1-Alpha/float64(len(parts))) {
			one = Open
		}
		there[one] = true
	}
	for _, v := range []Verdict{Missing, Fails, Few, Open, Holds} {
		if there[v] {
			return v
		}
	}
	return Missing
}

// outside reports whether the interval and the region have nothing in common.
func (p Part) outside(level float64) bool {
	low, high := p.Interval(level)
	return high <= p.Least || low >= p.Most
}

// Interval is the confidence interval of the difference or the ratio.
func (p Part) Interval(level float64) (low, high float64) {
	low, high = p.Estimate.Interval(level)
	if p.Ratio {
		return math.Exp(low), math.Exp(high)
	}
	return low, high
}

// Value is the difference or the ratio.
func (p Part) Value() float64 {
	if p.Ratio {
		return math.Exp(p.Estimate.Mean)
	}
	return p.Estimate.Mean
}

type decider struct {
	frame frame.Frame
	lines map[string]curves.Lines // by metric
	// cells of the claim that is being decided which another version computed, by the series, its version, and the
	// version that the program has
	old map[[3]string]map[string]bool
}

// look notes the outdated cells of a comparison. The program may not have a method, such as a plugin that is not here.
func (d *decider) look(l curves.Lines, p Part) {
	for _, series := range []string{p.Series, p.Other} {
		for _, x := range l.Xs(series) {
			between := p.Of == experiments.Slope && p.At != nil && p.At[0] <= x && x <= p.At[1]
			if !between && p.At != nil && !slices.Contains(slices.Concat(p.At, p.WithAt, p.LessAt), x) {
				continue
			}
			for _, set := range p.Sets {
				l.Splits(series, x, set, func(r result.Run) (float64, bool) {
					spec, err := d.frame.Registry.Lookup(r.Method)
					if err == nil && spec.Version != r.MethodVersion {
						key := [3]string{series, r.MethodVersion, spec.Version}
						if d.old[key] == nil {
							d.old[key] = map[string]bool{}
						}
						d.old[key][r.Name()] = true
					}
					return 0, false
				})
			}
		}
	}
}

func (d *decider) outdated() []string {
	var out []string
	for key, cells := range d.old {
		out = append(out, fmt.Sprintf("%s of %s at version %s, where the program has %s", frame.Count(len(cells),
			"cell"), key[0], key[1], key[2]))
	}
	return slices.Sorted(slices.Values(out))
}

// compare decides a comparison. It returns one part for each series that Series is compared with.
func (d *decider) compare(c experiments.Comparison) ([]Part, error) {
	name := c.Of
	if name == experiments.CPU || name == experiments.Slope {
		name = ""
	}
	l, ok := d.lines[name]
	if !ok {
		t, err := d.frame.Table(name)
		if err != nil {
			return nil, err
		}
		l = curves.LinesOf(&t, d.frame.Protocol.Sweep)
		d.lines[name] = l
	}
	others := c.With
	switch {
	case c.With == nil:
		others = []string{""}
	case slices.Equal(others, []string{"*"}):
		others = slices.DeleteFunc(slices.Clone(l.Names), func(s string) bool { return s == c.Series })
	}
	var parts []Part
	for _, other := range others {
		for _, one := range singly(l, c, other) {
			p := decide(l, one, other)
			d.look(l, p)
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// singly divides a comparison into one for each of its values, and for each of its sets where it asks for that.
func singly(l curves.Lines, c experiments.Comparison, other string) (out []experiments.Comparison) {
	if c.EachSet {
		c.EachSet = false
		for _, set := range c.Datasets {
			c.Datasets = []string{set}
			out = append(out, singly(l, c, other)...)
		}
		return out
	}
	xs := c.At
	if xs == nil && l.Quantity != "" {
		lacks := func(x float64) bool { return other != "" && !slices.Contains(l.Xs(other), x) }
		xs = slices.DeleteFunc(slices.Clone(l.Xs(c.Series)), lacks)
	}
	if len(xs) == 0 || c.Of == experiments.Slope || c.Mean {
		return []experiments.Comparison{c}
	}
	for i, x := range xs {
		one := c
		one.At, one.WithAt, one.LessAt = []float64{x}, nth(c.WithAt, i), nth(c.LessAt, i)
		out = append(out, one)
	}
	return out
}

// nth is the value of a list that belongs to the value i of another; a list of one belongs to all.
func nth(list []float64, i int) []float64 {
	if len(list) > 1 {
		return list[i : i+1]
	}
	return list
}

// decide decides a comparison at one value with one series.
func decide(l curves.Lines, c experiments.Comparison, other string) Part {
	terms := termsOf(c, other)
	groups, weight := groupsOf(l, c, terms)
	p := Part{Comparison: c, Other: other, Sets: doc.Map(groups, func(g group) string { return g.set }),
		Percent: l.Table.Metric.Percent, What: l.Table.Metric.Title}
	switch c.Of {
	case experiments.CPU:
		p.What, p.Percent, p.Ratio = "processor time", false, true
		p.Estimate = times(l, groups, weight)
	case experiments.Slope:
		p.What, p.Percent = "power of "+l.Quantity, false
		if from, to := l.UpperHalf(c.Series); p.At == nil && from < to {
			p.At = []float64{from, to}
		}
		if p.At != nil {
			p.Estimate = repeated(slices.Sorted(maps.Values(l.Powers(c.Series, p.At[0], p.At[1], l.Seconds()))))
			p.Sets = nil
			for _, x := range l.Xs(c.Series) {
				if p.At[0] <= x && x <= p.At[1] {
					p.Sets = append(p.Sets, l.SetsAt(c.Series, x)...)
				}
			}
			slices.Sort(p.Sets)
			p.Sets = slices.Compact(p.Sets)
		}
	default:
		p.Estimate = means(l, groups, weight)
		p.Source = tabled(l, groups)
	}
	switch numbers := doc.Map(c.Printed, stats.Decimal); {
	case len(numbers) == 1:
		p.Source = numbers[0]
	case len(numbers) == 2 && p.Ratio:
		p.Source = new(big.Rat).Quo(numbers[0], numbers[1])
	case len(numbers) == 2:
		p.Source = new(big.Rat).Sub(numbers[0], numbers[1])
	}
	p.Verdict = p.alone()
	return p
}

// alone is the verdict of a comparison by itself.
func (p Part) alone() Verdict {
	low, high := p.Interval(1 - Alpha)
	switch {
	case p.Estimate.Sets == 0:
		return Missing
	case math.IsNaN(p.Estimate.Error):
		return Few
	case p.outside(1 - Alpha):
		return Fails
	case low >= p.Least && high <= p.Most && (low > p.Least || high < p.Most):
		return Holds
	}
	return Open
}

// A term is a series at a value, with the factor that it has in a difference.
type term struct {
	factor float64
	series string
	x      float64
}

// termsOf returns the terms whose sum is compared. Without a sweep their value is 0.
func termsOf(c experiments.Comparison, other string) (out []term) {
	at := c.At
	if at == nil {
		at = []float64{0}
	}
	for _, x := range at {
		out = append(out, term{1 / float64(len(at)), c.Series, x})
		if c.WithAt != nil {
			x = c.WithAt[0]
		}
		if other != "" {
			out = append(out, term{-1 / float64(len(at)), other, x})
		}
	}
	if c.LessAt != nil {
		for _, t := range out {
			out = append(out, term{-t.factor, t.series, c.LessAt[0]})
		}
	}
	return out
}

// A group is terms that are measured on one set, split by split.
type group struct {
	set   string
	terms []term
}

// groupsOf returns the groups of a comparison, and the weight of each. A comparison that names sets is about those of
// them with runs of all its terms, whatever a third series lacks. One that names none is about the sets with runs of
// all series, so that all comparisons of a claim are about the same sets. Where sets are the points of the sweep,
// each value is a set of its own; terms on different sets are not paired.
func groupsOf(l curves.Lines, c experiments.Comparison, terms []term) (groups []group, weight float64) {
	for _, set := range l.Table.Sets {
		named := slices.Contains(c.Datasets, set.Name) || c.Datasets == nil && slices.Contains(l.Sets, set.Name)
		there := slices.DeleteFunc(slices.Clone(terms), func(t term) bool { return !l.Has(t.series, t.x, set.Name) })
		if named && (len(there) == len(terms) || l.OverSets && len(there) > 0) {
			groups = append(groups, group{set.Name, there})
		}
	}
	if !l.OverSets {
		return groups, 1 / float64(len(groups))
	}
	found := 0
	for _, g := range groups {
		found += len(g.terms)
	}
	if found != len(terms) {
		return nil, 0 // a value without a set, or with two
	}
	return groups, 1
}

// sums returns the sum of the terms of a group, on a scale, for each split that has them all.
func (g group) sums(l curves.Lines, of curves.Measure, scale func(float64) float64) map[int]float64 {
	sums, found := map[int]float64{}, map[int]int{}
	for _, t := range g.terms {
		for split, v := range l.Splits(t.series, t.x, g.set, of) {
			sums[split] += t.factor * scale(v)
			found[split]++
		}
	}
	maps.DeleteFunc(sums, func(split int, _ float64) bool { return found[split] < len(g.terms) })
	return sums
}

func plain(v float64) float64 { return v }

// means estimates a difference in a metric.
func means(l curves.Lines, groups []group, weight float64) curves.Estimate {
	var samples []curves.Sample
	for _, g := range groups {
		sums := g.sums(l, l.Measured(), plain)
		if len(sums) == 0 {
			return curves.Estimate{}
		}
		s := curves.Sample{Weight: weight, Ratio: l.Ratio(g.terms[0].series, g.terms[0].x, g.set)}
		for _, split := range slices.Sorted(maps.Keys(sums)) {
			s.Values = append(s.Values, sums[split])
		}
		samples = append(samples, s)
	}
	return curves.Combine(samples)
}

// tabled is the same difference of the values that the protocol's source prints; nil where it does not print them all.
func tabled(l curves.Lines, groups []group) *big.Rat {
	values, _ := l.Table.Printed()
	var sums []*big.Rat
	for _, g := range groups {
		sum := new(big.Rat)
		for _, t := range g.terms {
			at := slices.IndexFunc(values, func(v experiments.Value) bool {
				return v.Dataset == g.set && v.Method == t.series
			})
			if at < 0 {
				return nil
			}
			sum.Add(sum, stats.Decimal(t.factor*values[at].Mean))
		}
		sums = append(sums, sum)
	}
	return stats.Mean(sums)
}

// times estimates the logarithm of the ratio of processor times, as the mean over sets.
func times(l curves.Lines, groups []group, weight float64) curves.Estimate {
	each := doc.Map(groups, func(g group) map[int]float64 { return g.sums(l, l.Seconds(), math.Log) })
	weighted := func(v float64) float64 { return v * weight * float64(len(groups)) }
	return repeated(slices.Sorted(maps.Values(curves.Averages(each, weighted))))
}

// repeated estimates the mean of independent repetitions.
func repeated(list []float64) curves.Estimate {
	if len(list) == 0 {
		return curves.Estimate{}
	}
	return curves.Combine([]curves.Sample{{Weight: 1, Values: list}})
}
