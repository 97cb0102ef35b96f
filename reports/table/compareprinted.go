// The means that a paper prints are compared with ours ([ComparePrinted]), once for all reports.
//
// Both means are over splits of the same rows of the same data set. The effect of the rows is in both means
// and cancels in the difference. The effect of the splits and of the methods' random draws remains. The
// splits behind a printed mean are unknown and are assumed to differ from ours, so the test is Welch's, with
// the variance s^2/n of each mean. The printed mean is rounded, so the difference is taken to be nearer to
// zero by the rounding. P-values are adjusted by Holm's procedure over all cells.
//
// The correction of package stats for overlapping splits does not belong here: it is for conclusions about
// other rows.

package table

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/experiments"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Verdict compares our mean with a printed one.
type Verdict string

// The verdicts: a difference that is found, an interval within one point, neither, and no interval at all.
const (
	Higher  Verdict = "ours higher"
	Lower   Verdict = "ours lower"
	Alike   Verdict = "practically equivalent"
	Unclear Verdict = "inconclusive"
	Bare    Verdict = "no interval"
)

// near is the difference, in points, within which an interval must lie for two values to be called practically
// equivalent.
const near = 1

// A Cell is a printed mean and ours, in the unit of the table.
type Cell struct {
	Dataset, Method string
	Ours            *big.Rat // nil for none
	Printed         experiments.Value
	Decimal         *big.Rat       // the printed mean, exactly
	Difference      *big.Rat       // ours less the printed mean; nil without ours
	Interval        stats.Interval // of the difference; NaN where there is none
	P, Adjusted     float64        // of the difference; NaN where there is no interval
	Verdict         Verdict        // "" without ours
}

// Tested reports whether the cell has an interval: it needs a printed deviation and two splits of ours.
func (c *Cell) Tested() bool { return c.Verdict != Bare && c.Verdict != "" }

// A Comparison is the cells of a table of which a source prints the means.
type Comparison struct {
	Source string
	Splits int // that a printed mean is taken to be of
	Level  float64
	Cells  []*Cell // with a mean of ours, by data set and method

	all map[[2]string]*Cell // by set and method, also without ours
}

// ComparePrinted compares the printed values of the table's source with the table's means; nil if the source prints
// none of them. The source is taken to have as many splits as the protocol.
func ComparePrinted(t *frame.Table, level float64) *Comparison {
	values, _ := t.Printed()
	rounding := roundingOf(values)
	p := t.Frame.Protocol
	out := &Comparison{Source: p.Published, Splits: p.Splits, Level: level, all: map[[2]string]*Cell{}}
	var tested []*Cell
	for _, v := range values {
		m := slices.Index(t.Methods, v.Method)
		s := slices.IndexFunc(t.Sets, func(s frame.Set) bool { return s.Name == v.Dataset })
		if m < 0 || s < 0 {
			continue
		}
		cell := compare(t.Sets[s].Entries[m], v, p.Splits, rounding, level, t.Metric.Percent)
		if out.all[[2]string{v.Dataset, v.Method}] = cell; cell.Ours != nil {
			out.Cells = append(out.Cells, cell)
		}
		if cell.Tested() {
			tested = append(tested, cell)
		}
	}
	if len(out.all) == 0 {
		return nil
	}
	adjusted := stats.Holm(doc.Map(tested, func(c *Cell) float64 { return c.P }))
	for i, c := range tested {
		c.judge(adjusted[i], level)
	}
	return out
}

// roundingOf is half a unit of the last decimal in the means that a source prints.
func roundingOf(values []experiments.Value) float64 {
	decimals := 0
	for _, v := range values {
		if _, after, ok := strings.Cut(strconv.FormatFloat(v.Mean, 'f', -1, 64), "."); ok &&
			v.Dataset != experiments.AverageRank {
			decimals = max(decimals, len(after))
		}
	}
	return 0.5 * math.Pow(10, -float64(decimals))
}

// compare compares a cell with a printed value. Only values in percent are tested, since the region is one percentage
// point.
func compare(e frame.Entry, v experiments.Value, splits int, rounding, level float64, percent bool) *Cell {
	cell := &Cell{Dataset: v.Dataset, Method: e.Method, Ours: e.Mean, Printed: v, Decimal: stats.Decimal(v.Mean),
		Interval: stats.Interval{Low: math.NaN(), High: math.NaN()}, P: math.NaN(), Adjusted: math.NaN()}
	if e.Mean == nil {
		return cell
	}
	cell.Difference, cell.Verdict = new(big.Rat).Sub(e.Mean, cell.Decimal), Bare
	if !percent || v.Std == nil || len(e.Runs) < 2 || splits < 2 {
		return cell
	}
	ours := stats.Sample{N: len(e.Runs), Mean: frame.Float64(e.Mean), Std: e.StdSample}
	test := stats.Welch(ours, stats.Sample{N: splits, Mean: v.Mean, Std: v.DeviationOf(splits)}, rounding)
	cell.P, cell.Interval, cell.Verdict = test.P, test.Interval(1-level), Unclear
	return cell
}

func (c *Cell) judge(adjusted, level float64) {
	switch c.Adjusted = adjusted; {
	case adjusted < level && c.Difference.Sign() > 0:
		c.Verdict = Higher
	case adjusted < level:
		c.Verdict = Lower
	case c.Interval.Low >= -near && c.Interval.High <= near:
		c.Verdict = Alike
	}
}

// At is the cell of a set and a method; nil where the source prints nothing.
func (c *Comparison) At(dataset, method string) *Cell {
	if c == nil {
		return nil
	}
	return c.all[[2]string{dataset, method}]
}

// Summary says what is found over all cells, and which are not tested.
func (c *Comparison) Summary() string {
	n := map[Verdict]int{}
	for _, cell := range c.Cells {
		n[cell.Verdict]++
	}
	const needs = "a test needs means in percent, a printed spread, and two splits"
	out := fmt.Sprintf("Of %s that %s prints, none is tested: %s.", frame.Count(len(c.Cells), "mean"), c.Source, needs)
	if tested := len(c.Cells) - n[Bare]; tested > 0 {
		out = fmt.Sprintf("Of %s that %s prints, ours are practically equivalent on %d, higher on %d, lower on %d, "+
			"and the results are inconclusive on %d.",
			frame.Count(tested, "mean"), c.Source, n[Alike], n[Higher], n[Lower], n[Unclear])
		if n[Bare] > 0 {
			out += fmt.Sprintf(" %d more are not tested: %s.", n[Bare], needs)
		}
	}
	return out
}

// Legend explains intervals and verdicts; it is empty if no cell is tested.
func (c *Comparison) Legend() []string {
	tested := 0
	for _, cell := range c.Cells {
		if cell.Tested() {
			tested++
		}
	}
	if tested == 0 {
		return nil
	}
	return []string{
		fmt.Sprintf("Welch's test, the printed mean over %d other splits of the same data and rounded. Higher, "+
			"lower: at level %v, by Holm for %s; practically equivalent: the %.4g %% interval is within %d point.",
			c.Splits, c.Level, frame.Count(tested, "cell"), 100*(1-c.Level), near),
	}
}
