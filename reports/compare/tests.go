package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

type page struct {
	*frame.Table
	ev          *evidence.Evidence
	permutation stats.PermutationTest
	friedman    stats.FriedmanTest
	pairs       []evidence.Pair // by p of the signed-rank test, the least first
}

// Tests is the page of significance tests over data sets: do the methods rank alike, and if not, which of
// them differ?
//
// All methods at once are compared by Friedman's test, whose p-value comes from permutations and holds for any number
// of data sets. As in all reports, package evidence compares pairs: by Wilcoxon's signed-rank test, adjusted for each
// method with each, or for the comparisons with a control. The details have the posteriors of typical differences and
// the classical approximations of Friedman's test. These mark nothing as found: only one procedure of a page does.
//
// A data set counts once, by its mean over splits. The tests of all methods and the ranks leave out data sets that
// some method has not finished; the notes name these sets.
func Tests(flags *pflag.FlagSet) frame.Build {
	const usage = "compare the others with this method alone (default each with each)"
	return withTests(flags, "control", usage, func(t *frame.Table, o evidence.Options) (doc.Document, error) {
		if err := t.CheckTests(o.Level, o.Method); err != nil {
			return doc.Document{}, err
		}
		ev, err := evidence.Compare(t, o)
		if err != nil {
			return doc.Document{}, err
		}
		return TestsOf(t, ev), nil
	})
}

// TestsOf is the page of whole methods. ev holds the comparisons with the control, or of all pairs. The table must
// have ranks.
func TestsOf(t *frame.Table, ev *evidence.Evidence) doc.Document {
	p := testsPage(t, ev)
	omnibus, tests := p.omnibus()
	over := frame.Count(len(p.Counted), "data set")
	most := 0
	for _, q := range p.pairs {
		most = max(most, len(q.Gains))
	}
	if most > len(p.Counted) { // a pair may have sets that another method lacks
		over = fmt.Sprintf("%d to %s", len(p.Counted), frame.Count(most, "data set"))
	}
	return doc.Document{Title: fmt.Sprintf("Tests of mean test %s over %s, protocol %s", p.Metric.Title, over,
		p.Protocol), Notes: p.Notes(), Blocks: []doc.Block{
		doc.Prose{Heading: "Verdict", Paragraphs: p.verdict()}, p.pairTable(), omnibus,
		posteriors(p.ev, p.Metric, "Methods", doc.Map(p.pairs, p.name), p.ev.Typical(p.pairs, usualDraws)),
		p.pairRecords(), tests}}
}

// Overall is what TestsOf says of all methods at once, without the tables of pairs.
func Overall(t *frame.Table, ev *evidence.Evidence) []doc.Block {
	p := testsPage(t, ev)
	omnibus, _ := p.omnibus()
	return []doc.Block{doc.Prose{Paragraphs: p.verdict()}, omnibus}
}

// testsPage has the comparisons of methods that have ranks: all pairs, or the control with each other method. A is the
// control, or without a control the method with the better average rank. Pairs are in the order of p of the signed-rank
// test.
func testsPage(t *frame.Table, ev *evidence.Evidence) *page {
	p := &page{Table: t, ev: ev, permutation: stats.FriedmanPermutation(t.Means(), 1),
		friedman: stats.Friedman(t.Means())}
	control := slices.Index(p.Methods, ev.Method)
	for _, q := range ev.Pairs {
		switch {
		case max(q.A, q.B) >= p.friedman.Methods, control >= 0 && q.A != control && q.B != control:
			continue
		case control >= 0 && q.B == control, control < 0 && p.ranks(q).Sign() > 0:
			q = q.Reversed()
		}
		p.pairs = append(p.pairs, q)
	}
	slices.SortStableFunc(p.pairs, func(a, b evidence.Pair) int { return cmp.Compare(a.Signed.P, b.Signed.P) })
	return p
}

// ranks is the average rank of the first method less that of the second: negative where the first is better.
func (p *page) ranks(q evidence.Pair) *big.Rat {
	return new(big.Rat).Sub(p.friedman.AverageRanks[q.A], p.friedman.AverageRanks[q.B])
}

func (p *page) verdict() []string {
	how := fmt.Sprintf("%d random arrangements", stats.MostArrangements)
	if p.permutation.Exact {
		how = "all arrangements"
	}
	lines := []string{fmt.Sprintf("Do %s rank alike over %s? Friedman's test by %s of the ranks: p %s.",
		frame.Count(p.friedman.Methods, "method"), frame.Count(len(p.Counted), "data set"), how,
		frame.PRelation(p.permutation.P))}
	words := map[evidence.Verdict][]string{}
	for _, q := range p.pairs {
		a, b, v := p.Methods[q.A], p.Methods[q.B], q.Verdict
		if v == evidence.Worse {
			a, b, v = b, a, evidence.Better
		}
		joined := " and "
		if v == evidence.Better {
			joined = " than "
		}
		words[v] = append(words[v], a+joined+b)
	}
	if p.ev.Over == 0 {
		return append(lines, fmt.Sprintf("No pair is testable: %s among %s; %d sets are enough.", TooFew(p.ev,
			len(p.Counted), "so few data sets"), p.ev.Family(), p.ev.Enough))
	}
	var parts []string
	for _, r := range evidence.Rules {
		if found := words[r.Verdict]; len(found) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", r.Verdict, named(found)))
		}
	}
	return append(lines, fmt.Sprintf("Of %s %s (Wilcoxon's signed-rank test, adjusted for %s over data sets; "+
		"level %v).",
		frame.Count(len(p.pairs), "pair"), strings.Join(parts, "; "), p.ev.Family(), p.ev.Level))
}

func named(pairs []string) string {
	if len(pairs) > mostNamed {
		return frame.Count(len(pairs), "pair")
	}
	return strings.Join(pairs, ", ")
}

// fewest is the least number of data sets for which approximations for many data sets are shown.
const fewest = 6

// omnibus is the table of tests of all methods at once, as far as they have a value, and its records.
func (p *page) omnibus() (doc.Table, doc.Records) {
	out := doc.Table{Caption: "All methods at once", Label: "omnibus", Corner: "Test",
		Head: []doc.Column{{Name: "statistic"}, {Name: "degrees of freedom"}, {Name: "p"}}, Detail: true,
		Legend: []string{"The hypothesis: all methods rank alike. The first test is exact or by random " +
			"arrangements; the other tests are approximations for many data sets."}}
	records := doc.Records{Name: "tests", Columns: []string{"protocol", "metric", "datasets", "methods", "test",
		"statistic", "p"}}
	f := p.friedman
	for i, t := range []struct {
		name string
		stats.Test
	}{{"Friedman by permutation", stats.Test{Statistic: f.Corrected.Statistic, P: p.permutation.P}},
		{"Friedman", f.ChiSquare}, {"Friedman, ties corrected", f.Corrected}, {"Iman-Davenport", f.ImanDavenport},
		{"Iman-Davenport, ties corrected", f.ImanDavenportCorrected}} {
		if i > 0 && (f.Datasets < fewest || math.IsNaN(t.P) || math.IsInf(t.Statistic, 0)) {
			continue
		}
		df := []string{}
		for _, n := range t.DF {
			df = append(df, strconv.FormatFloat(n, 'f', -1, 64))
		}
		out.Add(t.name, doc.Texts(frame.Number(t.Statistic, 3), strings.Join(df, ", "), frame.PValue(t.P))...)
		records.Add(p.Protocol, p.Metric.Name, p.Counted, p.Methods, t.name, t.Statistic, t.P)
	}
	return out, records
}

func (p *page) name(q evidence.Pair) string { return p.Methods[q.A] + " - " + p.Methods[q.B] }

// pairTable has a row a pair, with what is found of it.
func (p *page) pairTable() doc.Table {
	out := doc.Table{Caption: "Pairs", Label: "pairs", Corner: "Methods",
		Head: []doc.Column{{Name: "verdict", Kind: doc.Words}, {Name: "diff.", Long: "typical difference",
			Kind: doc.Signed}, {Name: "ranks", Long: "difference of average ranks", Kind: doc.Signed}, {Name: "p"},
			{Name: "diff.", Long: "difference", Group: "adjusted p"},
			{Name: "equiv.", Long: "equivalence", Group: "adjusted p"}},
		Legend: []string{
			fmt.Sprintf("Verdict of the first method (rules: `bench compare --details`); difference: first less "+
				"second, pseudo-median over data sets; ranks: difference of average ranks, negative where the first "+
				"ranks better; p: exact signed-rank test of Wilcoxon, zeros split; adjusted: for %s.", p.ev.Family()),
		}}
	for _, q := range p.pairs {
		row := doc.Texts(string(q.Verdict), frame.Signed(p.Difference(q.Typical()), p.OverDecimals()),
			frame.Signed(p.ranks(q), 2), frame.PValue(q.Signed.P), frame.PValue(q.Adjusted),
			frame.PValue(q.Equivalence))
		row[0].Best, row[2].Tip = q.Verdict.Found(), "exactly "+p.ranks(q).RatString()
		out.Add(p.name(q), row...)
	}
	return out
}

func (p *page) pairRecords() doc.Records {
	out := doc.Records{Name: "pairs", Columns: []string{"protocol", "metric", "datasets", "a", "b", "sets",
		"typical_gain", "mean_gain", "wilcoxon_p", "adjusted_p", "equivalence_p", "verdict",
		"rank_difference", "exact", "level"}}
	for _, q := range p.pairs {
		out.Add(p.Protocol, p.Metric.Name, p.Counted, p.Methods[q.A], p.Methods[q.B], len(q.Gains), q.Typical(), q.Mean,
			q.Signed.P, q.Adjusted, q.Equivalence, string(q.Verdict), p.ranks(q), p.ranks(q).RatString(), p.ev.Level)
	}
	return out
}
