package compare

import (
	"fmt"
	"math"
	"math/big"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// decimals of means and differences.
func (p *page) decimals() int {
	if p.Metric.Percent {
		return 2
	}
	return 4
}

// difference is a gain as ours less theirs.
func (p *page) difference(gain *big.Rat) *big.Rat {
	if p.Metric.Better == metric.Lower {
		return new(big.Rat).Neg(gain)
	}
	return gain
}

// interval is that of the difference, ours less theirs.
func (p *page) interval(i stats.Interval) stats.Interval {
	if p.Metric.Better == metric.Lower {
		return stats.Interval{Low: -i.High, High: -i.Low}
	}
	return i
}

// overSets has a row an opponent.
func (p *page) overSets() doc.Table {
	out := doc.Table{Heading: "Over data sets", Caption: p.method + " beside each other method, over data sets", Label: "over", Corner: "Against", Legend: p.overLegend()}
	const byTest, wilcoxon, posterior = "sets", "Wilcoxon", "probability"
	out.Head = []doc.Column{{Name: "better", Group: byTest}, {Name: "worse", Group: byTest}, {Name: "equiv.", Long: "equivalent", Group: byTest}, {Name: "open", Group: byTest},
		{Name: "by mean", Long: "sets won, tied, lost by mean"}, {Name: "diff.", Long: "mean difference", Kind: doc.Signed}, {Name: "p", Group: wilcoxon}, {Name: "Holm", Group: wilcoxon}}
	if p.o.Rope != nil {
		out.Head = append(out.Head, doc.Column{Name: "better", Group: posterior}, doc.Column{Name: "equiv.", Long: "equivalent", Group: posterior}, doc.Column{Name: "worse", Group: posterior})
	}
	var rows []doc.Row
	for i := range p.pairs {
		q := &p.pairs[i]
		row := doc.Row{Name: q.other}
		for _, v := range []verdict{better, worse, equivalent, open} {
			row.Entries = append(row.Entries, doc.Entry{Text: fmt.Sprint(q.count(v))})
		}
		won, tied, lost := stats.Signs(q.gains)
		row.Entries = append(row.Entries, doc.Entry{Text: fmt.Sprintf("%d/%d/%d", won, tied, lost)})
		difference, pValue := frame.Absent, math.NaN()
		if q.tested() {
			difference, pValue = frame.Signed(p.difference(q.mean), p.decimals()), q.wilcoxon.P
		}
		row.Entries = append(row.Entries, doc.Entry{Text: difference}, doc.Entry{Text: frame.PValue(pValue)},
			doc.Entry{Text: frame.PValue(q.adjusted), Best: q.adjusted < p.o.Level})
		rows = append(rows, doc.Row{Name: row.Name, Entries: append(row.Entries, p.posterior(q.posterior)...)})
	}
	out.Sections, out.Best = [][]doc.Row{rows}, p.found(rows)
	return out
}

// found explains the mark of p-values, where one is marked.
func (p *page) found(rows []doc.Row) string {
	for _, r := range rows {
		for _, c := range r.Entries {
			if c.Best {
				return fmt.Sprintf("below the level of %v.", p.o.Level)
			}
		}
	}
	return ""
}

// posterior is a cell for each of three probabilities; none without a region.
func (p *page) posterior(x *stats.Probabilities) []doc.Entry {
	if p.o.Rope == nil {
		return nil
	}
	if x == nil {
		return []doc.Entry{{Text: frame.Absent}, {Text: frame.Absent}, {Text: frame.Absent}}
	}
	return []doc.Entry{{Text: frame.Probability(x.Above)}, {Text: frame.Probability(x.Within)}, {Text: frame.Probability(x.Below)}}
}

func (p *page) overLegend() []string {
	legend := []string{
		"Sets: on how many the corrected t-test with Holm's correction over the sets of the row finds a difference; equivalent and open are explained below the next table.",
		"By mean: the sets of the main group won, tied and lost by mean; difference: mean over these sets, ours less theirs.",
		"Wilcoxon: the exact signed-rank test on the mean differences of these sets, zeros split; Holm: adjusted for the other methods of the table.",
	}
	if p.o.Rope != nil {
		legend = append(legend, fmt.Sprintf("Probabilities of the difference on a new set: Bayesian signed-rank test, equivalent is within %s%s.", decimal(p.o.Rope), p.unitOf(p.o.Rope)))
	}
	return legend
}

// bySet has a row a data set of one pair.
func (p *page) bySet(q *pair) doc.Table {
	out := doc.Table{Heading: "Against " + q.other, Caption: fmt.Sprintf("%s beside %s by data set", p.method, q.other), Label: q.other, Corner: "Data set"}
	const interval, test = "interval", "t-test"
	out.Head = []doc.Column{{Name: "splits", Kind: doc.Repeated}, {Name: p.method}, {Name: q.other}, {Name: "diff.", Long: "difference", Kind: doc.Signed},
		{Name: "from", Group: interval}, {Name: "to", Group: interval}, {Name: "p", Group: test}, {Name: "Holm", Group: test}}
	if p.o.Rope != nil {
		out.Head = append(out.Head, doc.Column{Name: "equiv.", Long: "probability of being equivalent"})
	}
	out.Head = append(out.Head, doc.Column{Name: "verdict", Kind: doc.Words})
	var main, below []doc.Row
	for _, s := range q.sets {
		difference := p.interval(s.interval)
		pValue := s.test.P
		if len(s.splits) > 1 && math.IsNaN(pValue) {
			pValue = 1
		}
		row := doc.Row{Name: s.set.Name, Entries: []doc.Entry{{Text: fmt.Sprint(len(s.splits)), Tip: "splits " + frame.Ranges(s.splits)},
			{Text: frame.Text(s.ours, p.decimals())}, {Text: frame.Text(s.theirs, p.decimals())}, {Text: frame.Signed(p.difference(s.gain), p.decimals()), Shade: p.shade(s)},
			{Text: frame.Number(difference.Low, p.decimals())}, {Text: frame.Number(difference.High, p.decimals())},
			{Text: frame.PValue(pValue)}, {Text: frame.PValue(s.adjusted), Best: s.adjusted < p.o.Level}}}
		if posterior := p.posterior(s.posterior); posterior != nil {
			row.Entries = append(row.Entries, posterior[1])
		}
		row.Entries = append(row.Entries, doc.Entry{Text: string(s.verdict)})
		if s.set.Group == frame.GroupMain {
			main = append(main, row)
		} else {
			below = append(below, row)
		}
	}
	for _, section := range [][]doc.Row{main, below} {
		if len(section) > 0 {
			out.Sections = append(out.Sections, section)
			if out.Best == "" {
				out.Best = p.found(section)
			}
		}
	}
	out.Legend = p.setLegend(len(below) > 0)
	return out
}

// shade marks what a test finds.
func (p *page) shade(s setPair) int {
	switch s.verdict {
	case better:
		return 3
	case worse:
		return -3
	}
	return 0
}

func (p *page) setLegend(below bool) []string {
	legend := []string{
		fmt.Sprintf("Over the splits that both have finished. Difference: ours less theirs; %.4g %% interval and p: t-test corrected for overlapping splits, of this set alone; Holm: p adjusted for the sets of the table.", 100*(1-p.o.Level)),
		fmt.Sprintf("Better, worse: the adjusted p is below %v. Open: neither a difference nor equivalence is found.", p.o.Level),
	}
	if p.o.Rope != nil {
		legend = append(legend, fmt.Sprintf("Equiv.: probability by the Bayesian correlated t-test that the difference lies within %s%s. Equivalent: no difference is found, and that probability is %v or more.", decimal(p.o.Rope), p.unitOf(p.o.Rope), sure))
	}
	if below {
		legend = append(legend, "Sets below the rule are shown apart and not counted over data sets.")
	}
	return legend
}

// pairRecords has a row an opponent.
func (p *page) pairRecords() doc.Records {
	out := doc.Records{Name: "pairs", Columns: []string{"protocol", "metric", "method", "other", "sets", "better", "worse", "equivalent", "open",
		"won", "tied", "lost", "mean_gain", "wilcoxon_p", "wilcoxon_holm", "p_worse", "p_equivalent", "p_better", "rope", "level", "sets_needed"}}
	for i := range p.pairs {
		q := &p.pairs[i]
		won, tied, lost := stats.Signs(q.gains)
		pValue := math.NaN()
		if q.tested() {
			pValue = q.wilcoxon.P
		}
		out.Rows = append(out.Rows, append(append([]any{p.Protocol, p.Metric.Name, p.method, q.other, len(q.gains), q.count(better), q.count(worse), q.count(equivalent), q.count(open),
			won, tied, lost, frame.Float(q.mean), frame.Known(pValue), frame.Known(q.adjusted)}, probabilities(q.posterior)...),
			frame.Float(p.o.Rope), p.o.Level, neededRecord(q.needed)))
	}
	return out
}

// setRecords has a row a pair and set.
func (p *page) setRecords() doc.Records {
	out := doc.Records{Name: "sets", Columns: []string{"protocol", "metric", "method", "other", "dataset", "group", "splits", "train_rows", "test_rows", "ours", "theirs", "gain", "gain_low", "gain_high",
		"corrected_t", "p", "p_holm", "p_worse", "p_equivalent", "p_better", "rope", "level", "verdict", "splits_needed"}}
	for i := range p.pairs {
		q := &p.pairs[i]
		for _, s := range q.sets {
			out.Rows = append(out.Rows, append(append([]any{p.Protocol, p.Metric.Name, p.method, q.other, s.set.Name, s.set.Group, s.splits, s.set.TrainRows, s.set.TestRows,
				frame.Float(s.ours), frame.Float(s.theirs), frame.Float(s.gain), frame.Known(s.interval.Low), frame.Known(s.interval.High),
				frame.Known(s.test.Statistic), frame.Known(s.test.P), frame.Known(s.adjusted)}, probabilities(s.posterior)...),
				frame.Float(p.o.Rope), p.o.Level, string(s.verdict), neededRecord(s.needed)))
		}
	}
	return out
}

func probabilities(x *stats.Probabilities) []any {
	if x == nil {
		return []any{nil, nil, nil}
	}
	return []any{frame.Known(x.Below), frame.Known(x.Within), frame.Known(x.Above)}
}

// neededRecord is nil where nothing is reached.
func neededRecord(n stats.Needed) any {
	if !n.Reachable {
		return nil
	}
	return n.Count
}
