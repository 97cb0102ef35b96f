package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// interval turns the interval of a gain into the interval of the difference, ours less theirs.
func (p *Page) interval(i stats.Interval) stats.Interval {
	if p.Metric.Better == metric.Lower {
		return stats.Interval{Low: -i.High, High: -i.Low}
	}
	return i
}

func (p *Page) signed(x float64) string { return frame.SignedFloat(x, p.OverDecimals()) }

// Over has a row an opponent.
func (p *Page) Over() doc.Table {
	out := doc.Table{Heading: "Over data sets", Caption: p.method + " against each other method, over data sets",
		Label: "over", Corner: "Against", Legend: p.overLegend()}
	const typical, adjusted, sets = "typical", "adjusted p", "sets"
	out.Head = []doc.Column{{Name: "verdict", Kind: doc.Words},
		{Name: "diff.", Long: "difference", Group: typical, Kind: doc.Signed},
		{Name: "from", Group: typical, Kind: doc.Signed}, {Name: "to", Group: typical, Kind: doc.Signed}, {Name: "p"},
		{Name: "diff.", Group: adjusted}}
	if p.region.Exists() {
		out.Head = append(out.Head, doc.Column{Name: "equiv.", Long: "equivalence", Group: adjusted})
	}
	out.Head = append(out.Head, doc.Column{Name: "ahead", Group: sets}, doc.Column{Name: "behind", Group: sets},
		doc.Column{Name: "of", Group: sets},
		doc.Column{Name: "mean", Kind: doc.Signed})
	if len(p.Evidence.Registered) > 0 {
		out.Head = append(out.Head, doc.Column{Name: "kind", Kind: doc.Words})
	}
	for i := range p.pairs {
		q := &p.pairs[i]
		row := slices.Repeat(doc.Texts(frame.Absent), len(out.Head))
		if len(q.Gains) > 0 {
			n := p.interval(q.TypicalInterval())
			row = doc.Texts("", frame.Signed(p.Difference(q.Typical()), p.OverDecimals()), p.signed(n.Low),
				p.signed(n.High), frame.PValue(q.Signed.P), frame.PValue(q.Adjusted))
			if p.region.Exists() {
				row = append(row, doc.Entry{Text: frame.PValue(q.Equivalence)})
			}
			row = append(row, doc.Texts(fmt.Sprint(q.Ahead), fmt.Sprint(q.Behind), fmt.Sprint(len(q.Gains)),
				frame.Signed(p.Difference(q.Mean), p.OverDecimals()), p.kind(q))[:len(out.Head)-len(row)]...)
		}
		row[0] = doc.Entry{Text: string(q.Verdict), Best: q.Verdict.Found()}
		out.Add(p.other(q), row...)
	}
	return out
}

func (p *Page) overLegend() []string {
	behind := "behind"
	if p.region.Exists() {
		behind += " by more than " + p.region.Text(p.Metric)
	}
	alone := ""
	if p.Evidence.Compared() > 1 {
		alone = ", of this comparison alone"
	}
	return []string{
		fmt.Sprintf("Typical difference: ours less theirs, pseudo-median over the sets of the main group, and its "+
			"%.4g %% interval%s.", 100*(1-p.o.Level), alone),
		fmt.Sprintf("p: Wilcoxon's signed-rank test, exact, zeros split; adjusted for %s.", families(p.Evidence)),
		"Sets by mean: how many are ahead and " + behind + ", of how many.",
	}
}

func (p *Page) bySet(q *evidence.Pair) doc.Table {
	other := p.other(q)
	out := doc.Table{Heading: "Against " + other, Caption: fmt.Sprintf("%s against %s by data set", p.method, other),
		Label: other, Corner: "Data set", Detail: len(p.pairs) > 1}
	const interval, test = "interval", "t-test"
	out.Head = []doc.Column{{Name: "splits", Kind: doc.Repeated}, {Name: p.method}, {Name: other},
		{Name: "diff.", Long: "difference", Kind: doc.Signed},
		{Name: "from", Group: interval, Kind: doc.Signed}, {Name: "to", Group: interval, Kind: doc.Signed},
		{Name: "p", Group: test}, {Name: "adjusted", Group: test}, {Name: "verdict", Kind: doc.Words}}
	var sections [2][]doc.Row // of the main group, and below it
	draws, few := false, false
	for i := range q.Sets {
		s := &q.Sets[i]
		few = few || !s.Set.Draws && !s.Tested()
		difference := p.interval(s.Interval())
		over := fmt.Sprint(len(s.Splits))
		if s.Set.Draws {
			over, draws = frame.Count(len(s.Splits), "draw"), true
		}
		row := doc.Row{Name: s.Set.Name, Entries: []doc.Entry{{Text: over, Tip: "splits " + frame.Ranges(s.Splits)},
			{Text: frame.Text(s.Ours, p.Decimals())}, {Text: frame.Text(s.Theirs, p.Decimals())},
			{Text: frame.Signed(p.Difference(s.Gain), p.Decimals()), Shade: shades[s.Verdict]},
			{Text: frame.SignedFloat(difference.Low, p.Decimals())},
			{Text: frame.SignedFloat(difference.High, p.Decimals())},
			{Text: frame.PValue(s.P)}, {Text: frame.PValue(s.Adjusted)},
			{Text: string(s.Verdict), Best: s.Verdict.Found()}}}
		group := 0
		if s.Set.Group != frame.GroupMain {
			group = 1
		}
		sections[group] = append(sections[group], row)
	}
	for _, section := range sections {
		if len(section) > 0 {
			out.Sections = append(out.Sections, section)
		}
	}
	if out.Legend = p.setLegend(len(sections[1]) > 0); draws {
		out.Legend = append(out.Legend, "Draws: the set is divided once, and its splits are draws of the methods. "+
			"Equal fits of both methods count once, and there is no test on the set.")
	}
	if few {
		out.Legend = append(out.Legend, fmt.Sprintf("A set with fewer than %d splits has no test: in so few splits "+
			"equal differences are common by chance.", stats.FewestSplits))
	}
	return out
}

// shades mark what a test finds.
var shades = map[evidence.Verdict]int{evidence.Better: 3, evidence.Worse: -3}

func (p *Page) setLegend(below bool) []string {
	legend := []string{
		fmt.Sprintf("Over the splits that both have finished. Difference: ours less theirs; %.4g %% interval and p: "+
			"t-test corrected for overlapping splits, of this set alone; adjusted: for the %s on single sets. The "+
			"test takes the rows of a set to be independent, or its groups where it has groups.",
			100*(1-p.o.Level), frame.Count(p.Evidence.Sets, "test")),
	}
	if below {
		legend = append(legend, "Sets under the second line are not of the protocol's main group, and not counted "+
			"over data sets.")
	}
	return legend
}

// pairRecords has a row an opponent, with the posterior of its typical difference. Gains are in favour of the method.
func (p *Page) pairRecords(posteriors []*stats.Probabilities) doc.Records {
	out := doc.Records{Name: "pairs"}
	for i := range p.pairs {
		q := &p.pairs[i]
		won, tied, lost := stats.Signs(q.Gains)
		typical, mean := q.TypicalInterval(), q.MeanInterval()
		set, without, carried := q.Carrier()
		x := cmp.Or(posteriors[i], &stats.Probabilities{Below: math.NaN(), Within: math.NaN(), Above: math.NaN()})
		row := []any{"protocol", p.Protocol, "metric", p.Metric.Name, "method", p.method, "other", p.other(q),
			"sets", len(q.Gains), "typical_gain", q.Typical(), "typical_low", typical.Low, "typical_high", typical.High,
			"wilcoxon_p", q.P(), "adjusted_p", q.Adjusted, "equivalence_p", q.Equivalence,
			"verdict", string(q.Verdict), "mean_gain", q.Mean, "mean_low", mean.Low, "mean_high", mean.High,
			"carried_by", orNil(carried, set), "mean_without", without, "ahead", q.Ahead, "within", q.Within,
			"behind", q.Behind, "won", won, "tied", tied, "lost", lost, "rope", q.Rope, "level", p.o.Level,
			"comparisons", p.Evidence.Of(q).Compared(), "set_tests", p.Evidence.Sets,
			"version_number", q.Versions.Ours.Number, "versions", q.Versions.Ours.Of,
			"other_version_number", q.Versions.Theirs.Number, "other_versions", q.Versions.Theirs.Of,
			"versions_p", q.Versions.P, "typical_worse", x.Below, "typical_equivalent", x.Within,
			"typical_better", x.Above}
		if kind := p.kind(q); kind != "" {
			row = append(row, "kind", kind)
		}
		out.Put(row...)
	}
	return out
}

// orNil is a value of a record that may be absent.
func orNil(there bool, value any) any {
	if there {
		return value
	}
	return nil
}

// setRecords has a row a pair and set. Gains are in favour of the method.
func (p *Page) setRecords() doc.Records {
	out := doc.Records{Name: "sets"}
	for i := range p.pairs {
		q := &p.pairs[i]
		for _, s := range q.Sets {
			interval := s.Interval()
			out.Put("protocol", p.Protocol, "metric", p.Metric.Name, "method", p.method, "other", p.other(q),
				"dataset", s.Set.Name, "group", s.Set.Group, "splits", s.Splits, "train_rows", s.Set.TrainRows,
				"test_rows", s.Set.TestRows, "ours", s.Ours, "theirs", s.Theirs, "gain", s.Gain,
				"gain_low", interval.Low, "gain_high", interval.High,
				"corrected_t", orNil(s.Tested(), s.Test.Statistic), "p", s.P, "adjusted_p", s.Adjusted,
				"equivalence_p", s.Equivalence, "rope", s.Rope, "level", p.o.Level,
				"verdict", string(s.Verdict), "version", p.Version(s.Set.Name, p.method),
				"other_version", p.Version(s.Set.Name, p.other(q)))
		}
	}
	return out
}

// Differences draws the typical difference from each other method.
func (p *Page) Differences() doc.Figure {
	var rows []plot.ForestRow
	for i := range p.pairs {
		if q := &p.pairs[i]; len(q.Gains) > 0 {
			rows = append(rows, p.forestRow(p.other(q), q.Typical(), q.TypicalInterval(), false))
		}
	}
	o := p.forestOptions("other method")
	o.Single = "typical difference over data sets"
	return doc.Figure{Name: "methods", Title: "Typical differences", About: p.method +
		" less each other method, pseudo-median over data sets", Plot: plot.Forest(rows, o),
		Alt: fmt.Sprintf("Typical differences of %s from %s with their intervals", p.method,
			frame.Count(len(rows), "other method"))}
}

// forestOfSets draws the difference from a method on each data set, and the typical difference over those that count.
func (p *Page) forestOfSets(q *evidence.Pair) doc.Figure {
	other := p.other(q)
	var rows []plot.ForestRow
	for i := range q.Sets {
		s := &q.Sets[i]
		i, scale := s.Interval(), frame.Float64(p.OverSets(big.NewRat(1, 1), s.Ours, s.Theirs))
		rows = append(rows, p.forestRow(s.Set.Name, p.OverSets(s.Gain, s.Ours, s.Theirs),
			stats.Interval{Low: scale * i.Low, High: scale * i.High}, false))
	}
	if len(q.Gains) > 1 {
		rows = append(rows, p.forestRow("typical of "+frame.Count(len(q.Gains), "set"), q.Typical(),
			q.TypicalInterval(), true))
	}
	o := p.forestOptions(other)
	o.Single, o.Summary = "one data set", "typical difference over data sets"
	return doc.Figure{Name: strings.ToLower(other), Title: "Differences from " + other,
		About:  fmt.Sprintf("%s less %s, a line a data set", p.method, other),
		Detail: len(p.pairs) > 1, Plot: plot.Forest(rows, o),
		Alt: fmt.Sprintf("Differences of %s from %s on %s with their intervals", p.method, other,
			frame.Count(len(q.Sets), "data set"))}
}

// forestRow is a line of a plot: a gain as ours less theirs, with its interval.
func (p *Page) forestRow(label string, gain *big.Rat, gained stats.Interval, summary bool) plot.ForestRow {
	i := p.interval(gained)
	text := frame.Signed(p.Difference(gain), p.OverDecimals())
	if !math.IsNaN(i.Low) {
		text += fmt.Sprintf(" [%s, %s]", p.signed(i.Low), p.signed(i.High))
	}
	return plot.ForestRow{Label: label, Estimate: frame.Float64(p.Difference(gain)), Low: i.Low, High: i.High,
		Text: text, Summary: summary}
}

func (p *Page) forestOptions(other string) plot.ForestOptions {
	unit := ""
	if p.unit != "" {
		unit = " (" + strings.TrimSpace(p.unit) + ")"
	}
	o := plot.ForestOptions{Axis: "difference in " + p.Metric.Title + unit,
		Interval: fmt.Sprintf("%.4g %% interval", 100*(1-p.o.Level)), Worse: other + " ahead",
		Better: p.method + " ahead"}
	if p.Metric.Better == metric.Lower {
		o.Worse, o.Better = o.Better, o.Worse
	}
	if p.region.Exists() && !p.region.Relative && !p.Metric.Unit {
		o.Rope, _ = p.region.Width.Float64()
		o.RopeText = "within " + p.region.Text(p.Metric)
	}
	return o
}

// usualDraws is the number of draws of the Bayesian signed-rank test, with a standard error of at most 0.005.
const usualDraws = 10_000

// posteriors is the table of the posteriors of typical differences, a row a pair by its name, in the order of the
// pairs.
func posteriors(ev *evidence.Evidence, m metric.Metric, corner string, names []string,
	posteriors []*stats.Probabilities) doc.Table {
	out := doc.Table{Heading: "The typical difference by Bayes", Caption: "Probabilities of the typical difference",
		Label: "bayes", Corner: corner, Detail: true}
	if !ev.Region.Exists() {
		out.Legend = []string{"There are no such probabilities without a size that does not matter; --equivalence " +
			"sets one."}
		return out
	}
	out.Head = []doc.Column{{Name: "above"}, {Name: "within"}, {Name: "below"}}
	for i, name := range names {
		row := doc.Texts(frame.Absent, frame.Absent, frame.Absent)
		if x := posteriors[i]; x != nil {
			row = doc.Texts(frame.Probability(x.Above), frame.Probability(x.Within), frame.Probability(x.Below))
		}
		out.Add(name, row...)
	}
	out.Legend = []string{fmt.Sprintf("Posterior of the typical difference over sets by the Bayesian signed-rank "+
		"test: by more than %s in favour of the first method or against it, or within. It is no prediction of a "+
		"single set, and no verdict is made from it.", ev.Region.Text(m))}
	return out
}
