package plot

import (
	"math"
	"slices"
	"strings"

	"github.com/kernelboosting/bench/reports/doc"
)

// A Series has a name, and for each group of bars a value and the interval around it, of which Y and Up count.
type Series struct {
	Name   string
	Values []Point
}

// A Curve is a named line through at least one point, from the left to the right.
type Curve struct {
	Name   string
	Points []Point // only X, Y and Up are drawn
}

// End returns the last point.
func (c Curve) End() Point { return c.Points[len(c.Points)-1] }

// Curves draws at least one curve. If all curves end at the same x, their names are at the right, else in the legend.
// The first doc.SeriesRoles curves have colours, dashes and marks of their own. Further curves are in the background,
// and their names are at their ends. printed are points of another source, of which equal ones are side by side, and
// printedName is their name in the legend. Where points have intervals, which the legend calls interval, curves are a
// little apart, so that intervals at one x are.
func Curves(curves []Curve, printed []Point, printedName, interval string, x, y Axis) doc.Plot {
	return func(width float64) doc.Drawing {
		var ends []float64
		var words []string
		all := printed
		for _, c := range curves {
			words, ends, all = append(words, c.Name), append(ends, c.End().X), slices.Concat(all, c.Points)
		}
		xs, ys := coordinates(all)
		words = clipped(words, width/2)
		atEnd := slices.Min(ends) == slices.Max(ends)
		right, height := 0.0, 0.0
		if atEnd {
			right, height = widest(words)+18, labelHeight*float64(len(curves)-1)
		}
		s := newSheet(width, x, y, xs, ys, right, height)
		between := 0.0 // curves
		if slices.ContainsFunc(curves, func(c Curve) bool { return slices.ContainsFunc(c.Points, Point.isUp) }) {
			between = min(4, 16/float64(len(curves)))
		}
		for i := len(curves) - 1; i >= 0; i-- { // the first curve last, so that it lies over the others
			s.curve(i, curves[i].Points, between*(float64(i)-float64(len(curves)-1)/2))
		}
		for i, p := range printed {
			equal := func(o Point) int {
				return map[bool]int{true: 1}[o.X == p.X && math.Abs(s.y.At(o.Y)-s.y.At(p.Y)) < 4]
			}
			before, all := 0, 0
			for k, o := range printed {
				if all += equal(o); k < i {
					before += equal(o)
				}
			}
			s.Diamond(doc.Printed, s.x.At(p.X)+9*(float64(before)-float64(all-1)/2), s.y.At(p.Y), 4, p.Tip)
		}
		var keys []key
		if atEnd {
			s.nameEnds(curves, words, true)
		} else {
			for i := range min(len(curves), doc.SeriesRoles) {
				keys = append(keys, key{func(d *doc.Drawing, x, y float64) {
					d.Line(doc.Series(i), x-8, y, x+8, y)
					marker(d, i, x, y)
				}, words[i]})
			}
			s.nameEnds(curves[len(keys):], words[len(keys):], false)
		}
		if between > 0 {
			keys = append(keys, upKey(interval))
		}
		if printed != nil {
			keys = append(keys, key{diamondKey(doc.Printed, 4), printedName})
		}
		if keys != nil {
			legend(&s.Drawing, keys)
		}
		return s.Drawing
	}
}

// curve draws the i-th curve, with the intervals of its points, moved to the right. If there are many points, only some
// have marks.
func (s *sheet) curve(i int, points []Point, right float64) {
	at := func(p Point) float64 { return s.x.At(p.X) + right }
	for k, p := range points {
		if p.isUp() {
			s.Line(doc.Thin, at(p), s.y.At(p.Up[0]), at(p), s.y.At(p.Up[1]))
		}
		if k > 0 {
			s.Line(doc.Series(i), at(points[k-1]), s.y.At(points[k-1].Y), at(p), s.y.At(p.Y))
		}
	}
	last := len(points) - 1
	every := max(1, int(math.Ceil(40*float64(len(points))/(s.area.x2-s.area.x))))
	for k := last; k >= 0; k -= every {
		if k == last || i < doc.SeriesRoles {
			marker(&s.Drawing, i, at(points[k]), s.y.At(points[k].Y))
		}
	}
}

// nameEnds writes the names of curves near their last points. If atEnd is true, all curves end at the right edge of the
// area, and the names are beyond it. If not, the curves are in the background, and the names are within the area.
func (s *sheet) nameEnds(curves []Curve, words []string, atEnd bool) {
	ends := doc.Map(curves, func(c Curve) float64 { return s.y.At(c.End().Y) })
	for i, at := range spread(ends, labelHeight, s.area.y, s.area.y2) {
		x := s.x.At(curves[i].End().X)
		if !atEnd {
			to, anchor := 8.0, doc.Start
			if x+to+tickWidth(words[i]) > s.area.x2 {
				to, anchor = -to, doc.End
			}
			s.Line(doc.Rest, x, ends[i], x+to, at)
			s.Word(doc.Tick, x+1.25*to, at+3.5, anchor, words[i])
			continue
		}
		role := doc.Name
		if i >= doc.SeriesRoles {
			role = doc.Tick
		}
		s.Line(doc.Rest, x+8, ends[i], s.x.To+12, at)
		s.Word(role, s.x.To+14, at+3.5, doc.Start, words[i])
	}
}

// Groups draws groups of bars: at each name one bar for each series. The numbers are above the bars if they have room.
// below has a line of words for each name. These lines are written below the names if all of them have room. There is
// at least one name and one series, and each series has a value for every name. A series alone may have no name.
func Groups(names []string, series []Series, below []string, interval, x string, y Axis) doc.Plot {
	return func(width float64) doc.Drawing {
		names := clipped(names, width/2)
		var points []Point
		for _, l := range series {
			points = append(points, l.Values...)
		}
		_, all := coordinates(points)
		ticks, text := y.ticks(all)
		s := &sheet{Drawing: doc.Drawing{Width: width}}
		top := s.topTitle(y.Title) + 9
		base := top + max(90, min(200, 0.4*width))
		left := widest(text) + 8
		up := Scale{Low: ticks[0], High: ticks[len(ticks)-1], From: base, To: top}
		s.leftTicks(up, ticks, text, left, width)
		step := (width - left) / float64(len(names))
		bar := 0.84 * step / float64(len(series))
		decimals := map[bool]int{true: 0, false: 1}[y.Whole]
		numbered := tickWidth("888") < bar
		every := 1 + int((widest(names)+6)/step) // names that would overlap are left out
		below := below
		if slices.ContainsFunc(below, func(words string) bool { return tickWidth(words) >= step }) {
			below = nil
		}
		for g, name := range names {
			from := left + step*float64(g) + 0.08*step
			for i, l := range series {
				v, top := l.Values[g].Y, l.Values[g].Up[1]
				x1, x2 := from+bar*float64(i), from+bar*float64(i+1)-0.5
				tip := strings.TrimSuffix(name+", "+l.Name, ", ") + ": " + doc.Short(v)
				s.Box(doc.Series(i), x1, up.At(v), x2, base, tip)
				if l.Values[g].isUp() {
					s.Line(doc.Thin, (x1+x2)/2, up.At(l.Values[g].Up[0]), (x1+x2)/2, up.At(top))
				}
				if numbered {
					s.smallWord((x1+x2)/2, up.At(max(v, top))-3, tickTexts([]float64{v}, decimals)[0])
				}
			}
			middle := left + step*(float64(g)+0.5)
			if g%every == 0 {
				s.smallWord(middle, base+13, names[g])
			}
			if below != nil {
				s.Word(doc.Tick, middle, base+13+lineHeight, doc.Middle, below[g])
			}
		}
		s.Line(doc.Axis, left, base, width, base)
		if below != nil {
			base += lineHeight
		}
		s.bottomTitle(x, (left+width)/2, base)
		legend(&s.Drawing, groupKeys(series, interval, slices.ContainsFunc(points, Point.isUp)))
		return s.Drawing
	}
}

func groupKeys(series []Series, interval string, has bool) (keys []key) {
	for i, l := range series {
		if l.Name != "" {
			keys = append(keys, key{boxKey(doc.Series(i)), l.Name})
		}
	}
	if has {
		keys = append(keys, upKey(interval))
	}
	return keys
}
