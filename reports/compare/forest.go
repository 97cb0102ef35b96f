package compare

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
	"github.com/kernelboosting/bench/reports/stats"
)

// forestOfMethods draws the mean difference from each other method.
func (p *Page) forestOfMethods() doc.Figure {
	var rows []plot.ForestRow
	for i := range p.pairs {
		if q := &p.pairs[i]; len(q.Gains) > 0 {
			rows = append(rows, p.forestRow(p.other(q), q.Mean, q.Interval, plot.Single))
		}
	}
	o := p.forestOptions("other method")
	o.Single = "mean over data sets"
	return doc.Figure{Name: "methods", Title: "Mean differences", About: p.method + " less each other method, mean over data sets", Detail: true, Plot: plot.Forest(rows, o),
		Alt: fmt.Sprintf("Mean differences of %s from %s with their intervals", p.method, frame.Count(len(rows), "other method"))}
}

// forestOfSets draws the difference from a method on each data set, and the mean over those that count.
func (p *Page) forestOfSets(q *evidence.Pair) doc.Figure {
	other := p.other(q)
	var rows []plot.ForestRow
	for i := range q.Sets {
		s := &q.Sets[i]
		rows = append(rows, p.forestRow(s.Set.Name, s.Gain, s.Interval(1-p.o.Level), plot.Single))
	}
	if len(q.Gains) > 1 {
		rows = append(rows, p.forestRow("mean of "+frame.Count(len(q.Gains), "set"), q.Mean, q.Interval, plot.Summary))
	}
	o := p.forestOptions(other)
	o.Single, o.Summary = "one data set", "mean over data sets"
	return doc.Figure{Name: strings.ToLower(other), Title: "Differences from " + other, About: fmt.Sprintf("%s less %s, a line a data set", p.method, other), Detail: true, Plot: plot.Forest(rows, o),
		Alt: fmt.Sprintf("Differences of %s from %s on %s with their intervals", p.method, other, frame.Count(len(q.Sets), "data set"))}
}

// forestRow is a line of a plot: a gain as ours less theirs, with its interval.
func (p *Page) forestRow(label string, gain *big.Rat, gained stats.Interval, kind plot.ForestKind) plot.ForestRow {
	i := p.interval(gained)
	text := frame.Signed(p.Difference(gain), p.Decimals())
	if !math.IsNaN(i.Low) {
		text += fmt.Sprintf(" [%s, %s]", p.signed(i.Low), p.signed(i.High))
	}
	return plot.ForestRow{Label: label, Estimate: frame.Near(p.Difference(gain)), Low: i.Low, High: i.High, Text: text, Kind: kind}
}

func (p *Page) forestOptions(other string) plot.ForestOptions {
	unit := p.unit
	if unit != "" {
		unit = " (points)"
	}
	o := plot.ForestOptions{Axis: "difference in " + p.Metric.Title + unit, Interval: fmt.Sprintf("%.4g %% interval", 100*(1-p.o.Level)), Worse: other + " ahead", Better: p.method + " ahead"}
	if p.Metric.Better == metric.Lower {
		o.Worse, o.Better = o.Better, o.Worse
	}
	if p.region.Exists() && !p.region.Relative {
		o.Rope, _ = p.region.Width.Float64()
		o.RopeText = "within " + p.region.Text(p.Metric)
	}
	return o
}
