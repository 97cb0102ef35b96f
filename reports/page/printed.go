package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/published"
	"github.com/kernelboosting/bench/reports/stats"
)

// printed sets the values that a paper prints beside ours.
type printed struct {
	Source  string
	Summary []string
	Legend  []string
	Blocks  []printedBlock

	cells map[[2]int]*printedCell // by the places of set and method
}

// printedBlock is methods that stand side by side, so that no table is wider than a page.
type printedBlock struct {
	Methods []string
	Rows    []printedRow
}

type printedRow struct {
	Set   string
	Cells []*printedCell // nil for none
}

// printedCell is a value of ours beside a printed one.
type printedCell struct {
	Key            string
	Ours, Theirs   string
	Difference     string
	Interval       string // "" where there is none
	Verdict, Class string
	p              float64
	interval       stats.Interval
	difference     float64
}

// Verdicts on a printed value.
const (
	higher  = "ours higher"
	lower   = "ours lower"
	alike   = "alike"
	unclear = "not told apart"
	bare    = "no interval"
)

// near is the difference, in points, within which an interval must lie for two values to be called alike.
const near = 1

// methodsSideBySide is how many methods a block of printed values has.
const methodsSideBySide = 6

// addPrinted compares shares, such as accuracies, with the values of the protocol's source.
func (p *Page) addPrinted(f frame.Frame, o Options) error {
	t := p.table
	values, _ := published.Beside(t.Published, t.Metric.Name, t.PublishedNames)
	if !t.Metric.Percent || len(values) == 0 {
		return nil
	}
	rounding := roundingOf(values)
	out := &printed{Source: t.Published, cells: map[[2]int]*printedCell{}}
	var tested []*printedCell
	for _, v := range values {
		m, s := slices.Index(t.Methods, v.Method), slices.IndexFunc(t.Sets, func(s frame.Set) bool { return s.Name == v.Dataset })
		if m < 0 || s < 0 || t.Sets[s].Entries[m].Mean == nil {
			continue
		}
		cell, err := beside(t.Sets[s].Entries[m], v, f.Protocol.Splits, rounding, o.Level)
		if err != nil {
			return fmt.Errorf("%s, %s on %s: %w", v.Source, v.Method, v.Dataset, err)
		}
		cell.Key = key(s, m)
		out.cells[[2]int{s, m}] = cell
		if cell.Interval != "" {
			tested = append(tested, cell)
		}
	}
	if len(out.cells) == 0 {
		return nil
	}
	// In a fixed order, so that equal p-values are adjusted alike.
	ps := each(tested, func(c *printedCell) float64 { return c.p })
	for i, adjusted := range stats.Holm(ps) {
		tested[i].judge(adjusted < o.Level)
	}
	out.lay(t)
	out.sum(o.Level, len(tested), f.Protocol.Splits)
	p.Printed = out
	return nil
}

// roundingOf is half a unit of the last decimal that a source prints of means.
func roundingOf(values []published.Value) float64 {
	decimals := 0
	for _, v := range values {
		if _, after, ok := strings.Cut(strconv.FormatFloat(v.Mean, 'f', -1, 64), "."); ok && v.Dataset != published.AverageRank {
			decimals = max(decimals, len(after))
		}
	}
	return 0.5 * math.Pow(10, -float64(decimals))
}

// beside sets a cell beside a printed value. Papers print the deviation with divisor n or n-1 and do not say which; the larger
// reading is taken.
func beside(e frame.Entry, v published.Value, splits int, rounding, level float64) (*printedCell, error) {
	ours, _ := e.Mean.Float64()
	cell := &printedCell{Ours: frame.Text(e.Mean, 1), Theirs: frame.Number(v.Mean, 1), difference: ours - v.Mean, Verdict: bare, Class: "bare"}
	cell.Difference = signed(cell.difference)
	if v.Std != nil {
		cell.Theirs += " ± " + frame.Number(*v.Std, 1)
	}
	if v.Std == nil || len(e.Runs) < 2 || splits < 2 {
		return cell, nil
	}
	theirs := *v.Std * math.Sqrt(float64(splits)/float64(splits-1))
	test, err := stats.Welch(stats.Sample{N: len(e.Runs), Mean: ours, Std: e.StdSample}, stats.Sample{N: splits, Mean: v.Mean, Std: theirs}, rounding)
	if err != nil {
		return nil, err
	}
	cell.p, cell.interval = test.P, test.Interval(1-level)
	cell.Interval = signed(cell.interval.Low) + " to " + signed(cell.interval.High)
	return cell, nil
}

// judge gives the verdict: a difference that is found, an interval that lies within a point, or neither.
func (c *printedCell) judge(found bool) {
	switch {
	case found && c.difference > 0:
		c.Verdict, c.Class = higher, "up"
	case found:
		c.Verdict, c.Class = lower, "down"
	case c.interval.Low >= -near && c.interval.High <= near:
		c.Verdict, c.Class = alike, "alike"
	default:
		c.Verdict, c.Class = unclear, "unclear"
	}
}

// signed writes a difference in points with its sign, a true minus.
func signed(x float64) string {
	s := frame.Number(x, 1)
	if x > 0 && strings.Trim(s, "0.") != "" {
		return "+" + s
	}
	return strings.Replace(s, "-", "−", 1)
}

// lay puts the cells into blocks.
func (d *printed) lay(t frame.Table) {
	var methods []int
	for m := range t.Methods {
		if slices.ContainsFunc(t.Sets, func(s frame.Set) bool { return d.at(t, s.Name, m) != nil }) {
			methods = append(methods, m)
		}
	}
	for some := range slices.Chunk(methods, methodsSideBySide) {
		block := printedBlock{Methods: each(some, func(m int) string { return t.Methods[m] })}
		for _, s := range t.Sets {
			row := printedRow{Set: s.Name, Cells: each(some, func(m int) *printedCell { return d.at(t, s.Name, m) })}
			if slices.ContainsFunc(row.Cells, func(c *printedCell) bool { return c != nil }) {
				block.Rows = append(block.Rows, row)
			}
		}
		d.Blocks = append(d.Blocks, block)
	}
}

func (d *printed) at(t frame.Table, set string, m int) *printedCell {
	return d.cells[[2]int{slices.IndexFunc(t.Sets, func(s frame.Set) bool { return s.Name == set }), m}]
}

// sum says what is found over all cells.
func (d *printed) sum(level float64, tested, splits int) {
	n := map[string]int{}
	for _, c := range d.cells {
		n[c.Verdict]++
	}
	d.Summary = append(d.Summary, fmt.Sprintf("Of %s that %s prints, ours are alike on %d, higher on %d, lower on %d, and on %d the splits do not tell.",
		frame.Count(len(d.cells), "mean"), d.Source, n[alike], n[higher], n[lower], n[unclear]+n[bare]))
	d.Legend = []string{
		fmt.Sprintf("Each cell: ours less printed, in percentage points, and below it the %.4g %% interval of that difference (Welch), widened by the rounding of the printed mean.", 100*(1-level)),
		fmt.Sprintf("Both are taken as means over independent splits, the printed one over %d: the splits of one table are known and not those of the other, and equal splits would make the interval narrower.", splits),
		fmt.Sprintf("Higher, lower: found at level %v, adjusted by Holm for the %s of the table. Alike: not found, and the interval lies within %d point.", level, frame.Count(tested, "cell"), near),
	}
}

// sentences say of a cell what is printed of it; none without a comparison.
func (d *printed) sentences(set, method int) []string {
	if d == nil {
		return nil
	}
	c := d.cells[[2]int{set, method}]
	if c == nil {
		return nil
	}
	text := fmt.Sprintf("%s prints %s; ours less printed %s", d.Source, c.Theirs, c.Difference)
	if c.Interval != "" {
		text += ", interval " + c.Interval
	}
	return []string{text + ": " + c.Verdict + "."}
}
