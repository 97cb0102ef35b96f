// Package claims decides sentences of papers by stored results: a sentence holds, fails, or stays open.
//
// A claim is a list of comparisons (package experiments). Each comparison is a difference, and a region in which the
// difference lies if the claim is true. The difference is estimated by the mean over the stored data sets. Its interval is
// for other splits of these sets, after Nadeau and Bengio (2003) on each set. It says nothing about other data sets; `bench
// compare` is for these.
//
//   - A claim holds if every interval at level 1 - alpha lies in its region. This level is enough for all comparisons
//     together (Berger 1982): a false claim has a false comparison, which holds with probability alpha at most.
//   - A claim of k comparisons fails if one interval at level 1 - alpha / k lies outside of its region.
//   - Otherwise the claim stays open.
//
// So the probability is at most alpha that a false claim holds, and that a true claim fails; claims_test.go counts.
// Processor times are compared by their ratio, with Student's interval of the mean logarithm over repetitions.
package claims

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
	"github.com/kernelboosting/bench/reports/sweep"
	"gonum.org/v1/gonum/stat/distuv"
)

// Alpha is the probability with which a verdict may be wrong.
const Alpha = 0.05

// A Verdict says what results say about a claim.
type Verdict string

// The verdicts.
const (
	Holds   Verdict = "holds"
	Fails   Verdict = "fails"
	Open    Verdict = "not told apart"
	Missing Verdict = "no results"
)

// A Result is a decided claim.
type Result struct {
	Claim   experiments.Claim
	Verdict Verdict
	Parts   []Part
}

// A Part is a decided comparison.
type Part struct {
	experiments.Comparison
	Other    string // the series beside Series; "" for a number
	Estimate Estimate
	Verdict  Verdict // by itself
	Ratio    bool    // estimate and interval are of a ratio
	Percent  bool    // estimate and interval are percentage points
	What     string  // what is compared: the metric, processor time, power
}

// An Estimate is a mean over data sets with what its interval needs.
type Estimate struct {
	Mean, Error, DF float64 // standard error and degrees of freedom; NaN for one split
	Sets, Splits    int     // number of sets, and the fewest splits of a set
}

// Interval is the confidence interval of the mean. Without a standard error it is the whole line.
func (e Estimate) Interval(level float64) (low, high float64) {
	switch {
	case math.IsNaN(e.Error):
		return math.Inf(-1), math.Inf(1)
	case e.Error == 0:
		return e.Mean, e.Mean
	}
	half := -distuv.StudentsT{Sigma: 1, Nu: e.DF}.Quantile((1-level)/2) * e.Error
	return e.Mean - half, e.Mean + half
}

// A sample is what a data set contributes to an estimate: its weight times the mean of its values, one value a split.
type sample struct {
	weight float64
	values []float64
	ratio  float64 // test rows for a training row, 0 for values that are independent
}

// combine adds samples up. The variance of the mean of a sample is Nadeau and Bengio's. The variance of the sum has
// Satterthwaite's degrees of freedom. There is no standard error for fewer sets than stats.FewestSplits if one of the sets
// has fewer splits than that: the spread of so few counts is often zero by chance.
func combine(samples []sample) Estimate {
	e := Estimate{Sets: len(samples), Splits: math.MaxInt}
	sum, down := 0.0, 0.0
	for _, s := range samples {
		n := float64(len(s.values))
		mean, squares := 0.0, 0.0
		for _, v := range s.values {
			mean += v / n
		}
		for _, v := range s.values {
			squares += (v - mean) * (v - mean)
		}
		variance := s.weight * s.weight * (1/n + s.ratio) * squares / (n - 1)
		e.Mean += s.weight * mean
		sum += variance
		down += variance * variance / (n - 1)
		e.Splits = min(e.Splits, len(s.values))
	}
	e.Error, e.DF = math.Sqrt(sum), sum*sum/down
	if len(samples) < stats.FewestSplits && slices.ContainsFunc(samples, func(s sample) bool { return s.ratio > 0 && len(s.values) < stats.FewestSplits }) {
		e.Error = math.NaN()
	}
	return e
}

// Decide decides claims on a frame. Rows that a claim needs and that are not stored make it Missing.
func Decide(f frame.Frame, claims []experiments.Claim) ([]Result, error) {
	d := decider{frame: f, lines: map[string]sweep.Lines{}}
	var out []Result
	for _, c := range claims {
		r := Result{Claim: c, Verdict: Holds}
		for _, comparison := range c.Compare {
			parts, err := d.compare(comparison)
			if err != nil {
				return nil, fmt.Errorf("claim %q: %w", c.Says, err)
			}
			r.Parts = append(r.Parts, parts...)
		}
		r.Verdict = verdict(r.Parts)
		out = append(out, r)
	}
	return out, nil
}

// verdict is the verdict on a claim, from all of its comparisons.
func verdict(parts []Part) Verdict {
	out := Holds
	for _, p := range parts {
		switch level := 1 - Alpha/float64(len(parts)); {
		case p.Verdict == Missing:
			return Missing
		case p.outside(level):
			out = Fails
		case p.Verdict != Holds && out != Fails:
			out = Open
		}
	}
	return out
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
	lines map[string]sweep.Lines // by metric
}

// compare decides a comparison. It returns one part for each series that Series is compared with.
func (d *decider) compare(c experiments.Comparison) ([]Part, error) {
	name := c.Of
	if name == experiments.CPU || name == experiments.Slope {
		name = ""
	}
	l, ok := d.lines[name]
	if !ok {
		t, err := d.frame.TableOf(name)
		if err != nil {
			return nil, err
		}
		l = sweep.LinesOf(t, d.frame.Protocol.Sweep)
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
		p := Part{Comparison: c, Other: other, Ratio: c.Of == experiments.CPU, Percent: l.Table.Metric.Percent, What: l.Table.Metric.Title}
		switch c.Of {
		case experiments.CPU:
			p.What, p.Percent = "processor time", false
			p.Estimate = times(l, c, other)
		case experiments.Slope:
			p.What, p.Percent = "power of "+l.Quantity, false
			if from, to := l.UpperHalf(c.Series); p.At == nil && from < to {
				p.At = []float64{from, to}
			}
			if p.At != nil {
				p.Estimate = power(l, c.Series, p.At[0], p.At[1])
			}
		default:
			p.Estimate = means(l, c, other)
		}
		p.Verdict = p.alone()
		parts = append(parts, p)
	}
	return parts, nil
}

// alone is the verdict of a comparison by itself.
func (p Part) alone() Verdict {
	low, high := p.Interval(1 - Alpha)
	switch {
	case p.Estimate.Sets == 0:
		return Missing
	case p.outside(1 - Alpha):
		return Fails
	case low >= p.Least && high <= p.Most && (low > p.Least || high < p.Most):
		return Holds
	}
	return Open
}

// setsOf returns the sets that a comparison is about: of the sets that it names, those with runs of both series at the values
// compared, whatever a third series lacks. A comparison that names no sets is about those with runs of all series, so that
// all comparisons of a claim are about the same sets.
func setsOf(l sweep.Lines, c experiments.Comparison, xs []float64, other string, beside []float64) []string {
	if c.Datasets == nil {
		return l.Sets
	}
	lacks := func(set, series string, xs []float64) bool {
		return series != "" && slices.ContainsFunc(xs, func(x float64) bool { return !l.Has(series, x, set) })
	}
	var out []string
	for _, set := range l.Table.Sets {
		if slices.Contains(c.Datasets, set.Name) && !lacks(set.Name, c.Series, xs) && !lacks(set.Name, other, beside) {
			out = append(out, set.Name)
		}
	}
	return out
}

// at returns the values of the swept quantity for a comparison: the named values, or all values at which both series have runs.
func at(l sweep.Lines, named []float64, series, other string) []float64 {
	if named != nil {
		return named
	}
	return slices.DeleteFunc(slices.Clone(l.Xs(series)), func(x float64) bool { return other != "" && !slices.Contains(l.Xs(other), x) })
}

// means estimates how much a series differs from the other series in a metric. On each set it compares the means of both
// series over the values of the comparison, split by split. Without another series it estimates the metric of the one
// series. If sets are the points of the sweep, each value is a set of its own. If the comparison names values for the other
// series (WithAt), these are different sets, and splits are not paired.
func means(l sweep.Lines, c experiments.Comparison, other string) Estimate {
	xs := at(l, c.At, c.Series, other)
	beside := c.WithAt
	if beside == nil {
		beside = xs
	}
	var samples []sample
	add := func(weight float64, set string, left, right []float64, series, other string) bool {
		if len(left) == 0 || len(right) == 0 {
			return false
		}
		list := differences(averages(l, series, left, set), averages(l, other, right, set), other == "")
		samples = append(samples, sample{weight, list, l.Ratio(series, left[0], set)})
		return len(list) > 0
	}
	if !l.OverSets {
		sets := setsOf(l, c, xs, other, beside)
		for _, set := range sets {
			if !add(1/float64(len(sets)), set, xs, beside, c.Series, other) {
				return Estimate{}
			}
		}
		return combine(samples)
	}
	each := func(weight float64, xs []float64, series, other string) bool {
		for _, x := range xs {
			sets := l.SetsAt(series, x)
			if len(sets) != 1 || !add(weight/float64(len(xs)), sets[0], []float64{x}, []float64{x}, series, other) {
				return false
			}
		}
		return len(xs) > 0
	}
	there := false
	if c.WithAt == nil {
		there = each(1, xs, c.Series, other)
	} else {
		there = each(1, xs, c.Series, "") && each(-1, beside, other, "")
	}
	if !there {
		return Estimate{}
	}
	return combine(samples)
}

// averages returns the mean of a series over values, by split. It leaves out splits that lack one of the values.
func averages(l sweep.Lines, series string, xs []float64, set string) map[int]float64 {
	each := doc.Each(xs, func(x float64) map[int]float64 { return l.Splits(series, x, set, l.Measured()) })
	return sweep.Averages(each, func(v float64) float64 { return v })
}

// differences returns left less right for each split that both have, in the order of the splits. If alone is true there is
// no right side, and the result is the values of left.
func differences(left, right map[int]float64, alone bool) []float64 {
	var splits []int
	for split := range left {
		if _, ok := right[split]; ok || alone {
			splits = append(splits, split)
		}
	}
	slices.Sort(splits)
	out := make([]float64, len(splits))
	for i, split := range splits {
		out[i] = left[split] - right[split]
	}
	return out
}

// times estimates the logarithm of the ratio of processor times, as the mean over values and sets.
func times(l sweep.Lines, c experiments.Comparison, other string) Estimate {
	xs := at(l, c.At, c.Series, other)
	sums, parts := map[int]float64{}, map[int]int{}
	pairs := 0
	for _, x := range xs {
		for _, set := range setsOf(l, c, []float64{x}, other, []float64{x}) {
			if !l.Has(c.Series, x, set) {
				continue
			}
			left, right := l.Splits(c.Series, x, set, l.Seconds()), l.Splits(other, x, set, l.Seconds())
			pairs++
			for split, v := range left {
				if w, ok := right[split]; ok {
					sums[split] += math.Log(v / w)
					parts[split]++
				}
			}
		}
	}
	var list []float64
	for split, sum := range sums {
		if parts[split] == pairs {
			list = append(list, sum/float64(pairs))
		}
	}
	slices.Sort(list) // maps have no order, and sums depend on it
	return repeated(list)
}

// power is the power of the swept quantity with which processor times grow between two of its values.
func power(l sweep.Lines, series string, from, to float64) Estimate {
	return repeated(slices.Sorted(maps.Values(l.Powers(series, from, to, l.Seconds()))))
}

// repeated estimates the mean of independent repetitions.
func repeated(list []float64) Estimate {
	if len(list) == 0 {
		return Estimate{}
	}
	return combine([]sample{{1, list, 0}})
}

// Blocks are the verdicts as a table, with the numbers that decide, and as records.
func Blocks(results []Result) []doc.Block {
	if len(results) == 0 {
		return nil
	}
	var prose doc.Prose
	prose.Heading = "Claims"
	table := doc.Table{Heading: "What decides", Corner: "Comparison", Head: []doc.Column{{Name: "difference"}, {Name: "low"}, {Name: "high"}, {Name: "asked", Kind: doc.Words}, {Name: "printed", Kind: doc.Quoted}, {Name: "sets"}, {Name: "splits"}, {Name: "verdict", Kind: doc.Words}},
		Legend: []string{"Differences are means over the data sets, in percentage points of metrics in percent; processor times are ratios. Low and high: the interval at 95 % for other splits of the same sets (docs/explanation/experiments.md)."}}
	records := doc.Records{Name: "claims", Columns: []string{"claim", "verdict", "series", "other", "of", "at", "estimate", "low", "high", "least", "most", "printed", "sets", "splits", "alone"}}
	for i, r := range results {
		prose.Paragraphs = append(prose.Paragraphs, fmt.Sprintf("%d. %s: %s", i+1, strings.ToUpper(string(r.Verdict)), r.Claim.Says))
		table.Sections = append(table.Sections, nil)
		for _, p := range r.Parts {
			name, entries := p.row(i + 1)
			table.Add(name, entries...)
			low, high := p.Interval(1 - Alpha)
			records.Add(r.Claim.Says, string(r.Verdict), p.Series, p.Other, p.What, points(p.At), p.Value(), low, high,
				p.Least, p.Most, p.Printed, p.Estimate.Sets, p.Estimate.Splits, string(p.Verdict))
		}
	}
	return []doc.Block{prose, table, records}
}

func (p Part) row(claim int) (name string, entries []doc.Entry) {
	low, high := p.Interval(1 - Alpha)
	name = fmt.Sprintf("%d. %s", claim, p.Series)
	if p.Other != "" {
		name += " - " + p.Other
		if p.Ratio {
			name = fmt.Sprintf("%d. %s / %s", claim, p.Series, p.Other)
		}
	}
	if p.Of == experiments.Slope {
		name += ", power"
	}
	if at := points(p.At); at != "" && p.Of == experiments.Slope {
		name += fmt.Sprintf(" from %g to %g", p.At[0], p.At[1])
	} else if at != "" {
		name += " at " + at
	}
	if p.WithAt != nil {
		name += " and " + points(p.WithAt)
	}
	if len(p.Datasets) == 1 {
		name += ", " + p.Datasets[0]
	}
	texts := []string{p.number(p.Value()), p.number(low), p.number(high), p.asked(), frame.Absent, strconv.Itoa(p.Estimate.Sets), strconv.Itoa(p.Estimate.Splits), string(p.Verdict)}
	if p.Verdict == Missing {
		texts[0], texts[1], texts[2], texts[6] = frame.Absent, frame.Absent, frame.Absent, frame.Absent
	}
	if p.Printed != nil {
		texts[4] = short(*p.Printed)
	}
	return name, doc.Texts(texts...)
}

// asked says where the difference lies if the comparison is true.
func (p Part) asked() string {
	switch {
	case math.IsInf(p.Most, 1):
		return "above " + short(p.Least)
	case math.IsInf(p.Least, -1):
		return "below " + short(p.Most)
	}
	return short(p.Least) + " to " + short(p.Most)
}

func points(at []float64) string {
	out := doc.Each(at, short)
	if len(out) > 3 {
		return out[0] + " .. " + out[len(out)-1]
	}
	return strings.Join(out, ", ")
}

// short writes a number with as few digits as it needs.
func short(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// number writes two decimals of percentage points and powers. A ratio may be near 0, and differences of a metric in other units may
// be small: of these it writes as many decimals as give two and three digits of the value itself.
func (p Part) number(v float64) string {
	decimals := 2
	if value := math.Abs(p.Value()); !p.Percent && p.Of != experiments.Slope && value > 0 && value < 1 {
		decimals -= int(math.Floor(math.Log10(value)))
		if p.Ratio {
			decimals--
		}
	}
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return frame.Absent
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
