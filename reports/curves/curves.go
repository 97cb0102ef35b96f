// Package curves has the reports that show results over a quantity: splits and rounds (curves.go), what a protocol
// sweeps, such as landmarks (sweep.go), the number of rows (scaling.go), and processor time (times.go, front.go).
// [Lines] arranges the runs of a table by series and value; package experiment uses them, too.
package curves

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// Curves shows how results change as more is computed: average ranks as splits are added, and the
// metric after each round where the protocol lists rounds.
func Curves(t *frame.Table) (doc.Document, error) {
	d := doc.Document{Title: fmt.Sprintf("Test %s as splits and rounds are added, protocol %s", t.Metric.Title,
		t.Protocol), Notes: t.Notes()}
	var records []doc.Block
	if t.CheckComparable() == nil {
		blocks, r := stability(t)
		d.Blocks, records = blocks, append(records, r)
	}
	if figures, r := stages(t); len(figures) > 0 {
		d.Blocks, records = append(d.Blocks, figures...), append(records, r)
	}
	if records == nil {
		return d, fmt.Errorf("%w: there are no ranks of two methods, and no run has stages, which protocols with "+
			"`rounds` keep", frame.ErrNoResults)
	}
	d.Blocks = append(d.Blocks, records...)
	return d, nil
}

// stability draws the average ranks of the means over the first 1, 2, ... common splits.
func stability(t *frame.Table) ([]doc.Block, doc.Records) {
	records := doc.Records{Name: "stability", Columns: []string{"protocol", "metric", "datasets", "splits", "method",
		"rank", "exact"}}
	splits := t.CommonSplits()
	if len(splits) == 0 {
		return nil, records
	}
	var sums [][]*big.Rat
	curves := make([]plot.Curve, len(t.Whole()))
	var last []*big.Rat
	settled, order := 1, []int(nil)
	for n, split := range splits {
		values := t.ValuesAt(split)
		for i, row := range values {
			if n == 0 {
				sums = append(sums, make([]*big.Rat, len(row)))
			}
			for k, v := range row {
				if n == 0 {
					sums[i][k] = new(big.Rat)
				}
				sums[i][k] = new(big.Rat).Add(sums[i][k], v)
			}
		}
		ranks := stats.AverageRanks(sums) // sums rank as means do
		for k, r := range ranks {
			x := frame.Float64(r)
			curves[k].Name, curves[k].Points = t.Methods[k], append(curves[k].Points,
				plot.Point{X: float64(n + 1), Y: x})
			records.Add(t.Protocol, t.Metric.Name, t.Counted, n+1, t.Methods[k], x, r.RatString())
		}
		if now := stats.Order(ranks); !slices.Equal(now, order) {
			settled, order = n+1, now
		}
		last = ranks
	}
	table := ranksTable(t, curves, last, splits)
	slices.SortStableFunc(curves, func(a, b plot.Curve) int { return cmp.Compare(a.End().Y, b.End().Y) })
	blocks := []doc.Block{doc.Figure{Title: "Ranks as splits are added",
		About: "Ranks of the means over the first splits" + plot.BackgroundNote(len(curves)), Numbers: &table,
		Plot: plot.Curves(curves, nil, "", "", plot.Axis{Title: "number of splits", Whole: true},
			plot.Axis{Title: "average rank, the best at the top", Down: true}),
		Alt: fmt.Sprintf("Average ranks of %s by the number of splits", frame.Count(len(t.Whole()), "method"))}}
	if len(splits) == 1 {
		return blocks, records
	}
	verdict := fmt.Sprintf("The order of the methods is the one of all %d splits from %s on.", len(splits),
		frame.Count(settled, "split"))
	if settled == len(splits) && settled > 1 {
		verdict = fmt.Sprintf("The order of the methods changed with the last of %d splits: more splits may change "+
			"it again.", len(splits))
	}
	return append(blocks, doc.Prose{Paragraphs: []string{verdict}}), records
}

// ranksTable has columns for some numbers of splits, and the methods in the order of their last ranks.
func ranksTable(t *frame.Table, curves []plot.Curve, last []*big.Rat, splits []int) doc.Table {
	shown := slices.DeleteFunc([]int{1, 2, 3, 5, 10, 15, 20, 30, 50, 100}, func(n int) bool { return n >= len(splits) })
	shown = append(shown, len(splits)) // the numbers of splits that have a column
	order, best := stats.Order(last), stats.Smallest(last)
	name := func(k int) string { return t.Methods[k] }
	table := doc.Project("Method", doc.Map(order, name), doc.Map(shown, strconv.Itoa), func(r, c int) doc.Entry {
		return doc.Entry{Text: frame.Number(curves[order[r]].Points[shown[c]-1].Y, 2),
			Best: best[order[r]] && c == len(shown)-1}
	})
	table.Best = "the best, every tied one."
	table.Legend = []string{fmt.Sprintf("Columns: how many of the splits %s count. Average ranks over %s, tied "+
		"methods share the mean of their ranks.", frame.Ranges(splits), frame.Count(len(t.Counted), "data set"))}
	return table
}

// stages draws, for every set with stages, the metric at each of them, the mean over the finished splits of a method.
func stages(t *frame.Table) ([]doc.Block, doc.Records) {
	records := doc.Records{Name: "stages", Columns: []string{"protocol", "metric", "dataset", "method", "round",
		"splits", "mean", "exact", "version"}}
	var blocks []doc.Block
	for _, s := range t.Sets {
		means := map[string]map[int]*big.Rat{} // by method and round
		var rounds []int
		for _, m := range t.Methods {
			values := map[int][]*big.Rat{}
			for _, r := range t.Cells(s.Name, m) {
				for _, stage := range r.Stages {
					if v := t.ValueOf(stage.Score); v != nil && r.Status == result.OK {
						values[stage.Round] = append(values[stage.Round], v)
					}
				}
			}
			for round, list := range values {
				if means[m] == nil {
					means[m] = map[int]*big.Rat{}
				}
				means[m][round] = stats.Mean(list)
				if !slices.Contains(rounds, round) {
					rounds = append(rounds, round)
				}
			}
			for _, round := range slices.Sorted(maps.Keys(values)) {
				records.Add(t.Protocol, t.Metric.Name, s.Name, m, round, len(values[round]), means[m][round],
					means[m][round].RatString(), t.Version(s.Name, m))
			}
		}
		if len(rounds) > 0 {
			slices.Sort(rounds)
			blocks = append(blocks, stageFigure(t, s.Name, rounds, means))
		}
	}
	return blocks, records
}

// stageFigure draws the methods that have every round; the table holds all.
func stageFigure(t *frame.Table, set string, rounds []int, means map[string]map[int]*big.Rat) doc.Figure {
	var curves []plot.Curve
	var methods []string
	for _, m := range t.Methods {
		line := plot.Curve{Name: m}
		for _, r := range rounds {
			if v := means[m][r]; v != nil {
				line.Points = append(line.Points, plot.Point{X: float64(r), Y: frame.Float64(v)})
			}
		}
		if means[m] != nil {
			methods = append(methods, m)
		}
		if len(line.Points) == len(rounds) {
			curves = append(curves, line)
		}
	}
	table := doc.Project("Method", methods, doc.Map(rounds, strconv.Itoa), func(m, r int) doc.Entry {
		return doc.Entry{Text: frame.Text(means[methods[m]][rounds[r]], t.Decimals())}
	})
	f := doc.Figure{Title: set, About: fmt.Sprintf("Mean test %s by round", t.Metric.Title), Numbers: &table,
		Alt: fmt.Sprintf("Mean test %s on %s by round", t.Metric.Title, set)}
	if len(curves) > 0 {
		slices.SortStableFunc(curves, func(a, b plot.Curve) int { // the best after the last round first
			if t.Metric.Better == metric.Lower {
				a, b = b, a
			}
			return cmp.Compare(b.End().Y, a.End().Y)
		})
		f.About += plot.BackgroundNote(len(curves))
		f.Plot = plot.Curves(curves, nil, "", "", plot.Axis{Title: "round", Whole: true},
			plot.Axis{Title: "mean " + t.Measured(), Percent: t.Metric.Percent})
	}
	return f
}
