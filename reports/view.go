package reports

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// view is the table as the layouts share it: decimals and marks, not yet
// escaped for any of them.
type view struct {
	title    string
	methods  []string
	splits   bool // a column tells how many splits are finished
	sections [][]viewRow
	legend   []string
	hasBest  bool
	stdWidth int // of the longest deviation
}

type viewRow struct {
	name   string
	kind   rowKind
	splits string // "3/20", with a dagger where cells differ
	cells  []viewCell
}

type rowKind int

const (
	dataRow rowKind = iota
	meanRow
	rankRow
)

type viewCell struct {
	value string // "83.0", "2.19" or "-"
	std   string // "5.0", or empty without one
	best  bool
	data  *Cell // the cell behind a dataRow
}

const absent = "-"

func (t *Table2) view(o RenderOptions) view {
	v := view{title: t.title(o), methods: t.Methods, legend: t.legend(o)}
	var main, below []viewRow
	for i := range t.Rows {
		row := t.viewRow(&t.Rows[i], o)
		n := t.Rows[i].splits()
		v.splits = v.splits || t.Rows[i].Unequal || n > 0 && n < t.Splits
		if t.Rows[i].Dataset.Group == GroupMain {
			main = append(main, row)
		} else {
			below = append(below, row)
		}
	}
	for _, section := range [][]viewRow{main, t.summaryRows(o), below} {
		if len(section) > 0 {
			v.sections = append(v.sections, section)
		}
		for _, row := range section {
			for _, c := range row.cells {
				v.hasBest = v.hasBest || c.best
				v.stdWidth = max(v.stdWidth, len(c.std))
			}
		}
	}
	return v
}

func (t *Table2) viewRow(row *Row, o RenderOptions) viewRow {
	least, most := t.Splits, 0
	out := viewRow{name: row.Dataset.Name}
	for i := range row.Cells {
		c := &row.Cells[i]
		if n := len(c.Runs); n > 0 {
			least, most = min(least, n), max(most, n)
		}
		std := c.StdPop
		if o.Std == StdSample {
			std = c.StdSample
		}
		cell := meanStd(c.Mean, std, c.StdSample, o)
		cell.best, cell.data = c.Best, c
		out.cells = append(out.cells, cell)
	}
	out.splits = fmt.Sprintf("%d/%d", most, t.Splits)
	if least < most {
		out.splits = fmt.Sprintf("%d-%d/%d", least, most, t.Splits)
	}
	if row.Unequal {
		out.splits += "†"
	}
	return out
}

func (t *Table2) summaryRows(o RenderOptions) []viewRow {
	if t.Mean == nil {
		return nil
	}
	mean := viewRow{name: "Mean", kind: meanRow}
	for _, m := range t.Mean {
		std := m.StdPop
		if o.Std == StdSample {
			std = m.StdSample
		}
		cell := meanStd(m.Mean, std, m.StdSample, o)
		cell.best = m.Best
		mean.cells = append(mean.cells, cell)
	}
	rows := []viewRow{mean}
	if o.Ranks != RanksPaper {
		rows = append(rows, rankCells("Average rank", t.MidRanks))
	}
	if o.Ranks != RanksMid {
		rows = append(rows, rankCells("Paper's rank", t.PaperRanks))
	}
	return rows
}

// meanStd lays out a mean and its deviation; one split has no spread to show,
// which its undefined sample deviation tells.
func meanStd(mean *big.Rat, std, sample float64, o RenderOptions) viewCell {
	if mean == nil {
		return viewCell{value: absent}
	}
	cell := viewCell{value: mean.FloatString(o.Decimals)}
	if !math.IsNaN(sample) {
		cell.std = strconv.FormatFloat(std, 'f', o.Decimals, 64)
	}
	return cell
}

// rankCells lays out average ranks and marks the smallest.
func rankCells(name string, ranks []*big.Rat) viewRow {
	row := viewRow{name: name, kind: rankRow}
	least := ranks[0]
	for _, r := range ranks {
		if r.Cmp(least) < 0 {
			least = r
		}
	}
	for _, r := range ranks {
		row.cells = append(row.cells, viewCell{value: r.FloatString(2), best: r.Cmp(least) == 0})
	}
	return row
}

func (t *Table2) title(o RenderOptions) string {
	return cmp.Or(o.Title, fmt.Sprintf(
		"Mean test accuracy (%%) ± standard deviation over %s random train/test splits, protocol %s",
		t.splitsPhrase(), t.Protocol))
}

// splitsPhrase is "20", or "up to 20" if some cell has fewer.
func (t *Table2) splitsPhrase() string {
	for _, row := range t.Rows {
		for _, c := range row.Cells {
			if len(c.Runs) > 0 && len(c.Runs) < t.Splits {
				return "up to " + strconv.Itoa(t.Splits)
			}
		}
	}
	return strconv.Itoa(t.Splits)
}

// legend explains what the rows and marks mean, but for the mark of the best,
// which each layout makes its own way.
func (t *Table2) legend(o RenderOptions) []string {
	std := "population (divisor n)"
	if o.Std == StdSample {
		std = "sample (divisor n-1)"
	}
	legend := []string{fmt.Sprintf("Standard deviations are %s, over splits; that of Mean is the mean of the column's.", std)}
	if t.Mean != nil {
		over := "the data sets above it"
		if len(t.Counted) < t.mainRows() {
			over = count(len(t.Counted), "data set") + " (see the notes)"
		}
		legend = append(legend, "Mean and average ranks are over "+over+"; rank 1 is the best.")
		if o.Ranks != RanksPaper {
			legend = append(legend, "Average rank: tied methods share the mean of their ranks.")
		}
		if o.Ranks != RanksMid {
			legend = append(legend, "Paper's rank: the Mean row is ranked as one more data set, and of tied methods the one in the later column ranks better.")
		}
	}
	for _, row := range t.Rows {
		if row.Missing {
			return append(legend, "A dash: no finished split.")
		}
	}
	return legend
}

func (t *Table2) mainRows() int {
	n := 0
	for _, row := range t.Rows {
		if row.Dataset.Group == GroupMain {
			n++
		}
	}
	return n
}

// signed writes a difference with its sign; what rounds to zero has none.
func signed(x *big.Rat, decimals int) string {
	s := x.FloatString(decimals)
	switch {
	case strings.Trim(s, "-0.") == "":
		return strings.TrimPrefix(s, "-")
	case x.Sign() > 0:
		return "+" + s
	}
	return s
}

// number writes an optional exact value.
func number(x *big.Rat, decimals int) string {
	if x == nil {
		return absent
	}
	return x.FloatString(decimals)
}

// comparisonTitle is the heading of a comparison's block.
func comparisonTitle(c Comparison) string {
	return "Ours and published (" + c.Source + "), accuracies in percent, differences in percentage points"
}

// comparisonSummary is the rows below a comparison's data sets: per method, the
// entries of the columns ours, published and difference.
type comparisonSummary struct {
	name  string
	cells [][3]string
}

func (c Comparison) summary(decimals int) []comparisonSummary {
	average := comparisonSummary{name: "Average difference"}
	absolute := comparisonSummary{name: "Mean absolute difference"}
	n := comparisonSummary{name: "Data sets compared"}
	for _, m := range c.Methods {
		n.cells = append(n.cells, [3]string{"", "", strconv.Itoa(m.N)})
		if m.N == 0 {
			average.cells = append(average.cells, [3]string{"", "", absent})
			absolute.cells = append(absolute.cells, [3]string{"", "", absent})
			continue
		}
		average.cells = append(average.cells, [3]string{"", "", signed(m.Average, decimals)})
		absolute.cells = append(absolute.cells, [3]string{"", "", m.MeanAbsolute.FloatString(decimals)})
	}
	rows := []comparisonSummary{average, absolute, n}
	if c.MidRanks != nil {
		ranks := comparisonSummary{name: "Average rank"}
		for i, r := range c.MidRanks {
			d := new(big.Rat).Sub(c.OurMidRanks[i], r)
			ranks.cells = append(ranks.cells, [3]string{c.OurMidRanks[i].FloatString(2), r.FloatString(2), signed(d, 2)})
		}
		rows = append(rows, ranks)
	}
	return rows
}

// summaryRows lists the rows below a comparison's data sets.
func (c Comparison) summaryRows(decimals int) []comparisonSummary {
	rows := c.summary(max(decimals, 2))
	if printed, ok := c.printedRanks(); ok {
		rows = append(rows, printed)
	}
	return rows
}

// printedRanks adds the ranks a source prints, beside ours in its convention.
func (c Comparison) printedRanks() (comparisonSummary, bool) {
	row := comparisonSummary{name: "Paper's rank"}
	if c.Printed == nil {
		return row, false
	}
	for i, p := range c.Printed {
		cell := [3]string{absent, absent, ""}
		if c.OurPaperRanks != nil {
			cell[0] = c.OurPaperRanks[i].FloatString(2)
		}
		if p != nil {
			cell[1] = strconv.FormatFloat(*p, 'f', 2, 64)
		}
		row.cells = append(row.cells, cell)
	}
	return row, true
}

// comparisonLegend explains which methods a comparison holds and its summary rows.
func comparisonLegend(c Comparison) []string {
	legend := []string{"Differences are ours less published, from exact means; averages are over every data set of the block with both values."}
	if len(c.Unprinted) > 0 {
		legend = append(legend, fmt.Sprintf("Not in this block, since %s prints no value of them for these data sets: %s.", c.Source, strings.Join(c.Unprinted, ", ")))
	}
	if c.MidRanks != nil {
		legend = append(legend, fmt.Sprintf(
			"Average rank: on both sides among the %s of this block, over the %s of the main group with a value of each of them on both sides, from the printed decimals on the published side.",
			count(len(c.Methods), "method"), count(len(c.Counted), "data set")))
	}
	if c.Printed != nil {
		legend = append(legend, "Paper's rank: ours, among these methods and over these data sets, beside the ranks the source prints over its own.")
	}
	return legend
}
