// Package tests is the page of significance tests over data sets: do the methods rank alike, and if
// not, which of them differ?
//
// First stand tests of all methods at once (Friedman, Iman and Davenport, Quade, plain and corrected
// for ties), then every pair by average ranks and by Wilcoxon's signed-rank test, with p-values as
// they are and adjusted for the number of pairs. With a control only the pairs that it is in are
// tested and adjusted for. A data set counts once, by its mean over splits.
//
// The package leaves data sets out that not all methods have finished; the notes name them.
package tests

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Options adjust the page.
type Options struct {
	Metric  string  // "" for accuracy
	Level   float64 // such as 0.05
	Control string  // compare the others with this method alone; "" compares each with each
	Title   string  // "" for the usual one
	Label   string  // for LaTeX; "" for "tab:tests:" and the protocol
}

// page is the document before it is laid out.
type page struct {
	frame.Table
	o        Options
	friedman stats.FriedmanTest
	quade    stats.QuadeTest
	pairs    []pair // by p of the ranks, the least first
	columns  []string
}

// pair is the comparison of two methods, A being the better by rank, or the control.
type pair struct {
	stats.Comparison
	wilcoxon float64   // p of the signed-rank test
	adjusted []float64 // p-values adjusted for all pairs of the page, a value a column
}

// Build returns the document. It is an error if an option has no meaning, if there are fewer than two
// methods or no data set that all have finished, and if stored cells contradict each other.
func Build(f frame.Frame, o Options) (doc.Document, error) {
	if err := frame.CheckLevel(o.Level); err != nil {
		return doc.Document{}, err
	}
	t, err := f.TableOf(o.Metric)
	if err != nil {
		return doc.Document{}, err
	}
	p := page{Table: t, o: o}
	if err := p.Comparable(); err != nil {
		return doc.Document{}, err
	}
	means := t.Means()
	if p.friedman, err = stats.Friedman(means); err != nil {
		return doc.Document{}, err
	}
	if p.quade, err = stats.Quade(means); err != nil {
		return doc.Document{}, err
	}
	if err := p.compare(means); err != nil {
		return doc.Document{}, err
	}
	return p.document(), nil
}

// compare fills the pairs.
func (p *page) compare(means [][]*big.Rat) error {
	comparisons := p.friedman.AllPairs()
	if p.o.Control != "" {
		control := slices.Index(p.Methods, p.o.Control)
		if control < 0 {
			return fmt.Errorf("the control %s is not among the methods of the table: %s", p.o.Control, strings.Join(p.Methods, ", "))
		}
		var err error
		if comparisons, err = p.friedman.WithControl(control); err != nil {
			return err
		}
	}
	var ps, signed []float64
	for _, c := range comparisons {
		var differences []*big.Rat
		for _, row := range means {
			differences = append(differences, new(big.Rat).Sub(row[c.A], row[c.B]))
		}
		w, err := stats.Wilcoxon(differences, stats.ZerosSplit)
		if err != nil {
			return err
		}
		ps, signed = append(ps, c.P), append(signed, w.P)
		p.pairs = append(p.pairs, pair{Comparison: c, wilcoxon: w.P})
	}
	if err := p.adjust(ps, signed); err != nil {
		return err
	}
	for i := range p.pairs {
		if q := &p.pairs[i]; p.o.Control == "" && q.Difference.Sign() > 0 {
			q.A, q.B, q.Z, q.Difference = q.B, q.A, -q.Z, new(big.Rat).Neg(q.Difference)
		}
	}
	slices.SortStableFunc(p.pairs, func(a, b pair) int { return cmp.Compare(a.P, b.P) })
	return nil
}

// adjust fills the adjusted p-values: of the ranks, then of the signed-rank tests.
func (p *page) adjust(ps, signed []float64) error {
	add := func(name string, values []float64) {
		p.columns = append(p.columns, name)
		for i := range p.pairs {
			p.pairs[i].adjusted = append(p.pairs[i].adjusted, values[i])
		}
	}
	if p.o.Control != "" {
		add("Holm", stats.Holm(ps))
		add("Bonferroni-Dunn", stats.Bonferroni(ps))
		add("Wilcoxon, Holm", stats.Holm(signed))
		return nil
	}
	k := len(p.Methods)
	var nemenyi []float64
	for _, q := range p.pairs {
		nemenyi = append(nemenyi, q.Nemenyi)
	}
	shaffer, err := stats.Shaffer(ps, k)
	if err != nil {
		return err
	}
	add("Nemenyi", nemenyi)
	add("Holm", stats.Holm(ps))
	add("Shaffer", shaffer)
	if k <= stats.MostMethodsBergmannHommel {
		exhaustive, err := stats.BergmannHommel(ps, k)
		if err != nil {
			return err
		}
		add("Bergmann-Hommel", exhaustive)
	}
	add("Wilcoxon, Holm", stats.Holm(signed))
	return nil
}

func (p *page) document() doc.Document {
	over := frame.Count(len(p.Counted), "data set")
	d := doc.Document{
		Report: "tests", Label: cmp.Or(p.o.Label, "tab:tests:"+p.Protocol), Warnings: p.Warnings, Notes: p.Notes(), Provenance: p.Provenance,
		Title: cmp.Or(p.o.Title, fmt.Sprintf("Tests of mean test %s over %s, protocol %s", p.Metric.Title, over, p.Protocol)),
	}
	d.Blocks = []doc.Block{doc.Prose{Heading: "Verdict", Paragraphs: p.verdict()}, p.omnibus(), p.pairTable()}
	d.Blocks = append(d.Blocks, p.MissingCode()...)
	d.Blocks = append(d.Blocks, p.pairRecords(), p.omnibusRecords())
	d.Blocks = append(d.Blocks, p.MissingRecords()...)
	return d
}

// verdict says in sentences what the tests find.
func (p *page) verdict() []string {
	test := p.friedman.ImanDavenportCorrected
	what := fmt.Sprintf("%s over %s (Iman and Davenport, corrected for ties: F = %s, p = %s)",
		frame.Count(len(p.Methods), "method"), frame.Count(len(p.Counted), "data set"), statistic(test.Statistic), frame.PValue(test.P))
	if !(test.P < p.o.Level) {
		return []string{fmt.Sprintf("No difference is found between the ranks of %s. What a test below finds of a pair may then be chance alone: read on only where this test finds a difference.", what)}
	}
	lines := []string{fmt.Sprintf("The methods do not all rank alike: %s.", what)}
	const shown = "Holm"
	column := slices.Index(p.columns, shown)
	var found []string
	for _, q := range p.pairs {
		switch {
		case !(q.adjusted[column] < p.o.Level):
		case q.Difference.Sign() > 0: // of a control that ranks worse
			found = append(found, fmt.Sprintf("%s over %s", p.Methods[q.B], p.Methods[q.A]))
		default:
			found = append(found, fmt.Sprintf("%s over %s", p.Methods[q.A], p.Methods[q.B]))
		}
	}
	pairs := frame.Count(len(p.pairs), "pair")
	if len(found) == 0 {
		return append(lines, fmt.Sprintf("Of %s none is found to differ by rank at level %v (%s).", pairs, p.o.Level, shown))
	}
	return append(lines, fmt.Sprintf("Of %s %d are found to differ by rank at level %v (%s): %s.", pairs, len(found), p.o.Level, shown, strings.Join(found, ", ")))
}

// tests are those of all methods at once.
func (p *page) tests() []namedTest {
	return []namedTest{
		{"Friedman", p.friedman.ChiSquare}, {"Friedman, ties corrected", p.friedman.Corrected},
		{"Iman-Davenport", p.friedman.ImanDavenport}, {"Iman-Davenport, ties corrected", p.friedman.ImanDavenportCorrected},
		{"Quade", p.quade.Plain}, {"Quade, ties corrected", p.quade.Corrected},
	}
}

type namedTest struct {
	name string
	stats.Test
}

// omnibus is the table of tests of all methods at once.
func (p *page) omnibus() doc.Table {
	out := doc.Table{Caption: "All methods at once", Corner: "Test", Head: []doc.Column{{Name: "statistic"}, {Name: "degrees of freedom"}, {Name: "p"}},
		Legend: []string{"The hypothesis: all methods rank alike. Quade weighs data sets by how far the methods lie apart on them."}}
	var rows []doc.Row
	for _, t := range p.tests() {
		var df []string
		for _, n := range t.DF {
			df = append(df, strconv.FormatFloat(n, 'f', -1, 64))
		}
		rows = append(rows, doc.Row{Name: t.name, Entries: []doc.Entry{{Text: statistic(t.Statistic)}, {Text: strings.Join(df, ", ")}, {Text: frame.PValue(t.P)}}})
	}
	out.Sections = [][]doc.Row{rows}
	return out
}

// statistic writes a statistic, which may be infinite.
func statistic(x float64) string {
	if math.IsInf(x, 1) {
		return "infinite"
	}
	return frame.Number(x, 3)
}

// pairTable has a row a pair.
func (p *page) pairTable() doc.Table {
	out := doc.Table{Caption: "Pairs", Label: "pairs", Corner: "Methods", Best: fmt.Sprintf("below the level of %v.", p.o.Level),
		Head: []doc.Column{{Name: "ranks", Long: "difference of average ranks", Kind: doc.Signed}, {Name: "z"}, {Name: "p"}}, Legend: p.legend()}
	for _, c := range p.columns {
		out.Head = append(out.Head, doc.Column{Name: short[c], Long: c})
	}
	out.Head = append(out.Head, doc.Column{Name: "W. p", Long: "Wilcoxon p"})
	var rows []doc.Row
	for _, q := range p.pairs {
		row := doc.Row{Name: p.Methods[q.A] + " - " + p.Methods[q.B], Entries: []doc.Entry{
			{Text: frame.Signed(q.Difference, 2), Tip: "exactly " + q.Difference.RatString()}, {Text: frame.Number(q.Z, 2)}, {Text: frame.PValue(q.P)}}}
		for _, v := range q.adjusted {
			row.Entries = append(row.Entries, doc.Entry{Text: frame.PValue(v), Best: v < p.o.Level})
		}
		rows = append(rows, doc.Row{Name: row.Name, Entries: append(row.Entries, doc.Entry{Text: frame.PValue(q.wilcoxon)})})
	}
	out.Sections = [][]doc.Row{rows}
	return out
}

// short names of adjustments, for terminals.
var short = map[string]string{"Holm": "Holm", "Shaffer": "Shaffer", "Nemenyi": "Nemenyi", "Bergmann-Hommel": "B.-H.", "Bonferroni-Dunn": "B.-Dunn", "Wilcoxon, Holm": "W. Holm"}

func (p *page) legend() []string {
	legend := []string{
		"Ranks: difference of average ranks, negative where the first is better; z and p of it, not adjusted. Adjusted for all pairs of the table: " + strings.Join(p.columns[:len(p.columns)-1], ", ") + ".",
		"W.: the exact signed-rank test of Wilcoxon on the differences of means, zeros split; W. Holm: adjusted. Unlike ranks, it does not depend on which other methods are shown.",
	}
	if slices.Contains(p.columns, "Bergmann-Hommel") {
		legend = append(legend, "B.-H.: Bergmann and Hommel.")
	}
	return legend
}

func (p *page) pairRecords() doc.Records {
	out := doc.Records{Name: "pairs", Columns: []string{"protocol", "metric", "datasets", "a", "b", "rank_difference", "exact", "z", "p"}}
	for _, c := range p.columns {
		out.Columns = append(out.Columns, "p:"+c)
	}
	out.Columns = append(out.Columns, "wilcoxon_p", "level")
	for _, q := range p.pairs {
		row := []any{p.Protocol, p.Metric.Name, p.Counted, p.Methods[q.A], p.Methods[q.B], frame.Float(q.Difference), q.Difference.RatString(), frame.Known(q.Z), frame.Known(q.P)}
		for _, v := range q.adjusted {
			row = append(row, frame.Known(v))
		}
		out.Rows = append(out.Rows, append(row, frame.Known(q.wilcoxon), p.o.Level))
	}
	return out
}

func (p *page) omnibusRecords() doc.Records {
	out := doc.Records{Name: "tests", Columns: []string{"protocol", "metric", "datasets", "methods", "test", "statistic", "p"}}
	for _, t := range p.tests() {
		out.Add(p.Protocol, p.Metric.Name, p.Counted, p.Methods, t.name, frame.Known(t.Statistic), frame.Known(t.P))
	}
	return out
}
