package accuracy

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/plot"
)

// A strip is a drawing of one data set: a line a method, a dot a split at the split's value.
type strip struct {
	*table
	set       frame.Set
	published []float64 // one a method, NaN for none
	x         plot.Scale
	out       doc.Drawing
	axis      float64 // y of the axis
}

const (
	stripWidth  = 340.0
	stripRight  = 330.0
	stripLetter = 7.0 // room for a letter of a method's name
	stripRowGap = 19.0
	stripDotGap = 1.7 // between dots of equal value
	fewestInBox = 5   // values that have quartiles
)

// strips draws every data set that has a finished run.
func (t *table) strips() []doc.Block {
	about := "Test " + t.Metric.Title
	if t.unit != "" {
		about += " in percent"
	}
	about += "; each plot has its own axis. A dot is a split, the box holds the middle half of them, the line is their mean"
	if len(t.comparisons) > 0 {
		about += ", the diamond the published value"
	}
	blocks := []doc.Block{doc.Prose{Heading: "Split by split", Paragraphs: []string{about + "."}, Detail: true}}
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
	s := strip{table: t, set: set, published: t.publishedRow(set), axis: 6 + stripRowGap*float64(len(set.Entries))}
	low, high := math.Inf(1), math.Inf(-1)
	include := func(x float64) {
		if !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	longest := 0
	for i, c := range set.Entries {
		include(s.published[i])
		for _, r := range c.Runs {
			include(float(r.Value))
		}
		longest = max(longest, utf8.RuneCountInString(c.Method))
	}
	ticks, decimals := plot.Ticks(low, high, t.Metric.Percent)
	s.x = plot.Scale{Low: ticks[0], High: ticks[len(ticks)-1], From: min(stripLetter*float64(longest)+12, stripWidth/2), To: stripRight}
	s.out = doc.Drawing{Width: stripWidth, Height: s.axis + 18}
	for _, v := range ticks {
		x := s.x.At(v)
		s.out.Line(doc.Grid, x, 2, x, s.axis)
		s.out.Word(doc.Tick, x, s.axis+13, doc.Middle, strconv.FormatFloat(v, 'f', decimals, 64))
	}
	s.out.Line(doc.Axis, s.x.From, s.axis, stripRight, s.axis)
	for i, c := range set.Entries {
		s.line(i, c)
	}
	return doc.Figure{Title: set.Name, About: size(set.Dataset), Drawing: s.out, Numbers: s.numbers(), Detail: true,
		Alt: fmt.Sprintf("Test %s by split on %s; the numbers are in the table below the plot", t.Metric.Title, set.Name)}
}

// line draws the method in row i.
func (s *strip) line(i int, c frame.Entry) {
	y := 5 + stripRowGap*float64(i) + (stripRowGap-1)/2
	s.out.Word(doc.Name, 0, y+4, doc.Start, c.Method)
	if len(c.Runs) >= fewestInBox {
		s.out.Box(doc.Range, s.x.At(float(c.Lower)), y-5, s.x.At(float(c.Upper)), y+5, fmt.Sprintf("%s: half of the splits are within %s and %s%s",
			c.Method, frame.Text(c.Lower, s.o.Decimals+1), frame.Text(c.Upper, s.o.Decimals+1), s.unit))
	}
	same := map[string]int{}
	for _, r := range c.Runs {
		x := s.x.At(float(r.Value))
		// Dots of one value are spread up and down in turn.
		at := strconv.FormatFloat(x, 'f', 1, 64)
		k := same[at]
		same[at]++
		shift := stripDotGap * float64((k+1)/2)
		if k%2 == 1 {
			shift = -shift
		}
		s.out.Dot(doc.Value, x, y+max(-7, min(7, shift)), 2.3, s.tip(c.Method, r))
	}
	if c.Mean != nil {
		x := s.x.At(float(c.Mean))
		s.out.Line(doc.Mean, x, y-7, x, y+7)
	}
	if p := s.published[i]; !math.IsNaN(p) {
		s.out.Diamond(doc.Printed, s.x.At(p), y, 4, "")
	}
}

// tip says what a dot is.
func (s *strip) tip(method string, r frame.Run) string {
	count := ""
	if s.Metric.Name == "accuracy" {
		count = fmt.Sprintf("%d/%d = ", *r.Score.Correct, r.Score.N)
	}
	return fmt.Sprintf("%s, split %d: %s%s%s", method, r.Split, count, r.Value.FloatString(s.o.Decimals+1), s.unit)
}

// numbers is the table below the plot.
func (s *strip) numbers() *doc.Table {
	out := doc.Table{Corner: "Split"}
	values := map[int][]doc.Entry{}
	for i, c := range s.set.Entries {
		out.Head = append(out.Head, doc.Column{Name: c.Method})
		for _, r := range c.Runs {
			if values[r.Split] == nil {
				values[r.Split] = slices.Repeat([]doc.Entry{{Text: frame.Absent}}, len(s.set.Entries))
			}
			values[r.Split][i].Text = r.Value.FloatString(s.o.Decimals + 1)
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

// size describes a data set's size on one line.
func size(d frame.Dataset) string {
	switch {
	case d.Rows > 0 && d.Features > 0:
		return fmt.Sprintf("%s examples, %s features", grouped(d.Rows), grouped(d.Features))
	case d.Rows > 0:
		return grouped(d.Rows) + " examples"
	}
	return ""
}
