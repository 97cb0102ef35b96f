package compare

import (
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// pairRecords has a row an opponent. Gains are in favour of the method.
func (p *Page) pairRecords() doc.Records {
	out := doc.Records{Name: "pairs", Columns: []string{"protocol", "metric", "method", "other", "sets", "mean_gain", "gain_low", "gain_high", "wilcoxon_p", "adjusted_p", "verdict",
		"ahead", "within", "behind", "won", "tied", "lost", "rope", "level", "comparisons", "set_tests",
		"typical_worse", "typical_equivalent", "typical_better", "forecast_worse", "forecast_equivalent", "forecast_better", "forecast_log_loss"}}
	for i := range p.pairs {
		q := &p.pairs[i]
		won, tied, lost := stats.Signs(q.Gains)
		var signed any
		if len(q.Gains) > 0 {
			signed = frame.Known(q.Signed.P)
		}
		forecast := &q.Forecast
		if !p.Evidence.Forecasts() {
			forecast = nil
		}
		row := []any{p.Protocol, p.Metric.Name, p.method, p.other(q), len(q.Gains), frame.Float(q.Mean), frame.Known(q.Interval.Low), frame.Known(q.Interval.High),
			signed, frame.Known(q.Adjusted), string(q.Verdict), q.Ahead, q.Within, q.Behind, won, tied, lost, frame.Float(q.Rope), p.o.Level, p.Evidence.Over, p.Evidence.Sets}
		row = append(append(row, probabilities(p.typical[i])...), probabilities(forecast)...)
		out.Rows = append(out.Rows, append(row, frame.Known(p.Evidence.Loss)))
	}
	return out
}

// setRecords has a row a pair and set. Gains are in favour of the method.
func (p *Page) setRecords() doc.Records {
	out := doc.Records{Name: "sets", Columns: []string{"protocol", "metric", "method", "other", "dataset", "group", "splits", "train_rows", "test_rows", "ours", "theirs", "gain", "gain_low", "gain_high",
		"corrected_t", "p", "adjusted_p", "equivalence_p", "rope", "level", "verdict", "version", "other_version"}}
	for i := range p.pairs {
		q := &p.pairs[i]
		for _, s := range q.Sets {
			interval := s.Interval(1 - p.o.Level)
			var statistic any
			if s.Tested() {
				statistic = frame.Known(s.Test.Statistic)
			}
			out.Add(p.Protocol, p.Metric.Name, p.method, p.other(q), s.Set.Name, s.Set.Group, s.Splits, s.Set.TrainRows, s.Set.TestRows,
				frame.Float(s.Ours), frame.Float(s.Theirs), frame.Float(s.Gain), frame.Known(interval.Low), frame.Known(interval.High),
				statistic, frame.Known(s.P), frame.Known(s.Adjusted), frame.Known(s.Equivalence), frame.Float(s.Rope), p.o.Level, string(s.Verdict),
				p.Version(s.Set.Name, p.method), p.Version(s.Set.Name, p.other(q)))
		}
	}
	return out
}

func probabilities(x *stats.Probabilities) []any {
	if x == nil {
		return []any{nil, nil, nil}
	}
	return []any{frame.Known(x.Below), frame.Known(x.Within), frame.Known(x.Above)}
}
