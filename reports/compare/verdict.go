package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

const (
	few      = 3 // the most other methods with sentences at the top
	mostList = 6 // the most methods that a sentence names; a table names all
)

// verdicts are the sentences at the top of the page, and the sentences among the details.
func (p *Page) verdicts() (first, rest []string) {
	var each []string
	for i := range p.pairs {
		each = append(each, p.sentence(&p.pairs[i], p.typical[i]))
	}
	if len(each) == 1 {
		return []string{p.Preliminary() + each[0]}, nil
	}
	first = []string{p.Preliminary() + p.summary()}
	if len(each) <= few {
		return append(first, each...), nil
	}
	return first, each
}

// Preliminary says that most comparisons on a set use fewer splits than the protocol has, or that all comparisons use one
// data set. Splits may be missing because they did not run or were not requested.
func (p *Page) Preliminary() string {
	var splits []int
	sets := 0
	for i := range p.pairs {
		for _, s := range p.pairs[i].Sets {
			splits = append(splits, len(s.Splits))
		}
		sets = max(sets, len(p.pairs[i].Sets))
	}
	slices.Sort(splits)
	middle := splits[len(splits)/2]
	var of []string
	if planned := max(len(p.Splits), p.AllSplits); middle < planned {
		of = append(of, fmt.Sprintf("%d of %s", middle, frame.Count(planned, "split")))
	}
	if sets == 1 {
		of = append(of, "1 data set")
	}
	if len(of) == 0 {
		return ""
	}
	return "Preliminary, " + strings.Join(of, " and ") + ". "
}

// summary says in one sentence the findings over data sets for each other method.
func (p *Page) summary() string {
	names := map[evidence.Verdict][]string{}
	for i := range p.pairs {
		q := &p.pairs[i]
		names[q.Verdict] = append(names[q.Verdict], p.other(q))
	}
	var parts []string
	for _, v := range []struct {
		verdict evidence.Verdict
		text    string
	}{
		{evidence.Better, "is better than "}, {evidence.Worse, "is worse than "}, {evidence.Mixed, "differs both ways from "},
		{evidence.Smaller, "differs by less than what matters (" + p.region.Text(p.Metric) + ") from "}, {evidence.Open, "is not told apart from "},
		{evidence.Untested, "has too few data sets for a test against "},
	} {
		if list := names[v.verdict]; len(list) > 0 {
			text := v.text + p.brief(list)
			if v.verdict == evidence.Open { // "not from all" could also mean "from some"
				text = strings.Replace(text, "from all ", "from any of ", 1)
			}
			parts = append(parts, text)
		}
	}
	about := "Over data sets " + p.method
	if p.o.Chosen {
		about = p.method + " leads by mean; over data sets it"
	}
	return fmt.Sprintf("%s %s (Wilcoxon's signed-rank test, adjusted for %s; level %v).", about, frame.Listed(parts), Family(p.Evidence), p.o.Level)
}

// brief names methods. It counts them where they are many or all other methods.
func (p *Page) brief(names []string) string {
	switch {
	case len(names) == len(p.pairs) && len(names) > few:
		return fmt.Sprintf("all %d other methods", len(names))
	case len(names) > mostList:
		return fmt.Sprintf("%d of %d other methods", len(names), len(p.pairs))
	}
	return frame.Listed(names)
}

// Family names the tests that p-values are adjusted for.
func Family(ev *evidence.Evidence) string {
	over := frame.Count(ev.Over, "comparison")
	if ev.Method == "" {
		over += " of each method with each"
	}
	switch {
	case ev.Sets == 0:
		return over
	case ev.Over == 0:
		return frame.Count(ev.Sets, "test") + " on single sets"
	}
	return over + " and " + frame.Count(ev.Sets, "test") + " on single sets"
}

// found says in words what is found over data sets.
var found = map[evidence.Verdict]string{
	evidence.Better: "better", evidence.Worse: "worse", evidence.Mixed: "it differs both ways, most sets one way and the mean the other",
	evidence.Open: "not told apart", evidence.Untested: "no test over data sets",
}

// sentence is the verdict on one other method: the finding, the size of the difference, and on how many sets
// the method is ahead.
func (p *Page) sentence(q *evidence.Pair, typical *stats.Probabilities) string {
	var b strings.Builder
	words := found[q.Verdict]
	if q.Verdict == evidence.Smaller {
		words = "a difference smaller than what matters (" + p.region.Text(p.Metric) + ")"
	}
	fmt.Fprintf(&b, "%s against %s: %s", p.method, p.other(q), words)
	switch n := len(q.Gains); {
	case n == 0:
		b.WriteString(", since no set of the main group has a common split")
	case q.Verdict == evidence.Untested:
		among := ""
		if len(p.Evidence.Pairs) > 1 {
			among = fmt.Sprintf(" among %d comparisons", len(p.Evidence.Pairs))
		}
		fmt.Fprintf(&b, ", since %s cannot show a difference%s and %d can", frame.Count(n, "set"), among, p.Evidence.Fewest)
	}
	b.WriteString(".")
	if n := len(q.Gains); n > 0 {
		fmt.Fprintf(&b, " %s%s on average", frame.Signed(p.Difference(q.Mean), p.Decimals()), p.unit)
		if n > 1 {
			i := p.interval(q.Interval)
			fmt.Fprintf(&b, " (%.4g %% interval %s to %s over %s), p %s", 100*(1-p.o.Level), p.signed(i.Low), p.signed(i.High), frame.Count(n, "set"), frame.PRelation(q.Signed.P))
		}
		if !math.IsNaN(q.Adjusted) {
			fmt.Fprintf(&b, ", adjusted p %s", frame.PRelation(q.Adjusted))
		}
		fmt.Fprintf(&b, ". By mean, of %s: %s.", frame.Count(n, "set"), p.counts(q))
	}
	b.WriteString(p.singles(q))
	if typical != nil {
		fmt.Fprintf(&b, " The typical difference over sets is %s (Bayesian signed-rank test).", p.probabilities(*typical))
	}
	if p.Evidence.Forecasts() {
		fmt.Fprintf(&b, " Forecast for one more set like these: %s.", p.probabilities(q.Forecast))
	}
	return b.String()
}

// counts says on how many sets the method is ahead, within the region or behind, by mean.
func (p *Page) counts(q *evidence.Pair) string {
	if !p.region.Exists() {
		return fmt.Sprintf("ahead on %d, equal on %d, behind on %d", q.Ahead, q.Within, q.Behind)
	}
	return fmt.Sprintf("ahead by more than %s on %d, within it on %d, behind by more on %d", p.region.Text(p.Metric), q.Ahead, q.Within, q.Behind)
}

// singles names the single sets on which a difference is found.
func (p *Page) singles(q *evidence.Pair) string {
	var parts []string
	for _, v := range []evidence.Verdict{evidence.Better, evidence.Worse} {
		switch sets := q.Named(v); {
		case len(sets) > 5:
			parts = append(parts, fmt.Sprintf("%s on %d sets", v, len(sets)))
		case len(sets) > 0:
			parts = append(parts, string(v)+" on "+frame.Listed(sets))
		}
	}
	tested := slices.ContainsFunc(q.Sets, func(s evidence.SetPair) bool { return s.Tested() })
	switch {
	case len(parts) > 0:
		return " Found on single sets: " + strings.Join(parts, "; ") + "."
	case tested:
		return " On no single set is a difference found that matters."
	case slices.ContainsFunc(q.Sets, func(s evidence.SetPair) bool { return !s.Set.Draws }):
		return fmt.Sprintf(" No single set has the %d splits that a test on it takes.", stats.FewestSplits)
	}
	return ""
}

// probabilities are of a difference in favour of the method.
func (p *Page) probabilities(x stats.Probabilities) string {
	above, within, below := frame.Probability(x.Above), frame.Probability(x.Within), frame.Probability(x.Below)
	if p.region.Width.Sign() == 0 {
		return fmt.Sprintf("in favour of %s with probability %s, against it %s", p.method, above, below)
	}
	return fmt.Sprintf("above %s with probability %s, within it %s, below it %s", p.region.Text(p.Metric), above, within, below)
}

// limits say how to read the verdicts, and what they do not cover.
func (p *Page) limits() []string {
	lines := []string{
		fmt.Sprintf("All p-values of the page are adjusted together (Holm's procedure with weights): %s. Comparisons over data sets have four fifths of the weight. "+
			"So the probability of any false better or worse on the page is at most %v. Intervals are of one comparison by itself.", Family(p.Evidence), p.o.Level),
	}
	if p.region.Exists() {
		lines = append(lines, fmt.Sprintf("Better, worse: a difference is found, and the mean is further from zero than %[1]s. Smaller: a difference is found and the mean lies within %[1]s, or two one-sided t-tests exclude a mean beyond it and most sets lie within.", p.region.Text(p.Metric)))
	}
	if p.Evidence.Forecasts() {
		lines = append(lines, fmt.Sprintf("The forecast for one more set is Laplace's rule of succession on the counts by mean. Leaving out each set of this page in turn, its log loss is %.2f; giving all three the same probability has %.2f.", p.Evidence.Loss, stats.UniformLoss))
	} else if !math.IsNaN(p.Evidence.Loss) {
		lines = append(lines, fmt.Sprintf("There is no forecast for one more set: leaving out each set of this page in turn, its log loss is %.2f, and giving all three the same probability has %.2f.", p.Evidence.Loss, stats.UniformLoss))
	}
	return append(lines,
		"Splits are not counted as data sets. The splits of one set share most of their training rows, so that a difference in one split comes again in other splits: "+
			"20 splits of a set hold far less evidence than 20 sets. "+
			"The variance of a mean over splits is therefore that of Nadeau and Bengio (2003), (1/n + test rows / training rows) s^2.",
		"Whoever tries many variants and shows the best one must adjust for all of them.")
}
