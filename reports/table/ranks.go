package table

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// head names the columns: the rank, and after it the spread of the ranks in every split.
var head = []string{"rank", "mean", "s.d.", "min", "25%", "median", "75%", "max"}

type convention struct {
	name, label, legend string
	of                  func([][]*big.Rat) []*big.Rat
}

var conventions = []convention{
	{"Average rank", "", "Average rank: tied methods share the mean of their ranks, over data sets; rank 1 is " +
		"the best.", stats.AverageRanks},
	{"Paper's rank", "paper", "Paper's rank: the Mean row is ranked as one more data set, and of tied methods the " +
		"one in the later column ranks better.", stats.PaperAverageRanks},
}

// Ranks is the table of average ranks: the places of the methods over data sets, and how much these
// places depend on the splits.
func Ranks(t *frame.Table) (doc.Document, error) {
	if err := t.CheckRanked(); err != nil {
		return doc.Document{}, err
	}
	d := doc.Document{Title: fmt.Sprintf("Average ranks by mean test %s over %s, protocol %s", t.Metric.Title,
		frame.Count(len(t.Counted), "data set"), t.Protocol), Notes: t.Notes()}
	records := doc.Records{Name: "ranks", Columns: []string{"metric", "convention", "method", "datasets", "rank",
		"exact", "splits", "mean", "std_sample", "min", "lower_quartile", "median", "upper_quartile", "max"}}
	for _, c := range conventions {
		if c.label == "paper" && !t.PrintsRanks(t.Whole()) {
			continue
		}
		d.Blocks = append(d.Blocks, c.table(t, &records))
	}
	spread, bySeed := seeds(t)
	table, policies := missing(t)
	d.Blocks = slices.Concat(d.Blocks, spread, table)
	d.Blocks = append(d.Blocks, slices.Concat([]doc.Block{records}, policies, bySeed)...)
	return d, nil
}

// table ranks the methods, the best first, and adds its rows to the records.
func (c convention) table(t *frame.Table, records *doc.Records) doc.Table {
	splits := t.CommonSplits()
	out := doc.Table{Caption: c.name, Label: c.label, Corner: "Method",
		Best: "the best, every tied one; decided on exact values.", Legend: []string{c.legend,
			fmt.Sprintf("Other columns, of the ranks in each of %s by itself: mean, standard deviation (divisor n-1), "+
				"least, quartiles, largest.", frame.Count(len(splits), "split"))}}
	for _, name := range head {
		out.Head = append(out.Head, doc.Column{Name: name})
	}
	average := c.of(t.Means())
	bySplit := make([][]*big.Rat, len(splits))
	for i, s := range splits {
		bySplit[i] = c.of(t.ValuesAt(s))
	}
	best, spreads := stats.Smallest(average), stats.Spreads(bySplit, len(t.Whole()))
	for _, k := range stats.Order(average) {
		s, method := spreads[k], t.Methods[k]
		tip := fmt.Sprintf("%s: exactly %s, over %s", method, average[k], strings.Join(t.Counted, ", "))
		row := []doc.Entry{{Text: frame.Text(average[k], 2), Best: best[k], Tip: tip}}
		record := []any{t.Metric.Name, c.name, method, t.Counted, average[k], average[k].String(), splits}
		for _, v := range []*big.Rat{s.Mean, frame.Exact(s.StdSample), s.Min, s.Lower, s.Median, s.Upper, s.Max} {
			row, record = append(row, doc.Entry{Text: frame.Text(v, 2)}), append(record, v)
		}
		out.Add(method, row...)
		records.Add(record...)
	}
	return out
}
