package ranks

import (
	"fmt"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// stability shows how much the places depend on which data sets the table has: it ranks over data sets drawn from the table's.
func stability(t frame.Table) (doc.Table, doc.Records, error) {
	const draws, level, seed = 10_000, 0.95, 1
	out := doc.Table{Caption: "Average ranks over resampled data sets", Label: "stability", Corner: "Method", Head: []doc.Column{{Name: "average rank"}, {Name: "from", Group: "resampled"}, {Name: "to", Group: "resampled"}, {Name: "first"}},
		Legend: []string{fmt.Sprintf("As many data sets are drawn from those of the table, with replacement, %d times: the interval of %.4g %% of the average ranks, and the share of draws in which the method ranks first, ties divided.", draws, 100*level)}}
	records := doc.Records{Name: "stability", Columns: []string{"metric", "method", "datasets", "rank", "low", "high", "first", "level", "draws"}}
	means := t.Means()
	average, err := stats.AverageRanks(means)
	if err != nil {
		return out, records, err
	}
	resampled, err := stats.ResampledRanks(means, level, draws, seed)
	if err != nil {
		return out, records, err
	}
	var rows []doc.Row
	for _, k := range stats.Order(average) {
		r := resampled[k]
		rows = append(rows, doc.Row{Name: t.Methods[k], Entries: []doc.Entry{{Text: frame.Text(average[k], 2)},
			{Text: frame.Number(r.Interval.Low, 2)}, {Text: frame.Number(r.Interval.High, 2)}, {Text: frame.Probability(r.First)}}})
		records.Add(t.Metric.Name, t.Methods[k], t.Counted, frame.Float(average[k]), r.Interval.Low, r.Interval.High, r.First, level, draws)
	}
	out.Sections = [][]doc.Row{rows}
	return out, records, nil
}
