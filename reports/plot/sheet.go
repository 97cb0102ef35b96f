package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
)

// An Axis is the axis at the bottom or at the left of a drawing.
type Axis struct {
	Title   string
	Log     bool // the scale is logarithmic, and all values are positive
	Percent bool // ticks stay within 0 and 100
	Whole   bool // all values are whole numbers, and so are ticks if the values differ
	Down    bool // for y: small values are at the top
	Zero    bool // the axis begins at 0
}

// Geometry of sheets, in units of a drawing.
const (
	sheetTop    = 19.0 // room above the area of the values, for a title of one line
	sheetTitle  = 9.0  // y of the first line of the title
	sheetBottom = 20.0 // room below the area, for the ticks
)

// A sheet is a drawing with axes.
type sheet struct {
	doc.Drawing
	x, y Scale
	area box
}

// newSheet returns a drawing of a given width with axes around values. right is the room for words at the right, and
// height is the least height of the area of the values.
func newSheet(width float64, x, y Axis, xs, ys []float64, right, height float64) *sheet {
	height = max(height, min(280, 0.6*width))
	s := &sheet{Drawing: doc.Drawing{Width: width}}
	top := s.topTitle(y.Title)
	bottom := top + height
	xTicks, xText := x.ticks(xs)
	yTicks, yText := y.ticks(ys)
	left := widest(yText) + 8
	s.x = x.scale(xs, xTicks, left, width-max(right, TextWidth(xText[len(xText)-1])/2))
	s.y = y.scale(ys, yTicks, bottom, top)
	if y.Down {
		s.y.From, s.y.To = s.y.To, s.y.From
	}
	s.area = box{left, top, s.x.To, bottom}
	s.bottomTicks(s.x, xTicks, xText, top, bottom)
	s.leftTicks(s.y, yTicks, yText, left, s.x.To)
	s.Line(doc.Axis, left, bottom, s.x.To, bottom)
	s.Line(doc.Axis, left, top, left, bottom)
	s.bottomTitle(x.Title, (s.x.From+s.x.To)/2, bottom)
	return s
}

// topTitle writes a title at the top and returns where the area below it begins.
func (s *sheet) topTitle(title string) float64 {
	lines := wrap(title, s.Width)
	for i, line := range lines {
		s.Word(doc.Tick, 0, sheetTitle+lineHeight*float64(i), doc.Start, line)
	}
	return sheetTop + lineHeight*float64(max(0, len(lines)-1))
}

// bottomTitle writes a title below an area and its ticks. Its middle is at the given place, or as near as the edges
// of the drawing allow. The drawing becomes high enough for the title.
func (s *sheet) bottomTitle(title string, at, bottom float64) {
	s.Height = bottom + sheetBottom
	for _, line := range wrap(title, s.Width) {
		s.Height += lineHeight
		s.smallWord(at, s.Height-5, line)
	}
}

// smallWord writes a word in small type. Its middle is at the given place, or as near as the edges of the drawing
// allow. smallWord returns where the word begins and ends.
func (s *sheet) smallWord(at, y float64, text string) (from, to float64) {
	half := tickWidth(text) / 2
	at = max(half, min(at, s.Width-half))
	s.Word(doc.Tick, at, y, doc.Middle, text)
	return at - half, at + half
}

// bottomTicks draws the ticks of an axis at the bottom of an area, and lines above them. A number that would touch the
// number before it is left out.
func (s *sheet) bottomTicks(scale Scale, ticks []float64, texts []string, top, bottom float64) {
	end := math.Inf(-1)
	for i, v := range ticks {
		at, half := scale.At(v), tickWidth(texts[i])/2
		s.Line(doc.Grid, at, top, at, bottom)
		at = max(half, min(at, s.Width-half))
		if at-half > end {
			s.Word(doc.Tick, at, bottom+13, doc.Middle, texts[i])
			end = at + half + 4
		}
	}
}

// leftTicks draws the ticks of an axis at the left of an area, and lines at their right.
func (s *sheet) leftTicks(scale Scale, ticks []float64, texts []string, left, right float64) {
	for i, v := range ticks {
		s.Line(doc.Grid, left, scale.At(v), right, scale.At(v))
		s.Word(doc.Tick, left-5, scale.At(v)+3, doc.End, texts[i])
	}
}

// ticks returns round numbers that enclose the values, and their texts.
func (a Axis) ticks(values []float64) ([]float64, []string) {
	low, high := slices.Min(values), slices.Max(values)
	switch {
	case a.Log:
		return logTicks(low, high)
	case a.Zero:
		low, high = 0, max(1, high)
	}
	ticks, decimals := Ticks(low, high, a.Percent)
	if a.Whole && decimals > 0 && high-low >= 1 {
		ticks, decimals = slices.DeleteFunc(ticks, func(v float64) bool { return v != math.Round(v) }), 0
	}
	return ticks, tickTexts(ticks, decimals)
}

// scale encloses the values and the ticks of an axis, and of an axis of logarithms little more than the values.
func (a Axis) scale(values, ticks []float64, from, to float64) Scale {
	low, high := ticks[0], ticks[len(ticks)-1]
	if a.Log {
		least, most := slices.Min(values), slices.Max(values)
		room := math.Pow(most/least, 0.04)
		low, high = min(low, least/room), max(high, most*room)
	}
	return Scale{Low: low, High: high, From: from, To: to, Log: a.Log}
}

// tickTexts writes ticks with the given number of decimals, or with an exponent if that number is large.
func tickTexts(ticks []float64, decimals int) []string {
	var texts []string
	for _, v := range ticks {
		if decimals > 5 {
			texts = append(texts, strconv.FormatFloat(v, 'g', 3, 64))
			continue
		}
		texts = append(texts, strconv.FormatFloat(v, 'f', decimals, 64))
	}
	return texts
}

// logTicks returns the ticks between low and high, or at least two, and their texts. Ticks are powers of ten and, if
// low and high are close, 2 and 5 times these powers.
func logTicks(low, high float64) ([]float64, []string) {
	first, last := int(math.Floor(math.Log10(low)+1e-9)), int(math.Ceil(math.Log10(high)-1e-9))
	if first == last {
		last++
	}
	factors := []float64{1}
	if math.Log10(high/low) <= 2.2 {
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
	inside := func(v float64) bool { return low*(1-1e-9) <= v && v <= high*(1+1e-9) }
	for len(ticks) > 2 && !inside(ticks[0]) {
		ticks = ticks[1:]
	}
	for len(ticks) > 2 && !inside(ticks[len(ticks)-1]) {
		ticks = ticks[:len(ticks)-1]
	}
	return ticks, doc.Map(ticks, doc.Short)
}

// A Point is a point of a scatter, of a curve or of a strip.
type Point struct {
	Name, Tip  string
	X, Y       float64
	Across, Up [2]float64 // intervals around X and Y; equal ends for none
	Front      bool       // the point and its name are emphasised
}

// isUp reports whether a point has an interval around Y.
func (p Point) isUp() bool { return p.Up[0] != p.Up[1] }

// A Legend says what the parts of a scatter mean. The text of a part that is not drawn is "".
type Legend struct {
	Front, Other string // points
	Line         string // the line through the front
	Across, Up   string // intervals
	More         []string
}

// Scatter draws at least one named point. A line like stairs goes through the points of the front, from the left to the
// right.
func Scatter(points []Point, x, y Axis, text Legend) doc.Plot {
	return func(width float64) doc.Drawing {
		xs, ys := coordinates(points)
		s := newSheet(width, x, y, xs, ys, 0, 0)
		taken := s.intervals(points)
		s.stairs(points, &taken)
		s.legend(text, s.drawNamed(points, taken, doc.Name))
		return s.Drawing
	}
}

// coordinates returns the values of points and the ends of their intervals.
func coordinates(points []Point) (xs, ys []float64) {
	for _, p := range points {
		xs, ys = append(xs, p.X), append(ys, p.Y)
		if p.Across[0] != p.Across[1] {
			xs = append(xs, p.Across[:]...)
		}
		if p.isUp() {
			ys = append(ys, p.Up[:]...)
		}
	}
	return xs, ys
}

// drawNamed draws points with their names. Points of the front are diamonds, and their names have the role front.
// drawNamed returns how many names have no room.
func (s *sheet) drawNamed(points []Point, taken obstacles, front doc.Role) (left int) {
	var labels []label
	for _, p := range points {
		at, up := s.x.At(p.X), s.y.At(p.Y)
		role := doc.Tick
		if p.Front {
			role = front
			s.Diamond(doc.Mean, at, up, 4, p.Tip)
		} else {
			s.Dot(doc.Value, at, up, 3, p.Tip)
		}
		taken.hard = append(taken.hard, box{at - 4, up - 4, at + 4, up + 4})
		labels = append(labels, label{p.Name, role, at, up})
	}
	return taken.writeNames(&s.Drawing, box{s.area.x, s.area.y - 7, s.Width, s.area.y2}, labels)
}

// intervals draws the intervals of points. It returns the places that names should avoid.
func (s *sheet) intervals(points []Point) (taken obstacles) {
	for _, p := range points {
		at, up := s.x.At(p.X), s.y.At(p.Y)
		if p.Across[0] != p.Across[1] {
			from, to := s.x.At(p.Across[0]), s.x.At(p.Across[1])
			s.Line(doc.Range, from, up, to, up)
			taken.soft = append(taken.soft, box{from, up - 1, to, up + 1})
		}
		if p.isUp() {
			from, to := s.y.At(p.Up[1]), s.y.At(p.Up[0])
			s.Line(doc.Range, at, from, at, to)
			taken.soft = append(taken.soft, box{at - 1, from, at + 1, to})
		}
	}
	return taken
}

// stairs draws the line of the front: a value that is reached at an x stays reached at every larger x.
func (s *sheet) stairs(points []Point, taken *obstacles) {
	var front []Point
	for _, p := range points {
		if p.Front {
			front = append(front, p)
		}
	}
	slices.SortStableFunc(front, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	for k := 1; k < len(front); k++ {
		x, y, x2, y2 := s.x.At(front[k-1].X), s.y.At(front[k-1].Y), s.x.At(front[k].X), s.y.At(front[k].Y)
		s.Line(doc.Mean, x, y, x2, y)
		s.Line(doc.Mean, x2, y, x2, y2)
		taken.soft = append(taken.soft, box{x, y - 1, x2, y + 1}, box{x2 - 1, min(y, y2), x2 + 1, max(y, y2)})
	}
}

// legend explains the parts of a scatter. left is the number of names that have no room.
func (s *sheet) legend(text Legend, left int) {
	keys := []key{
		{diamondKey(doc.Mean, 4), text.Front}, {dotKey(doc.Value, 3), text.Other},
		{lineKey(doc.Mean), text.Line}, {lineKey(doc.Range), text.Across},
		{func(d *doc.Drawing, x, y float64) { d.Line(doc.Range, x, y-5, x, y+5) }, text.Up},
	}
	if left > 0 {
		keys = append(keys, key{nil, fmt.Sprintf("%s left out for want of room", names(left))})
	}
	for _, sentence := range text.More {
		keys = append(keys, key{nil, sentence})
	}
	legend(&s.Drawing, slices.DeleteFunc(keys, func(k key) bool { return k.text == "" }))
}

func names(n int) string {
	if n == 1 {
		return "1 name"
	}
	return fmt.Sprintf("%d names", n)
}

// BackgroundNote returns the end of a legend, which says that Curves draws some curves in the background; "" if it
// draws none there. The curves must be sorted by their last value, the best first.
func BackgroundNote(curves int) string {
	if curves <= doc.SeriesRoles {
		return ""
	}
	return fmt.Sprintf("; the %d best at the end are in colours, the others grey", doc.SeriesRoles)
}

// Diagonal draws at least one named point on two axes of the same scale, with the line on which both coordinates are
// equal. x and y name the coordinates, measure says what both of them are, and percent keeps ticks within 0 and 100.
func Diagonal(points []Point, x, y, measure string, percent bool) doc.Plot {
	return func(width float64) doc.Drawing {
		var both []float64
		var text Legend
		points := slices.Clone(points)
		for i, p := range points {
			both = append(both, p.X, p.Y)
			if points[i].Front = p.Y > p.X; p.Y > p.X {
				text.Front = y + " higher"
			} else {
				text.Other = x + " higher, or both equal"
			}
		}
		s := newSheet(width, Axis{Title: x + ", " + measure, Percent: percent},
			Axis{Title: y + ", " + measure, Percent: percent}, both, both, 0, 0)
		s.Line(doc.Axis, s.x.From, s.y.From, s.x.To, s.y.To)
		taken := obstacles{soft: along([4]float64{s.x.From, s.y.From, s.x.To, s.y.To})}
		s.legend(text, s.drawNamed(points, taken, doc.Tick))
		return s.Drawing
	}
}
