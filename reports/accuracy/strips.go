package accuracy

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
)

// fewestInBox is the least number of values with quartiles.
const fewestInBox = 5

func (t *table) strips() []doc.Block {
	about := fmt.Sprintf("Test %s of every split; each plot has its own axis. Boxes stand from %d splits on.", t.Metric.Title, fewestInBox)
	blocks := []doc.Block{doc.Prose{Heading: "Split by split", Paragraphs: []string{about}, Detail: true}}
	for _, s := range t.Sets {
		if s.Finished() > 0 {
			blocks = append(blocks, t.strip(s))
		}
	}
	if len(blocks) == 1 {
		return nil
	}
	return blocks
}

func (t *table) strip(set frame.Set) doc.Figure {
	published := t.publishedRow(set)
	var strips []plot.Strip
	for i, c := range set.Entries {
		line := plot.Strip{Name: c.Method, Mean: math.NaN(), Printed: published[i]}
		for _, r := range c.Runs {
			line.Values = append(line.Values, plot.Point{X: float(r.Value), Tip: t.tip(c.Method, r)})
		}
		if len(c.Runs) >= fewestInBox {
			line.Box = [2]float64{float(c.Lower), float(c.Upper)}
			line.BoxTip = fmt.Sprintf("%s: half of the splits are within %s and %s%s", c.Method, frame.Text(c.Lower, t.o.Decimals+1), frame.Text(c.Upper, t.o.Decimals+1), t.unit)
		}
		if c.Mean != nil {
			line.Mean = float(c.Mean)
		}
		strips = append(strips, line)
	}
	return doc.Figure{Title: set.Name, About: size(set.Dataset), Numbers: numbers(set, t.o.Decimals+1), Detail: true,
		Alt:  fmt.Sprintf("Test %s by split on %s; the numbers are in the table below the plot", t.Metric.Title, set.Name),
		Plot: plot.Strips(strips, plot.Axis{Title: t.Measured(), Percent: t.Metric.Percent}, "a split")}
}

func (t *table) tip(method string, r frame.Run) string {
	count := ""
	if t.Metric.Name == "accuracy" {
		count = fmt.Sprintf("%d/%d = ", *r.Score.Correct, r.Score.N)
	}
	return fmt.Sprintf("%s, split %d: %s%s%s", method, r.Split, count, r.Value.FloatString(t.o.Decimals+1), t.unit)
}

func numbers(set frame.Set, decimals int) *doc.Table {
	out := doc.Table{Corner: "Split"}
	values := map[int][]doc.Entry{}
	for i, c := range set.Entries {
		out.Head = append(out.Head, doc.Column{Name: c.Method})
		for _, r := range c.Runs {
			if values[r.Split] == nil {
				values[r.Split] = slices.Repeat([]doc.Entry{{Text: frame.Absent}}, len(set.Entries))
			}
			values[r.Split][i].Text = r.Value.FloatString(decimals)
		}
	}
	var rows []doc.Row
	for _, split := range slices.Sorted(maps.Keys(values)) {
		rows = append(rows, doc.Row{Name: strconv.Itoa(split), Entries: values[split]})
	}
	out.Sections = [][]doc.Row{rows}
	return &out
}

// publishedRow returns the printed values of a data set, one a method, NaN for none.
func (t *table) publishedRow(set frame.Set) []float64 {
	values := slices.Repeat([]float64{math.NaN()}, len(set.Entries))
	if len(t.comparisons) == 0 {
		return values
	}
	c := t.comparisons[0]
	for _, r := range c.rows {
		if r.set.Name != set.Name {
			continue
		}
		for k, cell := range r.cells {
			if cell.published != nil {
				values[c.columns[k]] = float(cell.published)
			}
		}
	}
	return values
}

func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

func size(d frame.Dataset) string {
	switch {
	case d.Rows > 0 && d.Features > 0:
		return fmt.Sprintf("%s examples, %s features", grouped(d.Rows), grouped(d.Features))
	case d.Rows > 0:
		return grouped(d.Rows) + " examples"
	}
	return ""
}
