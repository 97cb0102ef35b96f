package compare

import (
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// interval turns the interval of a gain into the interval of the difference, ours less theirs.
func (p *Page) interval(i stats.Interval) stats.Interval {
	if p.Metric.Better == metric.Lower {
		return stats.Interval{Low: -i.High, High: -i.Low}
	}
	return i
}

// signed writes an end of an interval.
func (p *Page) signed(x float64) string { return frame.SignedFloat(x, p.Decimals()) }

// overSets has a row an opponent.
func (p *Page) overSets() doc.Table {
	out := doc.Table{Heading: "Over data sets", Caption: p.method + " beside each other method, over data sets", Label: "over", Corner: "Against", Legend: p.overLegend()}
	const interval, wilcoxon, sets = "interval", "Wilcoxon", "sets by mean"
	out.Head = []doc.Column{{Name: "verdict", Kind: doc.Words}, {Name: "diff.", Long: "mean difference", Kind: doc.Signed}, {Name: "from", Group: interval, Kind: doc.Signed}, {Name: "to", Group: interval, Kind: doc.Signed},
		{Name: "p", Group: wilcoxon}, {Name: "adjusted", Group: wilcoxon}, {Name: "ahead", Group: sets}, {Name: "within", Group: sets}, {Name: "behind", Group: sets}}
	for i := range p.pairs {
		q := &p.pairs[i]
		row := slices.Repeat(doc.Texts(frame.Absent), len(out.Head))
		if len(q.Gains) > 0 {
			n := p.interval(q.Interval)
			row = doc.Texts("", frame.Signed(p.Difference(q.Mean), p.Decimals()), p.signed(n.Low), p.signed(n.High), frame.PValue(q.Signed.P), frame.PValue(q.Adjusted),
				fmt.Sprint(q.Ahead), fmt.Sprint(q.Within), fmt.Sprint(q.Behind))
		}
		row[0] = doc.Entry{Text: string(q.Verdict), Best: q.Verdict.Found()}
		out.Add(p.other(q), row...)
	}
	out.Best = p.found(out.Sections[0])
	return out
}

// found explains the mark of verdicts; "" if no verdict is marked.
func (p *Page) found(rows []doc.Row) string {
	for _, r := range rows {
		for _, c := range r.Entries {
			if c.Best {
				return fmt.Sprintf("the adjusted p is below %v, and the mean differs by more than %s.", p.o.Level, p.region.Text(p.Metric))
			}
		}
	}
	return ""
}

func (p *Page) overLegend() []string {
	ahead := "Sets by mean: how many are ahead, equal, behind."
	if p.region.Exists() {
		ahead = fmt.Sprintf("Sets by mean: ahead and behind by more than %s, or within it.", p.region.Text(p.Metric))
	}
	legend := []string{
		fmt.Sprintf("Difference: ours less theirs, mean over the sets of the main group, and its %.4g %% interval by Student's t over sets.", 100*(1-p.o.Level)),
		fmt.Sprintf("Wilcoxon: exact signed-rank test on the differences of means, zeros split; adjusted for %s.", Family(p.Evidence)),
		ahead,
	}
	if p.region.Exists() {
		legend = append(legend, p.meaning())
	}
	return legend
}

// meaning explains the verdicts beside a region.
func (p *Page) meaning() string {
	return fmt.Sprintf("Better, worse: found, and beyond %[1]s. Smaller: found or shown to be within %[1]s. Open: neither.", p.region.Text(p.Metric))
}

// bayes has the posteriors of each pair, and the forecasts for one more data set.
func (p *Page) bayes() doc.Table {
	out := doc.Table{Heading: "Typical and next differences", Caption: "Probabilities of the typical difference, and of the difference on one more data set", Label: "bayes", Corner: "Against", Detail: true}
	if !p.region.Exists() {
		return doc.Table{Caption: out.Caption, Detail: true, Legend: []string{"There are no such probabilities without a size that does not matter; --equivalence sets one."}}
	}
	groups := []string{"typical"}
	if p.Evidence.Forecasts() {
		groups = append(groups, "one more set")
	}
	for _, g := range groups {
		for _, side := range []string{"above", "within", "below"} {
			out.Head = append(out.Head, doc.Column{Name: side, Group: g})
		}
	}
	texts := func(x *stats.Probabilities) []doc.Entry {
		if x == nil {
			return doc.Texts(frame.Absent, frame.Absent, frame.Absent)
		}
		return doc.Texts(frame.Probability(x.Above), frame.Probability(x.Within), frame.Probability(x.Below))
	}
	for i := range p.pairs {
		row := texts(p.typical[i])
		if p.Evidence.Forecasts() {
			row = append(row, texts(&p.pairs[i].Forecast)...)
		}
		out.Add(p.other(&p.pairs[i]), row...)
	}
	out.Legend = []string{fmt.Sprintf("Above, below: by more than %s in favour of %s or against it.", p.region.Text(p.Metric), p.method),
		"Typical: posterior of the typical difference over sets by the Bayesian signed-rank test. It is no prediction of a single set."}
	return out
}

// bySet has a row a data set of one pair.
func (p *Page) bySet(q *evidence.Pair) doc.Table {
	other := p.other(q)
	out := doc.Table{Heading: "Against " + other, Caption: fmt.Sprintf("%s beside %s by data set", p.method, other), Label: other, Corner: "Data set", Detail: len(p.pairs) > 1}
	const interval, test = "interval", "t-test"
	out.Head = []doc.Column{{Name: "splits", Kind: doc.Repeated}, {Name: p.method}, {Name: other}, {Name: "diff.", Long: "difference", Kind: doc.Signed},
		{Name: "from", Group: interval, Kind: doc.Signed}, {Name: "to", Group: interval, Kind: doc.Signed}, {Name: "p", Group: test}, {Name: "adjusted", Group: test}, {Name: "verdict", Kind: doc.Words}}
	var sections [2][]doc.Row // of the main group, and below it
	draws, few := false, false
	for i := range q.Sets {
		s := &q.Sets[i]
		few = few || !s.Set.Draws && !s.Tested()
		difference := p.interval(s.Interval(1 - p.o.Level))
		over := fmt.Sprint(len(s.Splits))
		if s.Set.Draws {
			over, draws = frame.Count(len(s.Splits), "draw"), true
		}
		row := doc.Row{Name: s.Set.Name, Entries: []doc.Entry{{Text: over, Tip: "splits " + frame.Ranges(s.Splits)},
			{Text: frame.Text(s.Ours, p.Decimals())}, {Text: frame.Text(s.Theirs, p.Decimals())}, {Text: frame.Signed(p.Difference(s.Gain), p.Decimals()), Shade: shade(s.Verdict)},
			{Text: p.signed(difference.Low)}, {Text: p.signed(difference.High)},
			{Text: frame.PValue(s.P)}, {Text: frame.PValue(s.Adjusted)}, {Text: string(s.Verdict), Best: s.Verdict.Found()}}}
		group := 0
		if s.Set.Group != frame.GroupMain {
			group = 1
		}
		sections[group] = append(sections[group], row)
	}
	for _, section := range sections {
		if len(section) > 0 {
			out.Sections = append(out.Sections, section)
			if out.Best == "" {
				out.Best = p.found(section)
			}
		}
	}
	if out.Legend = p.setLegend(len(sections[1]) > 0); draws {
		out.Legend = append(out.Legend, "Draws: the set is divided once, and its splits are draws of the methods. Equal fits of both methods count once, and there is no test on the set.")
	}
	if few {
		out.Legend = append(out.Legend, fmt.Sprintf("A set with fewer than %d splits has no test: in so few splits equal differences are common by chance.", stats.FewestSplits))
	}
	return out
}

// shade marks what a test finds.
func shade(v evidence.Verdict) int {
	switch v {
	case evidence.Better:
		return 3
	case evidence.Worse:
		return -3
	}
	return 0
}

func (p *Page) setLegend(below bool) []string {
	legend := []string{
		fmt.Sprintf("Over the splits that both have finished. Difference: ours less theirs; %.4g %% interval and p: t-test corrected for overlapping splits, of this set alone; adjusted: for %s.", 100*(1-p.o.Level), Family(p.Evidence)),
	}
	if p.region.Exists() {
		legend = append(legend, p.meaning())
	}
	if below {
		legend = append(legend, "Sets below the rule are shown apart and not counted over data sets.")
	}
	return legend
}
