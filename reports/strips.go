package reports

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// A strip is a plot of one data set: a line a method, a dot a split, at the
// split's test accuracy. Coordinates are in the units of the drawing's viewBox.
type strip struct {
	Name, About   string
	Width, Height int
	Left, Right   int
	Ticks         []stripTick
	AxisY, TickY  int
	Lines         []stripLine
	Splits        []int // heads of the table of numbers
}

type stripTick struct{ X, Label string }

type stripLine struct {
	Method         string
	Y, TextY       int
	Mean           string // x of the mean; empty without one
	MeanY1, MeanY2 int
	Published      string // path of the published value's mark; empty without one
	Dots           []stripDot
	Numbers        []string // one a split of the strip, "-" for none
}

type stripDot struct{ X, Y, Tip string }

const (
	stripWidth  = 340
	stripRight  = 330
	stripLetter = 7 // room for a letter of a method's name
	stripRowGap = 19
	stripDotGap = 1.7 // between dots of equal accuracy
)

// strips draws every data set that has a finished run.
func (t *Table2) strips(o RenderOptions) []strip {
	var out []strip
	for _, row := range t.Rows {
		if row.splits() > 0 {
			out = append(out, t.strip(row, o))
		}
	}
	return out
}

func (t *Table2) strip(row Row, o RenderOptions) strip {
	published := t.publishedRow(row, o)
	low, high := math.Inf(1), math.Inf(-1)
	include := func(x float64) {
		if !math.IsNaN(x) {
			low, high = min(low, x), max(high, x)
		}
	}
	have := map[int]bool{}
	for i, c := range row.Cells {
		include(published[i])
		for _, r := range c.Runs {
			include(rational(r.accuracy()))
			have[r.Split] = true
		}
	}
	ticks, decimals := niceTicks(low, high)
	low, high = ticks[0], ticks[len(ticks)-1]
	longest := 0
	for _, m := range t.Methods {
		longest = max(longest, utf8.RuneCountInString(m))
	}
	left := min(stripLetter*longest+12, stripWidth/2)
	x := func(v float64) float64 {
		return float64(left) + (v-low)/(high-low)*float64(stripRight-left)
	}
	s := strip{
		Name: row.Dataset.Name, About: about(row.Dataset), Width: stripWidth, Left: left, Right: stripRight,
		AxisY: 6 + stripRowGap*len(row.Cells), Splits: sortedKeys(have),
	}
	s.TickY, s.Height = s.AxisY+13, s.AxisY+18
	for _, v := range ticks {
		s.Ticks = append(s.Ticks, stripTick{coordinate(x(v)), strconv.FormatFloat(v, 'f', decimals, 64)})
	}
	for i, c := range row.Cells {
		s.Lines = append(s.Lines, stripRow(c, i, s.Splits, published[i], x))
	}
	return s
}

func stripRow(c Cell, i int, splits []int, published float64, x func(float64) float64) stripLine {
	y := 5 + stripRowGap*i + stripRowGap/2
	line := stripLine{Method: c.Method, Y: y, TextY: y + 4, MeanY1: y - 7, MeanY2: y + 7}
	if c.Mean != nil {
		line.Mean = coordinate(x(rational(c.Mean)))
	}
	if !math.IsNaN(published) {
		px := x(published)
		line.Published = fmt.Sprintf("M%.1f %d l4 4 l-4 4 l-4 -4 z", px, y-4)
	}
	same := map[string]int{}
	bySplit := map[int]string{}
	for _, r := range c.Runs {
		accuracy := r.accuracy()
		at := coordinate(x(rational(accuracy)))
		// Dots of one accuracy are spread up and down in turn.
		k := same[at]
		same[at]++
		shift := stripDotGap * float64((k+1)/2)
		if k%2 == 1 {
			shift = -shift
		}
		shift = max(-7, min(7, shift))
		value := accuracy.FloatString(2)
		bySplit[r.Split] = value
		line.Dots = append(line.Dots, stripDot{at, coordinate(float64(y) + shift),
			fmt.Sprintf("%s, split %d: %d/%d = %s %%", c.Method, r.Split, r.Correct, r.Test, value)})
	}
	for _, split := range splits {
		value, ok := bySplit[split]
		if !ok {
			value = absent
		}
		line.Numbers = append(line.Numbers, value)
	}
	return line
}

// publishedRow returns the first source's values for a data set, one a method,
// NaN for none.
func (t *Table2) publishedRow(row Row, o RenderOptions) []float64 {
	values := make([]float64, len(row.Cells))
	for i := range values {
		values[i] = math.NaN()
	}
	if o.OmitPublished || len(t.Comparisons) == 0 {
		return values
	}
	for _, r := range t.Comparisons[0].Rows {
		if r.Dataset == row.Dataset.Name {
			for k, c := range r.Cells {
				values[t.Comparisons[0].columns[k]] = rational(c.Published)
			}
		}
	}
	return values
}

// niceTicks returns two to six round numbers that enclose low and high, in
// percent, and the decimals they need.
func niceTicks(low, high float64) ([]float64, int) {
	const least = 0.1 // of a percent; a smaller range would need ticks finer than any split tells
	if high-low < least {
		low, high = max(0, low-0.5), min(100, high+0.5)
	}
	for exponent := -2; ; exponent++ {
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

func coordinate(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// about describes a data set's size on one line.
func about(d Dataset) string {
	switch {
	case d.Rows > 0 && d.Features > 0:
		return fmt.Sprintf("%s examples, %s features", fact(d.Rows), fact(d.Features))
	case d.Rows > 0:
		return fact(d.Rows) + " examples"
	}
	return ""
}
