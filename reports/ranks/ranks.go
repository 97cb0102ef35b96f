// Package ranks is the table of average ranks: how the methods place over data sets, in two
// conventions, and how far that depends on the splits.
//
// The conventions are those of package stats: tied methods share the mean of their ranks, over data
// sets; and the paper's, which ranks the Mean row as one more data set and gives the better rank of
// a tie to the later column. For the spread every split is ranked by itself, over the same data
// sets.
package ranks

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// Options adjust the table.
type Options struct {
	Metric string // "" for accuracy
	Title  string // "" for the usual one
	Label  string // for LaTeX; "" for "tab:ranks:" and the protocol
}

// head names what stands beside a rank, of the ranks in every split.
var head = []string{"rank", "mean", "s.d.", "min", "25%", "median", "75%", "max"}

var conventions = []struct {
	name, legend string
	of           func([][]*big.Rat) ([]*big.Rat, error)
}{
	{"Average rank", "Average rank: tied methods share the mean of their ranks, over data sets; rank 1 is the best.", stats.AverageRanks},
	{"Paper's rank", "Paper's rank: the Mean row is ranked as one more data set, and of tied methods the one in the later column ranks better.", stats.PaperAverageRanks},
}

// Build returns the document. It is an error if the metric does not exist, if no data set is
// complete for all methods, and if stored cells contradict each other.
func Build(f frame.Frame, o Options) (doc.Document, error) {
	m, err := metric.Lookup(cmp.Or(o.Metric, "accuracy"))
	if err != nil {
		return doc.Document{}, err
	}
	t, err := f.Table(m)
	if err != nil {
		return doc.Document{}, err
	}
	if len(t.Counted) == 0 {
		return doc.Document{}, fmt.Errorf("%w: no data set has the same finished splits of every method, so that there are no ranks; name fewer with --methods or --datasets", frame.ErrNoResults)
	}
	over, splits := frame.Count(len(t.Counted), "data set"), t.CommonSplits()
	d := doc.Document{
		Report: "ranks", Label: cmp.Or(o.Label, "tab:ranks:"+t.Protocol), Warnings: t.Warnings, Notes: t.Notes(), Provenance: t.Provenance,
		Title: cmp.Or(o.Title, fmt.Sprintf("Average ranks by mean test %s over %s, protocol %s", m.Title, over, t.Protocol)),
	}
	records := doc.Records{Name: "ranks", Columns: []string{"metric", "convention", "method", "datasets", "rank", "exact", "splits",
		"mean", "std_sample", "min", "lower_quartile", "median", "upper_quartile", "max"}}
	for i, c := range conventions {
		average, err := c.of(t.Means())
		if err != nil {
			return d, err
		}
		var bySplit [][]*big.Rat
		for _, s := range splits {
			ranks, err := c.of(t.ValuesAt(s))
			if err != nil {
				return d, err
			}
			bySplit = append(bySplit, ranks)
		}
		spreads := stats.Spreads(bySplit, len(t.Methods))
		table := doc.Table{Caption: c.name, Corner: "Method", Best: "the best, every tied one; decided on exact values.", Legend: []string{c.legend,
			fmt.Sprintf("Beside it, of the ranks in each of %s by itself: mean, standard deviation (divisor n-1), least, quartiles, largest.", frame.Count(len(splits), "split"))}}
		if i > 0 {
			table.Label = "paper"
		}
		for _, name := range head {
			table.Head = append(table.Head, doc.Column{Name: name})
		}
		best, order := stats.Smallest(average), make([]int, len(average))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return average[a].Cmp(average[b]) })
		var rows []doc.Row
		for _, k := range order {
			s := spreads[k]
			tip := fmt.Sprintf("%s: exactly %s, over %s (%s)", t.Methods[k], average[k], over, strings.Join(t.Counted, ", "))
			row := doc.Row{Name: t.Methods[k], Cells: []doc.Cell{{Text: frame.Text(average[k], 2), Best: best[k], Tip: tip}}}
			record := []any{m.Name, c.name, t.Methods[k], t.Counted, frame.Float(average[k]), average[k].String(), splits}
			for _, v := range []*big.Rat{s.Mean, frame.Rat(s.StdSample), s.Min, s.Lower, s.Median, s.Upper, s.Max} {
				row.Cells, record = append(row.Cells, doc.Cell{Text: frame.Text(v, 2)}), append(record, frame.Float(v))
			}
			rows, records.Rows = append(rows, row), append(records.Rows, record)
		}
		table.Sections = [][]doc.Row{rows}
		d.Blocks = append(d.Blocks, table)
	}
	d.Blocks = append(append(d.Blocks, t.MissingCode()...), records)
	d.Blocks = append(d.Blocks, t.MissingRecords()...)
	return d, nil
}
