package accuracy

import (
	"fmt"
	"html"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
)

// A strip is a drawing of one data set: a line a method, a dot a split at the split's value.
// Coordinates are in the units of the drawing's viewBox.
type strip struct {
	*table
	set         frame.Set
	published   []float64 // one a method, NaN for none
	left        int
	low, high   float64
	out         strings.Builder
	axis        int // y of the axis
	description string
}

const (
	stripWidth  = 340
	stripRight  = 330
	stripLetter = 7 // room for a letter of a method's name
	stripRowGap = 19
	stripDotGap = 1.7 // between dots of equal value
)

// strips draws every data set that has a finished run.
func (t *table) strips() []doc.Block {
	about := "Test " + t.Metric.Title
	if t.unit != "" {
		about += " in percent"
	}
	about += "; each plot has its own axis. A dot is a split, the line among the dots their mean"
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
	s := strip{table: t, set: set, published: t.publishedRow(set), axis: 6 + stripRowGap*len(set.Entries)}
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
	ticks, decimals := niceTicks(low, high, t.Metric.Percent)
	s.low, s.high, s.left = ticks[0], ticks[len(ticks)-1], min(stripLetter*longest+12, stripWidth/2)
	s.description = fmt.Sprintf("Test %s by split on %s; the numbers are in the table below the plot", t.Metric.Title, set.Name)
	fmt.Fprintf(&s.out, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`+"\n", stripWidth, s.axis+18, html.EscapeString(s.description))
	for _, v := range ticks {
		x := coordinate(s.x(v))
		fmt.Fprintf(&s.out, `<line class="grid" x1="%s" x2="%s" y1="2" y2="%d"/><text class="tick" x="%s" y="%d">%s</text>`+"\n",
			x, x, s.axis, x, s.axis+13, strconv.FormatFloat(v, 'f', decimals, 64))
	}
	fmt.Fprintf(&s.out, `<line class="axis" x1="%d" x2="%d" y1="%d" y2="%d"/>`+"\n", s.left, stripRight, s.axis, s.axis)
	for i, c := range set.Entries {
		s.line(i, c)
	}
	s.out.WriteString("</svg>")
	return doc.Figure{Title: set.Name, About: size(set.Dataset), SVG: s.out.String(), Alt: s.description, Numbers: s.numbers(), Detail: true}
}

// x is the place of a value.
func (s *strip) x(v float64) float64 {
	return float64(s.left) + (v-s.low)/(s.high-s.low)*float64(stripRight-s.left)
}

// line draws the method in row i.
func (s *strip) line(i int, c frame.Entry) {
	y := 5 + stripRowGap*i + stripRowGap/2
	fmt.Fprintf(&s.out, `<text x="0" y="%d">%s</text>`+"\n", y+4, html.EscapeString(c.Method))
	same := map[string]int{}
	for _, r := range c.Runs {
		at := coordinate(s.x(float(r.Value)))
		// Dots of one value are spread up and down in turn.
		k := same[at]
		same[at]++
		shift := stripDotGap * float64((k+1)/2)
		if k%2 == 1 {
			shift = -shift
		}
		shift = max(-7, min(7, shift))
		fmt.Fprintf(&s.out, `<circle class="dot" cx="%s" cy="%s" r="2.3"><title>%s</title></circle>`,
			at, coordinate(float64(y)+shift), html.EscapeString(s.tip(c.Method, r)))
	}
	if c.Mean != nil {
		x := coordinate(s.x(float(c.Mean)))
		fmt.Fprintf(&s.out, "\n"+`<line class="mean" x1="%s" x2="%s" y1="%d" y2="%d"/>`, x, x, y-7, y+7)
	}
	if p := s.published[i]; !math.IsNaN(p) {
		fmt.Fprintf(&s.out, `<path class="published" d="M%.1f %d l4 4 l-4 4 l-4 -4 z"/>`, s.x(p), y-4)
	}
	s.out.WriteString("\n")
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

// niceTicks returns two to six round numbers that enclose low and high and the decimals they need.
// Those of percentages stay within 0 and 100.
func niceTicks(low, high float64, percent bool) ([]float64, int) {
	exponent := -2
	switch {
	case percent:
		const least = 0.1 // of a percent; a smaller range would need ticks finer than any split tells
		if high-low < least {
			low, high = max(0, low-0.5), min(100, high+0.5)
		}
	default:
		if least := 1e-6 * max(1e-6, math.Abs(low), math.Abs(high)); high-low < least {
			low, high = low-least, high+least
		}
		exponent = int(math.Floor(math.Log10(high-low))) - 1
	}
	for ; ; exponent++ {
		for _, digit := range []float64{1, 2, 5} {
			step := digit * math.Pow(10, float64(exponent))
			first := math.Floor(low/step + 1e-9)
			last := math.Ceil(high/step - 1e-9)
			if last-first > 5 {
				continue
			}
			var ticks []float64
			for k := first; k <= last; k++ {
				ticks = append(ticks, k*step)
			}
			return ticks, max(0, -exponent)
		}
	}
}

func float(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

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
