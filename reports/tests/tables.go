package tests

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

type namedTest struct {
	name string
	stats.Test
}

// fewest is the least number of data sets for which approximations for many data sets are shown.
const fewest = 6

// tests are the tests of all methods at once, as far as they have a value.
func (p *page) tests() []namedTest {
	out := []namedTest{{"Friedman by permutation", stats.Test{Statistic: p.friedman.Corrected.Statistic, P: p.permutation.P}}}
	for _, t := range []namedTest{
		{"Friedman", p.friedman.ChiSquare}, {"Friedman, ties corrected", p.friedman.Corrected},
		{"Iman-Davenport", p.friedman.ImanDavenport}, {"Iman-Davenport, ties corrected", p.friedman.ImanDavenportCorrected},
		{"Quade", p.quade.Plain}, {"Quade, ties corrected", p.quade.Corrected},
	} {
		if p.friedman.Datasets >= fewest && !math.IsNaN(t.P) && !math.IsInf(t.Statistic, 0) {
			out = append(out, t)
		}
	}
	return out
}

// omnibus is the table of tests of all methods at once, and its records.
func (p *page) omnibus() (doc.Table, doc.Records) {
	out := doc.Table{Caption: "All methods at once", Label: "omnibus", Corner: "Test", Head: []doc.Column{{Name: "statistic"}, {Name: "degrees of freedom"}, {Name: "p"}}, Detail: true,
		Legend: []string{"The hypothesis: all methods rank alike. The first test is exact or by random arrangements; the other tests are approximations for many data sets. Quade weighs data sets by how far the methods lie apart on them."}}
	records := doc.Records{Name: "tests", Columns: []string{"protocol", "metric", "datasets", "methods", "test", "statistic", "p"}}
	for _, t := range p.tests() {
		df := []string{}
		for _, n := range t.DF {
			df = append(df, strconv.FormatFloat(n, 'f', -1, 64))
		}
		out.Add(t.name, doc.Texts(frame.Number(t.Statistic, 3), strings.Join(df, ", "), frame.PValue(t.P))...)
		records.Add(p.Protocol, p.Metric.Name, p.Counted, p.Methods, t.name, frame.Known(t.Statistic), frame.Known(t.P))
	}
	return out, records
}

func (p *page) name(q pair) string { return p.Methods[q.A] + " - " + p.Methods[q.B] }

// pairTable has a row a pair, with what is found of it.
func (p *page) pairTable() doc.Table {
	out := doc.Table{Caption: "Pairs", Label: "pairs", Corner: "Methods",
		Head: []doc.Column{{Name: "verdict", Kind: doc.Words}, {Name: "diff.", Long: "mean difference", Kind: doc.Signed}, {Name: "ranks", Long: "difference of average ranks", Kind: doc.Signed}, {Name: "p"}, {Name: "adjusted"}},
		Legend: []string{
			fmt.Sprintf("Verdict of the first method; difference: first less second, mean over data sets; ranks: difference of average ranks, negative where the first ranks better; p: exact signed-rank test of Wilcoxon, zeros split; adjusted: for %s over data sets and %s on single sets (`bench compare`).", frame.Count(p.ev.Over, "comparison"), frame.Count(p.ev.Sets, "test")),
		}}
	for _, q := range p.pairs {
		if q.Verdict.Found() {
			out.Best = fmt.Sprintf("the adjusted p is below %v, and the mean differs by more than %s.", p.o.Level, p.ev.Region.Text(p.Metric))
		}
		row := doc.Texts(string(q.Verdict), frame.Signed(p.Difference(q.Mean), p.Decimals()), frame.Signed(q.ranks.Difference, 2), frame.PValue(q.Signed.P), frame.PValue(q.Adjusted))
		row[0].Best, row[2].Tip = q.Verdict.Found(), "exactly "+q.ranks.Difference.RatString()
		out.Add(p.name(q), row...)
	}
	return out
}

// short names of adjustments, for terminals.
var short = map[string]string{"Holm": "Holm", "Shaffer": "Shaffer", "Nemenyi": "Nemenyi", "Bergmann-Hommel": "B.-H.", "Bonferroni-Dunn": "B.-Dunn"}

// rankTable has a row a pair, by average ranks.
func (p *page) rankTable() doc.Table {
	out := doc.Table{Caption: "Pairs by average ranks", Label: "ranks", Corner: "Methods", Detail: true, Head: []doc.Column{{Name: "z"}, {Name: "p"}},
		Legend: []string{"z and p of the difference of average ranks, an approximation for many data sets; then adjusted for all pairs of the table: " + strings.Join(p.columns, ", ") + ". Unlike Wilcoxon's test, they depend on which other methods are shown (Benavoli et al. 2016), and nothing is marked."}}
	for _, c := range p.columns {
		out.Head = append(out.Head, doc.Column{Name: short[c], Long: c})
	}
	if slices.Contains(p.columns, "Bergmann-Hommel") {
		out.Legend = append(out.Legend, "B.-H.: Bergmann and Hommel.")
	}
	for _, q := range p.pairs {
		row := []string{frame.Number(q.ranks.Z, 2), frame.PValue(q.ranks.P)}
		for _, v := range q.adjusted {
			row = append(row, frame.PValue(v))
		}
		out.Add(p.name(q), doc.Texts(row...)...)
	}
	return out
}

func (p *page) pairRecords() doc.Records {
	out := doc.Records{Name: "pairs", Columns: []string{"protocol", "metric", "datasets", "a", "b", "sets", "mean_gain", "wilcoxon_p", "adjusted_p", "verdict", "rank_difference", "exact", "z", "p"}}
	for _, c := range p.columns {
		out.Columns = append(out.Columns, "p:"+c)
	}
	out.Columns = append(out.Columns, "level")
	for _, q := range p.pairs {
		row := []any{p.Protocol, p.Metric.Name, p.Counted, p.Methods[q.A], p.Methods[q.B], len(q.Gains), frame.Float(q.Mean), frame.Known(q.Signed.P), frame.Known(q.Adjusted), string(q.Verdict),
			frame.Float(q.ranks.Difference), q.ranks.Difference.RatString(), frame.Known(q.ranks.Z), frame.Known(q.ranks.P)}
		for _, v := range q.adjusted {
			row = append(row, frame.Known(v))
		}
		out.Rows = append(out.Rows, append(row, p.o.Level))
	}
	return out
}
