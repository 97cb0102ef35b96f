package plot

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/kernelboosting/bench/reports/doc"
)

// An Axis is what a scatter or a line plot has at its bottom and its left.
type Axis struct {
	Title   string
	Log     bool // of positive values
	Percent bool // ticks stay within 0 and 100
	Whole   bool // ticks are whole numbers
	Down    bool // of y: small values are at the top
}

// Geometry of sheets, in units of a drawing.
const (
	sheetWidth  = 640.0
	sheetHeight = 320.0
	sheetLeft   = 52.0
	sheetTop    = 26.0
	sheetTitle  = 9.0  // y of the title of the values
	sheetBottom = 40.0 // below the area of the values
	labelHeight = 11.0
)

// A sheet is a drawing with axes.
type sheet struct {
	doc.Drawing
	x, y Scale
}

// newSheet draws axes around values; right is the room for words at the right.
func newSheet(x, y Axis, xs, ys []float64, right float64) *sheet {
	s := &sheet{Drawing: doc.Drawing{Width: sheetWidth, Height: sheetHeight}}
	bottom := sheetHeight - sheetBottom
	xTicks, xText := x.ticks(xs)
	yTicks, yText := y.ticks(ys)
	s.x = Scale{Low: xTicks[0], High: xTicks[len(xTicks)-1], From: sheetLeft, To: sheetWidth - right, Log: x.Log}
	s.y = Scale{Low: yTicks[0], High: yTicks[len(yTicks)-1], From: bottom, To: sheetTop, Log: y.Log}
	if y.Down {
		s.y.From, s.y.To = s.y.To, s.y.From
	}
	for i, v := range xTicks {
		at := s.x.At(v)
		s.Line(doc.Grid, at, sheetTop, at, bottom)
		s.Word(doc.Tick, at, bottom+14, doc.Middle, xText[i])
	}
	for i, v := range yTicks {
		at := s.y.At(v)
		s.Line(doc.Grid, sheetLeft, at, s.x.To, at)
		s.Word(doc.Tick, sheetLeft-6, at+3, doc.End, yText[i])
	}
	s.Line(doc.Axis, sheetLeft, bottom, s.x.To, bottom)
	s.Line(doc.Axis, sheetLeft, sheetTop, sheetLeft, bottom)
	s.Word(doc.Tick, (s.x.From+s.x.To)/2, sheetHeight-8, doc.Middle, x.Title)
	s.Word(doc.Tick, 0, sheetTitle, doc.Start, y.Title)
	return s
}

// ticks are round numbers that enclose the values, and their texts.
func (a Axis) ticks(values []float64) ([]float64, []string) {
	low, high := slices.Min(values), slices.Max(values)
	if a.Log {
		return logTicks(low, high)
	}
	ticks, decimals := Ticks(low, high, a.Percent)
	if a.Whole && decimals > 0 && high-low >= 1 {
		ticks, decimals = slices.DeleteFunc(ticks, func(v float64) bool { return v != math.Round(v) }), 0
	}
	var texts []string
	for _, v := range ticks {
		texts = append(texts, strconv.FormatFloat(v, 'f', decimals, 64))
	}
	return ticks, texts
}

// logTicks are powers of ten, with 2 and 5 times these where few powers do.
func logTicks(low, high float64) ([]float64, []string) {
	first, last := int(math.Floor(math.Log10(low)+1e-9)), int(math.Ceil(math.Log10(high)-1e-9))
	if first == last {
		last++
	}
	factors := []float64{1}
	if last-first <= 2 {
		factors = []float64{1, 2, 5}
	}
	var ticks []float64
	for e := first; e <= last; e++ {
		for _, f := range factors {
			if v := f * math.Pow(10, float64(e)); e < last || f == 1 {
				ticks = append(ticks, v)
			}
		}
	}
	for len(ticks) > 2 && ticks[1] <= low*(1+1e-9) {
		ticks = ticks[1:]
	}
	for len(ticks) > 2 && ticks[len(ticks)-2] >= high*(1-1e-9) {
		ticks = ticks[:len(ticks)-1]
	}
	var texts []string
	for _, v := range ticks {
		texts = append(texts, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return ticks, texts
}

// labels writes names to the right of their places, each on a line of its own: those that would lie on one another are moved
// apart, with a thin line to their place. rise is how much higher than its place a name stands.
func (s *sheet) labels(names []string, xs, ys []float64, rise float64) {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ys[a], ys[b]) })
	at := slices.Clone(ys)
	for i := range at {
		at[i] -= rise
	}
	overlap := func(a, b int) bool {
		left, right := a, b
		if xs[b] < xs[a] {
			left, right = b, a
		}
		return xs[left]+10+LetterWidth*float64(utf8.RuneCountInString(names[left])) > xs[right]
	}
	for place, i := range order {
		for moved := true; moved; { // downwards alone, so that it ends below all others
			moved = false
			for _, j := range order[:place] {
				if overlap(i, j) && at[i] < at[j]+labelHeight && at[i] > at[j]-labelHeight {
					at[i], moved = at[j]+labelHeight, true
				}
			}
		}
	}
	for i, name := range names {
		if math.Abs(at[i]-ys[i]) > rise+labelHeight/2 {
			s.Line(doc.Thin, xs[i]+3, ys[i], xs[i]+7, at[i])
		}
		s.Word(doc.Name, xs[i]+8, at[i]+3.5, doc.Start, name)
	}
}

// rightOf is the room that names need at the right of a sheet.
func rightOf(names []string) float64 {
	longest := 0
	for _, n := range names {
		longest = max(longest, utf8.RuneCountInString(n))
	}
	return LetterWidth*float64(longest) + 14
}

// A Point is a named place of a scatter.
type Point struct {
	Name, Tip string
	X, Y      float64
}

// Scatter draws named points, at least one, and a line through those of front, given in order of X.
func Scatter(points []Point, front []int, x, y Axis) doc.Drawing {
	var xs, ys []float64
	var names []string
	for _, p := range points {
		xs, ys, names = append(xs, p.X), append(ys, p.Y), append(names, p.Name)
	}
	s := newSheet(x, y, xs, ys, rightOf(names))
	for k := 1; k < len(front); k++ { // a staircase: what a time reaches stays reached
		a, b := points[front[k-1]], points[front[k]]
		s.Line(doc.Mean, s.x.At(a.X), s.y.At(a.Y), s.x.At(b.X), s.y.At(a.Y))
		s.Line(doc.Mean, s.x.At(b.X), s.y.At(a.Y), s.x.At(b.X), s.y.At(b.Y))
	}
	for i, p := range points {
		xs[i], ys[i] = s.x.At(p.X), s.y.At(p.Y)
		role := doc.Value
		if slices.Contains(front, i) {
			role = doc.Mean
		}
		s.Dot(role, xs[i], ys[i], 3.5, p.Tip)
	}
	s.labels(names, xs, ys, 6) // above the line
	return s.Drawing
}

// A Series is a named line through values at common places.
type Series struct {
	Name   string
	Values []float64
}

// Lines draws series over xs, at least one of each, with their names at the right.
func Lines(xs []float64, series []Series, x, y Axis) doc.Drawing {
	var all []float64
	var names []string
	for _, l := range series {
		all, names = append(all, l.Values...), append(names, l.Name)
	}
	s := newSheet(x, y, xs, all, rightOf(names))
	var endX, endY []float64
	for i, l := range series {
		role := doc.Thin
		if i == 0 {
			role = doc.Mean
		}
		for k := 1; k < len(l.Values); k++ {
			s.Line(role, s.x.At(xs[k-1]), s.y.At(l.Values[k-1]), s.x.At(xs[k]), s.y.At(l.Values[k]))
		}
		last := len(l.Values) - 1
		s.Dot(doc.Value, s.x.At(xs[last]), s.y.At(l.Values[last]), 2.3, "")
		endX, endY = append(endX, s.x.At(xs[last])), append(endY, s.y.At(l.Values[last]))
	}
	s.labels(names, endX, endY, 0)
	return s.Drawing
}
