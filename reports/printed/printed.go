// Package printed compares the means that a paper prints with ours, once for all reports.
//
// Both means are over splits of the same rows of the same data set. The effect of the rows is in both means
// and cancels in the difference. The effect of the splits and of the methods' random draws remains. The
// splits behind a printed mean are unknown and are assumed to differ from ours, so the test is Welch's, with
// the variance s^2/n of each mean. The printed mean is rounded, so the difference is taken to be nearer to
// zero by the rounding. P-values are adjusted by Holm's procedure over all cells.
//
// The correction of package stats for overlapping splits does not belong here: it is for conclusions about
// other rows.
package printed

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/published"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Verdict says how our mean lies beside a printed one.
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

// A Cell is a mean of ours beside a printed one, in the unit of the table.
type Cell struct {
	Dataset, Method string
	Ours            *big.Rat
	Printed         published.Value
	Difference      *big.Rat       // ours less the printed decimal, exactly
	Interval        stats.Interval // of the difference; NaN where there is none
	P, Adjusted     float64        // of the difference; NaN where there is no interval
	Verdict         Verdict
}

// Tested reports whether the cell has an interval: it needs a printed deviation and two splits of ours.
func (c *Cell) Tested() bool { return c.Verdict != Bare }

// A Comparison is all cells that both a source and a table have.
type Comparison struct {
	Source string
	Splits int // that a printed mean is taken to be of
	Level  float64
	Cells  []*Cell // in the order of published.Of
}

// Of compares the printed values of the table's source with the table's means; nil if there is nothing to compare.
// splits is the number of splits of the protocol, and the source is taken to have as many.
func Of(t *frame.Table, splits int, level float64) *Comparison {
	values, _ := published.Beside(t.Published, t.Metric.Name, t.PublishedNames)
	rounding := roundingOf(values)
	out := &Comparison{Source: t.Published, Splits: splits, Level: level}
	var tested []*Cell
	for _, v := range values {
		m, s := slices.Index(t.Methods, v.Method), slices.IndexFunc(t.Sets,
			func(s frame.Set) bool { return s.Name == v.Dataset })
		if m < 0 || s < 0 || t.Sets[s].Entries[m].Mean == nil {
			continue
		}
		cell := compare(t.Sets[s].Entries[m], v, splits, rounding, level, t.Metric.Percent)
		if out.Cells = append(out.Cells, cell); cell.Tested() {
			tested = append(tested, cell)
		}
	}
	if len(out.Cells) == 0 {
		return nil
	}
	var ps []float64
	for _, c := range tested {
		ps = append(ps, c.P)
	}
	for i, adjusted := range stats.Holm(ps) {
		tested[i].judge(adjusted, level)
	}
	return out
}

// roundingOf is half a unit of the last decimal in the means that a source prints.
func roundingOf(values []published.Value) float64 {
	decimals := 0
	for _, v := range values {
		if _, after, ok := strings.Cut(strconv.FormatFloat(v.Mean, 'f', -1, 64), "."); ok &&
			v.Dataset != published.AverageRank {
			decimals = max(decimals, len(after))
		}
	}
	return 0.5 * math.Pow(10, -float64(decimals))
}

// compare compares a cell with a printed value. Only values in percent are tested, since the region is one percentage
// point.
func compare(e frame.Entry, v published.Value, splits int, rounding, level float64, percent bool) *Cell {
	cell := &Cell{Dataset: v.Dataset, Method: e.Method, Ours: e.Mean, Printed: v,
		Difference: new(big.Rat).Sub(e.Mean, stats.Decimal(v.Mean)), Verdict: Bare,
		Interval: stats.Interval{Low: math.NaN(), High: math.NaN()}, P: math.NaN(), Adjusted: math.NaN()}
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

// At is the comparison on a set of a method; nil for none.
func (c *Comparison) At(dataset, method string) *Cell {
	if c == nil {
		return nil
	}
	for _, cell := range c.Cells {
		if cell.Dataset == dataset && cell.Method == method {
			return cell
		}
	}
	return nil
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
		out = fmt.Sprintf("Of %s that %s prints, ours are practically equivalent on %d, higher on %d, lower on "+
			"%d, and "+
			"the results are inconclusive on %d.",
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
			"lower: at "+
			"level %v, by Holm for %s; practically equivalent: the %.4g %% interval is within %d point.", c.Splits,
			c.Level,
			frame.Count(tested, "cell"), 100*(1-c.Level), near),
	}
}
