package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
)

// fewestInBox is the least number of values with quartiles.
const fewestInBox = 5

func (t *table) strips() []doc.Block {
	about := fmt.Sprintf("Test %s of every split; each plot has its own axis. Boxes are drawn from %d splits on.",
		t.Metric.Title, fewestInBox)
	blocks := []doc.Block{doc.Prose{Heading: "Split by split", Paragraphs: []string{about}, Detail: true}}
	for _, s := range t.Sets {
		if f := t.strip(s); f.Plot != nil {
			blocks = append(blocks, f)
		}
	}
	if len(blocks) == 1 {
		return nil
	}
	return blocks
}

func (t *table) strip(set frame.Set) doc.Figure {
	if set.Finished() == 0 {
		return doc.Figure{}
	}
	published := t.publishedRow(set)
	shown, said := t.drawn(set)
	var strips []plot.Strip
	for i, c := range set.Entries {
		if said != "" && !slices.Contains(shown, i) {
			continue
		}
		line := plot.Strip{Name: c.Method, Mean: frame.Float64(c.Mean), Printed: published[i]}
		for _, r := range c.Runs {
			line.Values = append(line.Values, plot.Point{X: frame.Float64(r.Value), Tip: t.tip(c.Method, r)})
		}
		if len(c.Runs) >= fewestInBox {
			line.Box = [2]float64{frame.Float64(c.Lower), frame.Float64(c.Upper)}
			line.BoxTip = fmt.Sprintf("%s: half of the splits are within %s and %s%s", c.Method,
				frame.Text(c.Lower, t.o.Decimals+1), frame.Text(c.Upper, t.o.Decimals+1), t.unit)
		}
		strips = append(strips, line)
	}
	about := size(set.Dataset)
	if said != "" {
		about += "; " + said
	}
	return doc.Figure{Title: set.Name, About: about, Numbers: numbers(set, t.o.Decimals+1), Detail: true,
		Alt: fmt.Sprintf("Test %s by split on %s; the numbers are in the table below the plot", t.Metric.Title,
			set.Name),
		Plot: plot.Strips(strips, plot.Axis{Title: t.Measured(), Percent: t.Metric.Percent}, "a split")}
}

// drawn returns the methods whose splits are drawn on a set, with the sentence of [frame.Table.Drawn].
func (t *table) drawn(set frame.Set) ([]int, string) {
	var order []int // the best mean first
	for i, e := range set.Entries {
		if e.Mean != nil {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return t.Metric.Compare(set.Entries[b].Mean, set.Entries[a].Mean)
	})
	return t.Drawn(order)
}

func (t *table) tip(method string, r frame.Run) string {
	count := ""
	if t.Metric.Name == "accuracy" {
		count = fmt.Sprintf("%d/%d = ", *r.Score.Correct, r.Score.N)
	}
	return fmt.Sprintf("%s, split %d: %s%s%s", method, r.Split, count, r.Value.FloatString(t.o.Decimals+1), t.unit)
}

func numbers(set frame.Set, decimals int) *doc.Table {
	var splits []int
	for _, e := range set.Entries {
		splits = append(splits, e.Splits()...)
	}
	slices.Sort(splits)
	splits = slices.Compact(splits)
	methods := doc.Map(set.Entries, func(e frame.Entry) string { return e.Method })
	return new(doc.Project("Split", doc.Map(splits, strconv.Itoa), methods, func(r, c int) doc.Entry {
		return doc.Entry{Text: frame.Text(set.Entries[c].At(splits[r]), decimals)}
	}))
}

// publishedRow returns the printed values of a data set, one a method, NaN for none.
func (t *table) publishedRow(set frame.Set) []float64 {
	values := slices.Repeat([]float64{math.NaN()}, len(set.Entries))
	if t.comparison == nil {
		return values
	}
	for i, e := range set.Entries {
		if cell := t.comparison.At(set.Name, e.Method); cell != nil {
			values[i] = frame.Float64(cell.Decimal)
		}
	}
	return values
}

func size(d frame.Dataset) string {
	switch {
	case d.Rows > 0 && d.Features > 0:
		return fmt.Sprintf("%s examples, %s features", orAbsent(d.Rows), orAbsent(d.Features))
	case d.Rows > 0:
		return orAbsent(d.Rows) + " examples"
	}
	return ""
}
