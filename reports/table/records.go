package table

import (
	"math"
	"math/big"

	"github.com/kernelboosting/bench/reports/doc"
)

// records are the values of the table at full precision, with both deviations and both ranks for all options.
// Means are in percent where the metric is, in the shortest decimal that reads back as the same float64.
// "exact" is a quotient of integers, "p/q".
func (t *table) records() []doc.Block {
	blocks := []doc.Block{t.cellRecords(), t.runRecords(), t.meanRecords()}
	if c := t.comparison; c != nil {
		blocks = append(blocks, c.records(), c.methodRecords())
	}
	return blocks
}

// cellRecords has a row a data set and method. A source of printed values adds three columns.
func (t *table) cellRecords() doc.Records {
	out := doc.Records{Name: "cells", Columns: []string{"protocol", "dataset", "group", "rows", "features",
		"train_rows", "test_rows", "method",
		"splits_ok", "splits_planned", "correct", "test", "mean", "std_population", "std_sample",
		"best", "in_mean_and_ranks", "comparable", "missing", "data_changed", "metric", "exact", "version"}}
	if c := t.comparison; c != nil {
		out.Columns = append(out.Columns, "published_mean:"+c.Source, "published_std:"+c.Source, "difference:"+c.Source)
	}
	for _, s := range t.Sets {
		best := t.Best(s)
		for i, c := range s.Entries {
			var correct, test any
			if n, of, ok := counts(c); ok {
				correct, test = n, of
			}
			record := []any{t.Protocol, s.Name, s.Group, known(s.Rows), known(s.Features), known(s.TrainRows),
				known(s.TestRows), c.Method, len(c.Runs), len(t.Splits), correct, test, c.Mean, c.StdPop, c.StdSample,
				best[i], s.Counted, !s.Unequal, t.Lacks(s.Name, c.Method), t.changeText(s.Name), t.Metric.Name,
				exact(c.Mean), t.Version(s.Name, c.Method)}
			if t.comparison != nil {
				var mean, std, difference any
				if cell := t.comparison.At(s.Name, c.Method); cell != nil {
					mean, std, difference = cell.Decimal, cell.Printed.Std, cell.Difference
				}
				record = append(record, mean, std, difference)
			}
			out.Add(record...)
		}
	}
	return out
}

func (t *table) changeText(dataset string) string {
	for _, c := range t.Changed {
		if c.Dataset == dataset {
			return c.String()
		}
	}
	return ""
}

func (t *table) runRecords() doc.Records {
	out := doc.Records{Name: "runs", Columns: []string{"dataset", "method", "split", "value", "exact", "correct",
		"test", "version"}}
	for _, s := range t.Sets {
		for _, c := range s.Entries {
			for _, r := range c.Runs {
				out.Add(s.Name, c.Method, r.Split, r.Value, exact(r.Value), r.Score.Correct, r.Score.N,
					t.Version(s.Name, c.Method))
			}
		}
	}
	return out
}

// meanRecords has a row a method: its number of counted sets and, for a whole method, its Mean row and ranks.
func (t *table) meanRecords() doc.Records {
	out := doc.Records{Name: "means", Columns: []string{"method", "datasets", "mean", "exact", "std_population",
		"std_sample", "best", "midrank", "midrank_exact", "paper_rank", "paper_rank_exact", "datasets_counted"}}
	if t.mean == nil {
		return out
	}
	for i, name := range t.Methods {
		m, ranks := meanCell{stdPop: math.NaN(), stdSample: math.NaN()}, [2]*big.Rat{}
		if i < len(t.mean) {
			m = t.mean[i]
			if t.midRanks != nil {
				ranks[0] = t.midRanks[i]
			}
			if t.paperRanks != nil {
				ranks[1] = t.paperRanks[i]
			}
		}
		out.Add(name, t.Coverage(i), m.mean, exact(m.mean), m.stdPop, m.stdSample, m.best,
			ranks[0], exact(ranks[0]), ranks[1], exact(ranks[1]), len(t.Counted))
	}
	return out
}

func (c *comparison) records() doc.Records {
	out := doc.Records{Name: "published", Columns: []string{"source", "dataset", "method", "ours", "published_mean",
		"published_std", "published_spread", "difference", "low", "high", "adjusted_p", "verdict"}}
	for _, set := range c.rows {
		for _, i := range c.columns {
			x := c.At(set.Name, set.Entries[i].Method)
			if x == nil {
				continue
			}
			var verdict any
			if x.Ours != nil {
				verdict = string(x.Verdict)
			}
			out.Add(c.Source, x.Dataset, x.Method, x.Ours, x.Decimal, x.Printed.Std, x.Printed.Spread, x.Difference,
				x.Interval.Low, x.Interval.High, x.Adjusted, verdict)
		}
	}
	return out
}

func (c *comparison) methodRecords() doc.Records {
	out := doc.Records{Name: "published_methods"}
	for i, m := range c.methods {
		var in []string
		var ours, printed, oursOfPaper, printedOfPaper any
		if c.midRanks != nil && i < c.ranked {
			in, ours, printed = c.counted, c.ourMidRanks[i], c.midRanks[i]
		}
		if c.printed != nil {
			printedOfPaper = c.printed[i]
			if c.ourPaperRanks != nil && i < c.ranked {
				oursOfPaper = c.ourPaperRanks[i]
			}
		}
		out.Put("source", c.Source, "method", m.method, "datasets", m.n, "average_difference", m.average,
			"mean_absolute_difference", m.meanAbsolute, "in_ranks", in, "our_midrank", ours,
			"published_midrank", printed, "our_paper_rank", oursOfPaper, "printed_rank", printedOfPaper)
	}
	return out
}

func known(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// exact writes p/q, empty for no value.
func exact(x *big.Rat) string {
	if x == nil {
		return ""
	}
	return x.String()
}
