// Package table has the reports that are one table of a value for rows and columns: means by data set and method
// (accuracy.go), average ranks (ranks.go), data sets won by pairs of methods (pairs.go), and chosen grid points
// (grid.go). It also shows all that is behind one value (why.go), and what changed between two collections of results
// (diff.go).
//
// The table of means is "Table 2" of Gautheron et al. (ECML PKDD 2020) for all stored results, by accuracy or another
// metric. The best cells of a row are marked, every tied one. Decimals exist only in the document, so that best values
// and ranks never depend on rounding. A data set counts once, by its mean over splits. Only whole methods have ranks
// (package frame). The notes say how missing cells change means and ranks.
package table

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Accuracy is the table of means, with ranks and printed values.
func Accuracy(flags *pflag.FlagSet) frame.Build {
	var o Options
	flags.Func("decimals", "decimals of means, 1 to 6 (default 1 of percentages, 3 of others)", func(s string) error {
		var err error
		if o.Decimals, err = strconv.Atoi(s); err != nil || o.Decimals < 1 || o.Decimals > 6 {
			return errors.New("use 1 to 6")
		}
		return nil
	})
	return func(t *frame.Table) (doc.Document, error) { return Build(t, o), nil }
}

// Options adjust the table; the zero value is the paper's.
type Options struct {
	Decimals      int  // 1 to 6; zero means 1 in percent and 3 otherwise
	OmitPublished bool // leaves out the comparison with published values, and ranks by their convention
}

// table is the table of the frame with the values computed from it and its options.
type table struct {
	*frame.Table
	o    Options
	mean []meanCell // one for each whole method; nil if no set is counted
	// average ranks of whole methods, where tied methods share the mean rank; nil where CheckRanked is an error
	midRanks []*big.Rat
	// paperRanks are average ranks as the paper computes them, see stats.PaperAverageRanks. They are nil,
	// too, where the source prints no rank of a method: a tie in a table of one's own is none of the paper's.
	paperRanks []*big.Rat
	comparison *comparison // with printed values; nil for none
	unused     []string    // notes on printed values that are not shown
	unit       string      // " %" or nothing
}

// meanCell is a method's entry in the Mean row.
type meanCell struct {
	mean              *big.Rat // of the counted sets' means
	stdPop, stdSample float64  // means of their deviations
	best              bool
}

// Build returns the document.
func Build(ft *frame.Table, o Options) doc.Document { return tableOf(ft, o).document() }

// Parts returns the title and the table of means, and for each data set the plot of its splits; the plot of a set
// without a finished split is empty.
func Parts(ft *frame.Table) (title string, means doc.Table, splits []doc.Figure) {
	t := tableOf(ft, Options{})
	return t.title(), t.main(), doc.Map(t.Sets, t.strip)
}

func tableOf(ft *frame.Table, o Options) *table {
	t := &table{Table: ft, o: o}
	t.o.Decimals = cmp.Or(o.Decimals, ft.Decimals()-1) // deviations have the room of a decimal
	if ft.Metric.Percent {
		t.unit = " %"
	}
	t.summarise()
	t.comparePrinted()
	return t
}

// summarise fills the Mean row and the ranks from the counted sets.
func (t *table) summarise() {
	values := t.Means()
	if len(values) == 0 {
		return
	}
	columns := stats.ColumnMeans(values)
	t.mean = make([]meanCell, len(t.Whole()))
	n := float64(len(values))
	for i, best := range stats.Largest(columns) {
		m := meanCell{best: best}
		for _, s := range t.CountedSets() {
			m.stdPop, m.stdSample = m.stdPop+s.Entries[i].StdPop, m.stdSample+s.Entries[i].StdSample
		}
		m.stdPop, m.stdSample = m.stdPop/n, m.stdSample/n
		t.mean[i] = m
	}
	for i, mean := range t.Ascending(columns) { // back to the metric's own direction
		t.mean[i].mean = mean
	}
	if t.CheckRanked() != nil {
		return
	}
	t.midRanks = stats.AverageRanks(values)
	if t.PrintsRanks(t.Whole()) {
		t.paperRanks = stats.PaperAverageRanks(values)
	}
}

func (t *table) document() doc.Document {
	d := doc.Document{Title: t.title(), Heading: fmt.Sprintf("Test %s, protocol %s", t.Metric.Title, t.Protocol),
		Label: "tab:" + t.Protocol, Narrow: t.narrow(), Notes: t.Notes(append(t.drawNotes(), t.unused...)...)}
	d.Blocks = []doc.Block{doc.Prose{Paragraphs: t.lead(), Detail: true}, t.main()}
	if t.comparison != nil {
		d.Blocks = append(d.Blocks, t.comparison.table(t.o.Decimals, t.Metric))
	}
	if quoted, records := Quoted(t.Table, t.o.Decimals); records.Rows != nil && !t.o.OmitPublished {
		d.Blocks = append(d.Blocks, quoted, records)
	}
	d.Blocks = slices.Concat(d.Blocks, t.strips(), []doc.Block{t.facts()}, t.records())
	return d
}

func (t *table) title() string {
	unit := ""
	if t.unit != "" {
		unit = " (%)"
	}
	return fmt.Sprintf("Mean test %s%s ± standard deviation over %s %s, protocol %s", t.Metric.Title, unit,
		t.splitsPhrase(), t.splitsAre(), t.Protocol)
}

// splitsPhrase is "20", or "up to 20" if a cell has fewer splits.
func (t *table) splitsPhrase() string {
	for _, s := range t.Sets {
		for _, c := range s.Entries {
			if len(c.Runs) > 0 && len(c.Runs) < len(t.Splits) {
				return "up to " + strconv.Itoa(len(t.Splits))
			}
		}
	}
	return strconv.Itoa(len(t.Splits))
}

func (t *table) main() doc.Table {
	out := doc.Table{Corner: "Data set", Legend: t.legend()}
	shown := t.shown()
	var main, below []doc.Row
	for _, s := range shown {
		if s.Group == frame.GroupMain {
			main = append(main, t.row(s))
		} else {
			below = append(below, t.row(s))
		}
	}
	splits := slices.ContainsFunc(shown, func(s frame.Set) bool { return s.Unequal || len(s.Splits) < len(t.Splits) })
	if splits { // a column has how many splits are finished
		out.Head = append(out.Head, doc.Column{Name: "splits", Kind: doc.Repeated})
	}
	for _, m := range t.Methods {
		out.Head = append(out.Head, doc.Column{Name: m})
	}
	for _, section := range [][]doc.Row{main, t.summaryRows(), below} {
		if len(section) > 0 {
			out.Sections = append(out.Sections, nil)
		}
		for _, r := range section {
			if !splits { // every row begins with that cell
				r.Entries = r.Entries[1:]
			}
			if slices.ContainsFunc(r.Entries, func(e doc.Entry) bool { return e.Best }) {
				out.Best = "best of its row" + t.OfWhole() + ", every tied one; decided on exact " + t.exact() + "."
			}
			out.Add(r.Name, r.Entries...)
		}
	}
	return out
}

// shown is the sets with a row; a note names the others.
func (t *table) shown() []frame.Set {
	return slices.DeleteFunc(slices.Clone(t.Sets), func(s frame.Set) bool { return len(s.Splits) == 0 })
}

// exact names the numbers that comparisons are made of.
func (t *table) exact() string {
	if t.Metric.Name == "accuracy" || t.Metric.Name == "error" {
		return "counts"
	}
	return "values"
}

func (t *table) row(s frame.Set) doc.Row {
	row := doc.Row{Name: s.Name, Entries: []doc.Entry{{Text: t.finished(s)}}}
	best := t.Best(s)
	for i, c := range s.Entries {
		cell := t.meanStd(c.Mean, c.StdPop, c.StdSample)
		cell.Best, cell.Tip, cell.SQL = best[i], t.cellTip(s.Name, c), c.SQL
		row.Entries = append(row.Entries, cell)
	}
	return row
}

// finished says how many splits of a set the whole methods finished: "3/20", with a dagger where the splits
// differ. It is "-" where no method has a split.
func (t *table) finished(s frame.Set) string {
	least, most := len(t.Splits), 0
	for _, c := range s.Entries[:len(t.Whole())] {
		if n := len(c.Runs); n > 0 {
			least, most = min(least, n), max(most, n)
		}
	}
	if most == 0 {
		return frame.Absent
	}
	text := fmt.Sprintf("%d/%d", most, len(t.Splits))
	if least < most {
		text = fmt.Sprintf("%d-%d/%d", least, most, len(t.Splits))
	}
	if s.Unequal {
		text += "†"
	}
	return text
}

// summaryRows are the Mean row and the ranks. Where methods lack sets, a further row has the number of sets
// of each method.
func (t *table) summaryRows() []doc.Row {
	if t.mean == nil {
		return nil
	}
	over := frame.Count(len(t.Counted), "data set")
	compared := len(t.Whole()) > 1 || len(t.Methods) == 1 // as frame.Table.Best
	row := func(name string, entry func(i int) doc.Entry) doc.Row {
		out := doc.Row{Name: name, Entries: []doc.Entry{{}}}
		for i := range t.Methods {
			e := doc.Entry{Text: frame.Absent}
			if i < len(t.Whole()) {
				e = entry(i)
			}
			out.Entries = append(out.Entries, e)
		}
		return out
	}
	rows := []doc.Row{row("Mean", func(i int) doc.Entry {
		m := t.mean[i]
		cell := t.meanStd(m.mean, m.stdPop, m.stdSample)
		cell.Best = m.best && compared
		cell.Tip = fmt.Sprintf("%s: mean of the means of %s (%s); exactly %s", t.Methods[i], over,
			strings.Join(t.Counted, ", "), m.mean)
		return cell
	})}
	ranks := func(name string, values []*big.Rat) {
		best := stats.Smallest(values)
		rows = append(rows, row(name, func(i int) doc.Entry {
			return doc.Entry{Text: values[i].FloatString(2), Best: best[i] && compared,
				Tip: t.Methods[i] + ": over " + over}
		}))
	}
	if t.midRanks != nil {
		ranks("Average rank", t.midRanks)
	}
	if t.paperRanks != nil && !t.o.OmitPublished {
		ranks("Paper's rank", t.paperRanks)
	}
	if len(t.Whole()) < len(t.Methods) {
		coverage := doc.Row{Name: "Data sets", Entries: []doc.Entry{{}}}
		for i := range t.Methods {
			coverage.Entries = append(coverage.Entries, doc.Entry{Text: fmt.Sprintf("%d of %d", t.Coverage(i),
				len(t.Counted))})
		}
		rows = append(rows, coverage)
	}
	return rows
}

// meanStd writes a mean and its deviation. A single split has no deviation: its sample deviation is NaN.
func (t *table) meanStd(mean *big.Rat, std, sample float64) doc.Entry {
	if mean == nil {
		return doc.Entry{Text: frame.Absent}
	}
	cell := doc.Entry{Text: mean.FloatString(t.o.Decimals)}
	if !math.IsNaN(sample) {
		cell.Dev = strconv.FormatFloat(std, 'f', t.o.Decimals, 64)
	}
	return cell
}
