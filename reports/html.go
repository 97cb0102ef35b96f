package reports

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math/big"
	"strconv"
	"strings"
)

//go:embed table2.html.tmpl
var htmlSource string

var htmlTemplate = template.Must(template.New("table2").Parse(htmlSource))

// The page as the template reads it.
type (
	htmlPage struct {
		HasSplits   bool // a column tells how many splits are finished
		HasBest     bool
		Methods     []string
		Legend      []string
		Heading     string
		Caption     string
		Warnings    []string
		Lead        []string
		Sections    [][]htmlRow
		Notes       []string
		Comparisons []htmlComparison
		Strips      []strip
		Facts       []htmlFact
		Reasons     []Reason
		LeftOut     string
		FullCommand string
		Provenance  [][2]string
		Queries     []Query
	}
	htmlRow struct {
		Name, Splits string
		Cells        []htmlCell
	}
	htmlCell struct {
		Value, Std, Tip string
		Best            bool
	}
	htmlComparison struct {
		Title   string
		Legend  []string
		Methods []string
		Rows    []htmlCompared
		Summary []htmlCompared
	}
	htmlCompared struct {
		Name  string
		Cells []htmlPair
	}
	htmlPair struct{ Ours, Published, Difference, Class, Tip string }
	htmlFact struct{ Name, Group, Rows, Features, Train, Test, Splits string }
)

func (t *Table2) writeHTML(w io.Writer, o RenderOptions) error {
	v := t.view(o)
	page := htmlPage{
		HasSplits: v.splits, HasBest: v.hasBest, Methods: v.methods, Legend: v.legend,
		Heading: "Test accuracy, protocol " + t.Protocol, Caption: v.title + ".", Lead: t.lead(),
		Warnings: t.Warnings, Notes: t.Notes, Reasons: t.Reasons(), Strips: t.strips(o), LeftOut: strings.Join(t.LeftOut, ", "), FullCommand: t.FullCommand,
		Provenance: t.Provenance.facts(), Queries: t.Provenance.Queries,
	}
	if o.Title != "" {
		page.Heading = o.Title
	}
	for _, section := range v.sections {
		var rows []htmlRow
		for _, r := range section {
			rows = append(rows, t.htmlRow(r))
		}
		page.Sections = append(page.Sections, rows)
	}
	if !o.OmitPublished {
		for _, c := range t.Comparisons {
			page.Comparisons = append(page.Comparisons, htmlComparisonOf(c, o))
		}
	}
	for i, row := range t.Rows {
		d := row.Dataset
		page.Facts = append(page.Facts, htmlFact{d.Name, d.Group, fact(d.Rows), fact(d.Features), fact(d.TrainRows),
			fact(d.TestRows), t.viewRow(&t.Rows[i], o).splits})
	}
	return htmlTemplate.Execute(w, page)
}

// lead says in a few plain sentences what the table finds and how complete it is.
func (t *Table2) lead() []string {
	done, planned := 0, 0
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			done += len(c.Runs)
			planned += t.Splits
		}
	}
	var lead []string
	if t.Mean != nil && len(t.Methods) > 1 {
		var best []string
		var mean *big.Rat
		for i, m := range t.Mean {
			if m.Best {
				best, mean = append(best, t.Methods[i]), m.Mean
			}
		}
		ranks := rankCells("", t.MidRanks)
		var first []string
		var rank string
		for i, c := range ranks.cells {
			if c.best {
				first, rank = append(first, t.Methods[i]), c.value
			}
		}
		lead = append(lead, fmt.Sprintf(
			"Highest mean accuracy: %s (%s %%). Best average rank: %s (%s). Both over %s. The table does not tell whether a difference is more than chance.",
			strings.Join(best, ", "), mean.FloatString(2), strings.Join(first, ", "), rank, count(len(t.Counted), "data set")))
	}
	return append(lead, fmt.Sprintf("%d of %d planned runs are finished: %s, %s, %s.", done, planned,
		count(len(t.Rows), "data set"), count(len(t.Methods), "method"), count(t.Splits, "split")))
}

func (t *Table2) htmlRow(r viewRow) htmlRow {
	out := htmlRow{Name: r.name, Splits: r.splits}
	for i, c := range r.cells {
		tip := ""
		switch {
		case c.data != nil:
			tip = t.cellTip(r.name, *c.data)
		case r.kind == meanRow:
			tip = fmt.Sprintf("%s: mean of the means of %s (%s); exactly %s", t.Methods[i],
				count(len(t.Counted), "data set"), strings.Join(t.Counted, ", "), t.Mean[i].Mean)
		case r.kind == rankRow:
			tip = fmt.Sprintf("%s: over %s", t.Methods[i], count(len(t.Counted), "data set"))
		}
		out.Cells = append(out.Cells, htmlCell{c.value, c.std, tip, c.best})
	}
	return out
}

// cellTip tells how a cell was computed and lists its splits.
func (t *Table2) cellTip(dataset string, c Cell) string {
	tip := &strings.Builder{}
	fmt.Fprintf(tip, "%s on %s: ", c.Method, dataset)
	if c.Mean == nil {
		return tip.String() + t.gapText(dataset, c.Method)
	}
	fmt.Fprintf(tip, "mean of the test accuracies of %d of %s, %s %%\n", len(c.Runs), count(t.Splits, "split"), c.Mean.FloatString(3))
	fmt.Fprintf(tip, "%d of %d test examples correct in all\n", c.Correct, c.Test)
	if len(c.Runs) > 1 {
		fmt.Fprintf(tip, "standard deviation: population %.3f, sample %.3f\n", c.StdPop, c.StdSample)
	}
	tip.WriteString("by split:")
	for i, r := range c.Runs {
		if i > 0 {
			tip.WriteString(",")
		}
		fmt.Fprintf(tip, " %d: %s", r.Split, r.accuracy().FloatString(1))
	}
	if gap := t.gapText(dataset, c.Method); gap != "" {
		tip.WriteString("\n" + gap)
	}
	return tip.String()
}

func htmlComparisonOf(c Comparison, o RenderOptions) htmlComparison {
	out := htmlComparison{Title: comparisonTitle(c), Legend: comparisonLegend(c)}
	for _, m := range c.Methods {
		out.Methods = append(out.Methods, m.Method)
	}
	for _, row := range c.Rows {
		r := htmlCompared{Name: row.Dataset}
		for i, cell := range row.Cells {
			s := cell.texts(o.Decimals)
			pair := htmlPair{Ours: s[0], Published: s[1], Difference: minus(s[2]), Class: shade(cell.Difference)}
			if cell.Published != nil {
				pair.Tip = fmt.Sprintf("%s on %s, %s: %s", c.Methods[i].Method, row.Dataset, c.Source, s[1])
				if std := shortest(cell.Std); std != "" {
					pair.Tip += " ± " + std
				}
			}
			r.Cells = append(r.Cells, pair)
		}
		out.Rows = append(out.Rows, r)
	}
	for _, s := range c.summaryRows(o.Decimals) {
		r := htmlCompared{Name: s.name}
		for _, cell := range s.cells {
			r.Cells = append(r.Cells, htmlPair{Ours: cell[0], Published: cell[1], Difference: minus(cell[2])})
		}
		out.Summary = append(out.Summary, r)
	}
	return out
}

// minus writes a number's sign as a minus and not a hyphen.
func minus(s string) string {
	if len(s) > 1 && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}

// shade names the class that colours a difference: up or down, in three
// strengths from half a point, one point and two points.
func shade(difference *big.Rat) string {
	if difference == nil {
		return ""
	}
	size := new(big.Rat).Abs(difference)
	strength := 0
	for _, bound := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 1), big.NewRat(2, 1)} {
		if size.Cmp(bound) >= 0 {
			strength++
		}
	}
	switch {
	case strength == 0:
		return ""
	case difference.Sign() > 0:
		return "up" + strconv.Itoa(strength)
	}
	return "down" + strconv.Itoa(strength)
}

// fact writes a count with thin groups of three digits, "-" for unknown.
func fact(n int) string {
	if n == 0 {
		return absent
	}
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}
