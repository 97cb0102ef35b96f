package plot

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/doc"
	"pgregory.net/rapid"
)

// widths are the widths at which the tests lay drawings out.
var widths = []float64{50 * doc.Millimetre, doc.ColumnWidth, doc.PageWidth}

// onSheet lays a drawing out at every width. It fails if a mark, or a part of a word, is not on the sheet, or if two
// words overlap.
func onSheet(t *rapid.T, plot doc.Plot) {
	for _, width := range widths {
		d := plot(width)
		if d.Width != width {
			t.Fatalf("a drawing for %v is %v wide", width, d.Width)
		}
		for _, m := range d.Marks {
			places := [][2]float64{{m.X, m.Y}}
			switch m.Shape {
			case doc.Line, doc.Box:
				places = append(places, [2]float64{m.X2, m.Y2})
			case doc.Word:
				length := wordWidth(m)
				from := m.X - length*float64(m.Anchor)/2
				places = [][2]float64{{from, m.Y - 7}, {from + length, m.Y + 2}}
			}
			for _, p := range places {
				if math.IsNaN(p[0]+p[1]) || p[0] < -1 || p[0] > d.Width+1 || p[1] < -1 || p[1] > d.Height+1 {
					t.Fatalf("%+v is not on a sheet of %v x %v", m, d.Width, d.Height)
				}
			}
		}
		if a, b, ok := overlap(d); ok {
			t.Fatalf("%v wide: %+v and %+v overlap", width, a, b)
		}
	}
}

func wordWidth(m doc.Mark) float64 {
	if m.Role == doc.Tick {
		return tickWidth(m.Text)
	}
	return TextWidth(m.Text)
}

// overlap returns two words of a drawing that overlap.
func overlap(d doc.Drawing) (a, b doc.Mark, found bool) {
	var words []doc.Mark
	for _, m := range d.Marks {
		if m.Shape != doc.Word || m.Text == "" {
			continue
		}
		m.X -= wordWidth(m) * float64(m.Anchor) / 2
		for _, o := range words {
			if m.X < o.X+wordWidth(o)-1 && o.X < m.X+wordWidth(m)-1 && math.Abs(m.Y-o.Y) < 8 {
				return m, o, true
			}
		}
		words = append(words, m)
	}
	return a, b, false
}

// points draws named points, some of them in the same place, some with intervals.
func points(t *rapid.T, least float64) []Point {
	var out []Point
	for i := range rapid.IntRange(1, 30).Draw(t, "points") {
		p := Point{Name: fmt.Sprint("Method-", i), X: max(least, float64(rapid.IntRange(0, 50).Draw(t, "x"))),
			Y: float64(rapid.IntRange(50, 60).Draw(t, "y")), Front: rapid.Bool().Draw(t, "front")}
		if rapid.Bool().Draw(t, "intervals") {
			p.Across, p.Up = [2]float64{p.X / 2, p.X * 1.5}, [2]float64{p.Y - 2, p.Y + 1}
		}
		out = append(out, p)
	}
	return out
}

// curve is a curve with values at 1, 2 and so on.
func curve(i int, values ...float64) Curve {
	c := Curve{Name: fmt.Sprint("m", i)}
	for k, v := range values {
		c.Points = append(c.Points, Point{X: float64(k + 1), Y: v})
	}
	return c
}

// At every width all marks are on the sheet and no two words overlap, however many marks there are.
func TestDrawingsAreOnTheirSheets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := points(t, 1e-6)
		log := rapid.Bool().Draw(t, "log")
		onSheet(t, Scatter(ps, Axis{Title: "processor time of a cell (s)", Log: log}, Axis{Title: "y", Percent: true},
			Legend{"on the front", "not on it", "line", "middle half of the splits", "95 % interval over sets",
				[]string{"A sentence that says what the times are."}}))
		onSheet(t, Diagonal(points(t, 0), "short", "a-longer-name", "test area under the ROC curve (%)", true))
		var values []string
		var counts Series
		for i := range rapid.IntRange(1, 30).Draw(t, "bars") {
			values = append(values, fmt.Sprint(i))
			counts.Values = append(counts.Values, Point{Y: float64(rapid.IntRange(0, 100).Draw(t, "value"))})
		}
		onSheet(t, Groups(values, []Series{counts}, nil, "", "lambda", Axis{Title: "splits", Whole: true, Zero: true}))
		n := rapid.IntRange(2, 30).Draw(t, "splits")
		var curves []Curve
		for i := range rapid.IntRange(1, 30).Draw(t, "series") {
			curves = append(curves, curve(i, rapid.SliceOfN(rapid.Float64Range(1, 9), n, n).Draw(t, "values")...))
		}
		onSheet(t, Curves(curves, nil, "", "", Axis{Title: "splits", Whole: true, Log: log},
			Axis{Title: "rank", Down: rapid.Bool().Draw(t, "down")}))
		groups := []string{"10", "1000", "100000"}
		bar := []Point{{Y: rapid.Float64Range(1, 9).Draw(t, "bar"), Up: [2]float64{0.5, 10}}, {Y: 3}, {Y: 90}}
		onSheet(t, Groups(groups, []Series{{"A", bar}, {"B", bar}}, groups, "95 % interval", "landmarks",
			Axis{Title: "accuracy (%)"}))
		var strips []Strip
		for i, p := range ps {
			strips = append(strips, Strip{Name: p.Name, Values: []Point{p, {X: p.X + 1}},
				Box: [2]float64{p.X, p.X + 1}, Mean: p.X, Printed: []float64{math.NaN(), p.Y}[i%2]})
		}
		onSheet(t, Strips(strips, Axis{Title: "test accuracy (%)"}, "a split"))
	})
}

// The legend counts the names that have no room, and all other names are on the drawing.
func TestNamesAreDrawnOrCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := points(t, 1e-6)
		for _, width := range widths {
			there, left := 0, 0
			for _, m := range Scatter(ps, Axis{Title: "x"}, Axis{Title: "y"}, Legend{})(width).Marks {
				if strings.HasPrefix(m.Text, "Method-") {
					there++
				}
				if strings.Contains(m.Text, "left out") {
					_, _ = fmt.Sscan(m.Text, &left)
				}
			}
			must.Be(t, there+left, len(ps))
		}
	})
}

// At a column's width the reference run's six methods are all named.
func TestAFewNamesHaveRoom(t *testing.T) {
	ps := []Point{{Name: "GFC", X: 0.42, Y: 85.9, Front: true}, {Name: "GBRFF2", X: 1.4, Y: 89.1, Front: true},
		{Name: "GBRFF1", X: 1.6, Y: 88}, {Name: "LGBM", X: 2.1, Y: 89.05}, {Name: "PBRFF", X: 2.12, Y: 88.1},
		{Name: "BMKR", X: 17, Y: 88.4}}
	words := 0
	for _, m := range Scatter(ps, Axis{Title: "s", Log: true}, Axis{Title: "%"}, Legend{})(doc.ColumnWidth).Marks {
		if m.Shape == doc.Word && slices.ContainsFunc(ps, func(p Point) bool { return p.Name == m.Text }) {
			words++
		}
	}
	must.Be(t, words, len(ps))
}

// TestStairs: the line of the front has a step for each further point of the front, in the order of x whatever that of
// the points: it goes on at the height that is reached, then to the next one. No other point is on it, and names keep
// away from all of its parts.
func TestStairs(t *testing.T) {
	a, b, c := Point{Name: "a", X: 1, Y: 50, Front: true}, Point{Name: "b", X: 3, Y: 70, Front: true},
		Point{Name: "c", X: 8, Y: 90, Front: true}
	other := Point{Name: "other", X: 5, Y: 60}
	ps := []Point{c, other, a, b}
	xs, ys := coordinates(ps)
	s := newSheet(doc.PageWidth, Axis{Title: "x"}, Axis{Title: "y"}, xs, ys, 0, 0)
	before := len(s.Marks)
	var taken obstacles
	s.stairs(ps, &taken)
	type line struct{ x, y, x2, y2 float64 }
	var got, want []line
	for _, m := range s.Marks[before:] {
		must.Be(t, m.Shape, doc.Line, m)
		must.Be(t, m.Role, doc.Mean, m)
		got = append(got, line{m.X, m.Y, m.X2, m.Y2})
	}
	for _, step := range [][2]Point{{a, b}, {b, c}} {
		x, y, x2, y2 := s.x.At(step[0].X), s.y.At(step[0].Y), s.x.At(step[1].X), s.y.At(step[1].Y)
		want = append(want, line{x, y, x2, y}, line{x2, y, x2, y2})
	}
	must.Be(t, got, want, "lines")
	for _, l := range want {
		must.Be(t, taken.free(box{min(l.x, l.x2), min(l.y, l.y2), max(l.x, l.x2) + 0.1, max(l.y, l.y2) + 0.1}, true),
			false, "a name may cover", l)
		middle := box{(l.x + l.x2) / 2, (l.y + l.y2) / 2, (l.x+l.x2)/2 + 0.1, (l.y+l.y2)/2 + 0.1}
		must.Be(t, taken.free(middle, true), false, "the middle of", l)
		must.Be(t, taken.free(middle, false), true, "the middle of", l)
	}
	must.Be(t, len(taken.soft), len(want))
	only := newSheet(doc.PageWidth, Axis{}, Axis{}, xs, ys, 0, 0)
	before = len(only.Marks)
	only.stairs([]Point{other, a}, &obstacles{})
	must.Be(t, len(only.Marks), before, "a front of one point has a line")
}

// Places move apart only as far as the gaps need it, and keep their order.
func TestSpread(t *testing.T) {
	for _, c := range []struct{ places, want []float64 }{
		{[]float64{10, 30}, []float64{10, 30}}, {[]float64{20, 20}, []float64{15, 25}},
		{[]float64{0, 0, 1}, []float64{0, 10, 20}}, {[]float64{100, 99}, []float64{100, 90}},
		{[]float64{50, 52, 80}, []float64{46, 56, 80}},
	} {
		must.Be(t, spread(c.places, 10, 0, 100), c.want, c.places)
	}
}

// Readers without colours can distinguish the first doc.SeriesRoles curves. Each of these curves has its own role, and
// so its own dashes. The marks of neighbouring curves differ in shape. The other curves are in the background.
func TestSeriesWithoutColours(t *testing.T) {
	var curves []Curve
	for i := range 28 {
		curves = append(curves, curve(i, float64(i), float64(i)))
	}
	shapes, lines := map[doc.Role]doc.Shape{}, map[doc.Role]int{}
	for _, m := range Curves(curves, nil, "", "", Axis{}, Axis{})(doc.ColumnWidth).Marks {
		switch m.Shape {
		case doc.Line:
			lines[m.Role]++
		case doc.Word:
		default:
			shapes[m.Role] = m.Shape
		}
	}
	for i := range doc.SeriesRoles {
		if lines[doc.Series(i)] != 1 || i > 0 && shapes[doc.Series(i)] == shapes[doc.Series(i-1)] {
			t.Errorf("series %d: %d lines, shape %v", i, lines[doc.Series(i)], shapes[doc.Series(i)])
		}
	}
	if lines[doc.Rest] != 28-doc.SeriesRoles+28 { // one for each further curve, and one from each curve to its name
		t.Errorf("%d lines in the background", lines[doc.Rest])
	}
}

// Curves whose points have intervals are apart, each interval through its mark, and the legend says what they are.
// Printed points at one place are side by side.
func TestIntervalsOfCurves(t *testing.T) {
	var curves []Curve
	for i := range 3 {
		c := curve(i, 5, 6, 7)
		for k := range c.Points {
			c.Points[k].Up = [2]float64{c.Points[k].Y - 1, c.Points[k].Y + 2}
		}
		curves = append(curves, c)
	}
	printed := []Point{{X: 3, Y: 6}, {X: 3, Y: 6}, {X: 2, Y: 6}}
	marks, intervals, diamonds, words := map[float64]bool{}, map[float64]bool{}, []float64{}, ""
	d := Curves(curves, printed, "printed", "95 % interval", Axis{}, Axis{})(doc.ColumnWidth)
	for _, m := range d.Marks {
		switch {
		case m.Shape == doc.Line && m.Role == doc.Thin && m.Y-m.Y2 != -10:
			intervals[m.X] = true
		case m.Shape == doc.Diamond && m.Role == doc.Printed:
			diamonds = append(diamonds, m.X)
		case m.Shape == doc.Box && m.Role == doc.Series(1):
			marks[(m.X+m.X2)/2] = true
		case m.Shape == doc.Dot || m.Shape == doc.Triangle:
			marks[m.X] = true
		case m.Shape == doc.Word:
			words += m.Text + "; "
		}
	}
	for x := range marks {
		near := func(o float64) bool { return math.Abs(o-x) < 1e-9 }
		must.Be(t, slices.ContainsFunc(slices.Collect(maps.Keys(intervals)), near), true, "no interval at the mark at",
			x)
	}
	must.Be(t, len(marks), 9)
	must.Be(t, len(intervals), 9)
	if len(diamonds) != 4 || math.Abs(diamonds[0]-diamonds[1]) < 8 { // the last one is the legend's
		t.Errorf("printed points at %v", diamonds)
	}
	must.Hold(t, words, "95 % interval; ", "printed; ")
}

// Numbers have one notation: no exponent, and no group of three digits.
func TestOneNotationOfTicks(t *testing.T) {
	_, texts := logTicks(2e-5, 3e6)
	must.Be(t, texts, []string{"0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100000",
		"1000000"})
}

// Ticks of a logarithmic axis ascend, are few, and lie between the values unless that leaves one. The values fill the
// axis, whatever its ticks are: a time of 0.0073 does not begin it at 0.001.
func TestLogTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Exp(rapid.Float64Range(-14, 10).Draw(t, "low"))
		high := low * math.Exp(rapid.Float64Range(0, 12).Draw(t, "times"))
		ticks, texts := logTicks(low, high)
		if len(ticks) < 2 || len(ticks) > 9 || len(texts) != len(ticks) || len(ticks) > 2 &&
			(ticks[0] < low*(1-1e-6) || ticks[len(ticks)-1] > high*(1+1e-6)) {
			t.Fatalf("ticks of %v..%v: %v", low, high, ticks)
		}
		axis := Axis{Log: true}.scale([]float64{high, low}, ticks, 0, 100)
		if from, to := axis.At(low), axis.At(high); len(ticks) > 2 && (from > 5 || to < 95) || from < 0 || to > 100 {
			t.Fatalf("the values are from %v to %v of 100", from, to)
		}
		for i := 1; i < len(ticks); i++ {
			if ticks[i] <= ticks[i-1] {
				t.Fatalf("ticks %v", ticks)
			}
		}
	})
}

// A diagram has a name and a rank for each method, and a bar for each group. It counts the bars that have no room.
func TestCriticalDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 40).Draw(t, "methods")
		var names []string
		var ranks []float64
		long := rapid.SampledFrom([]string{"m", "Method-with-a-name-"}).Draw(t, "name")
		for i := range k {
			names, ranks = append(names, fmt.Sprint(long, i)), append(ranks, 1+float64(i)*float64(k-1)/float64(k))
		}
		var groups [][]int
		for i := range rapid.IntRange(0, k-1).Draw(t, "groups") {
			groups = append(groups, []int{i, i + 1})
		}
		plot := CriticalDifference(names, ranks, groups, rapid.SampledFrom([]float64{math.NaN(), 0.5, 50}).Draw(t,
			"cd"), "")
		onSheet(t, plot)
		for _, width := range widths {
			words, bars, left := 0, 0, 0
			for _, m := range plot(width).Marks {
				if m.Shape == doc.Word && m.Role == doc.Name && strings.Contains(m.Text, long[:1]) {
					words++
				}
				if m.Role == doc.Strong {
					bars++
				}
				if _, count, ok := strings.Cut(m.Text, "left out: "); ok {
					left, _ = strconv.Atoi(count)
				}
			}
			if len(groups) > 0 {
				bars-- // of the legend
			}
			must.Be(t, words, k)
			must.Be(t, bars+left, len(groups))
		}
	})
}

// A bar that passes over a method has a dot at each method that it joins. A bar without gaps has none.
func TestBarWithAGap(t *testing.T) {
	for _, width := range widths {
		dots, lines := 0, 0
		for _, m := range CriticalDifference([]string{"A", "B", "C", "D"}, []float64{1, 2, 3, 4},
			[][]int{{0, 1}, {0, 2, 3}}, math.NaN(), "")(width).Marks {
			switch {
			case m.Role == doc.Strong && m.Shape == doc.Dot && m.Tip != "":
				dots++
			case m.Role == doc.Strong && m.Shape == doc.Line:
				lines++
			}
		}
		if dots != 3 || lines != 2 { // one of the lines is the legend's
			t.Errorf("%v wide: %d dots and %d lines", width, dots, lines)
		}
	}
}

// Numbers of the axis do not overlap. With more than 20 methods, only rank 1 and every fifth rank have a number.
func TestNumbersOfManyRanks(t *testing.T) {
	for k, want := range map[int]int{6: 6, 20: 20, 30: 7} {
		names, ranks := make([]string, k), make([]float64, k)
		for i := range names {
			names[i], ranks[i] = fmt.Sprintf("M%d", i), float64(i+1)
		}
		n := 0
		for _, m := range CriticalDifference(names, ranks, nil, 2, "")(doc.PageWidth).Marks {
			if m.Shape == doc.Word && m.Role == doc.Tick && m.Anchor == doc.Middle {
				n++
			}
		}
		must.Be(t, n, want, k)
	}
}

// Without a critical difference there is no empty space above the axis.
func TestDiagramWithoutLength(t *testing.T) {
	names, ranks := []string{"a", "b", "c"}, []float64{1.2, 1.9, 2.9}
	with, without := CriticalDifference(names, ranks, nil, 1, "")(doc.ColumnWidth),
		CriticalDifference(names, ranks, nil, math.NaN(), "")(doc.ColumnWidth)
	top := without.Height
	for _, m := range without.Marks {
		top = min(top, m.Y)
	}
	if top > 18 || without.Height >= with.Height {
		t.Errorf("the first mark is at %v, the height is %v, with a difference %v", top, without.Height, with.Height)
	}
}
