package plot

import (
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/reports/doc"
	"pgregory.net/rapid"
)

// inside fails unless every mark of a drawing lies on its sheet, words by their place, with some room for what sticks out.
func inside(t *rapid.T, d doc.Drawing) {
	for _, m := range d.Marks {
		places := [][2]float64{{m.X, m.Y}}
		if m.Shape == doc.Line || m.Shape == doc.Box {
			places = append(places, [2]float64{m.X2, m.Y2})
		}
		for _, p := range places {
			const slack = 30 // of names that were moved apart
			if math.IsNaN(p[0]+p[1]) || p[0] < -1 || p[0] > d.Width+1 || p[1] < -1 || p[1] > d.Height+slack {
				t.Fatalf("%+v is not on a sheet of %v x %v", m, d.Width, d.Height)
			}
		}
	}
}

// points draws named points, some of them in the same place.
func points(t *rapid.T, least float64) []Point {
	var out []Point
	for i := range rapid.IntRange(1, 12).Draw(t, "points") {
		out = append(out, Point{Name: fmt.Sprint("method-", i), X: max(least, float64(rapid.IntRange(0, 50).Draw(t, "x"))), Y: float64(rapid.IntRange(50, 60).Draw(t, "y"))})
	}
	return out
}

func TestDrawingsAreOnTheirSheets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := points(t, 1e-6)
		log := rapid.Bool().Draw(t, "log")
		inside(t, Scatter(ps, []int{0}, Axis{Title: "x", Log: log}, Axis{Title: "y", Percent: true}))
		inside(t, Diagonal(points(t, 0), "x", "y", true))
		var bars []Bar
		for i := range rapid.IntRange(1, 30).Draw(t, "bars") {
			bars = append(bars, Bar{Name: fmt.Sprint(i), Value: float64(rapid.IntRange(0, 100).Draw(t, "value"))})
		}
		inside(t, Bars(bars))
		n := rapid.IntRange(2, 30).Draw(t, "splits")
		var xs []float64
		for i := range n {
			xs = append(xs, float64(i+1))
		}
		var series []Series
		for i := range rapid.IntRange(1, 9).Draw(t, "series") {
			series = append(series, Series{Name: fmt.Sprint("m", i), Values: rapid.SliceOfN(rapid.Float64Range(1, 9), n, n).Draw(t, "values")})
		}
		inside(t, Lines(xs, series, Axis{Title: "splits", Whole: true}, Axis{Title: "rank", Down: rapid.Bool().Draw(t, "down")}))
	})
}

// Names that stand over one another are moved apart: no two words of names overlap.
func TestNamesDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Scatter(points(t, 1e-6), nil, Axis{Title: "x"}, Axis{Title: "y"})
		var names []doc.Mark
		for _, m := range d.Marks {
			if m.Shape == doc.Word && m.Role == doc.Name {
				names = append(names, m)
			}
		}
		for i, a := range names {
			for _, b := range names[:i] {
				left, right := a, b
				if b.X < a.X {
					left, right = b, a
				}
				if left.X+LetterWidth*float64(len(left.Text)) > right.X && math.Abs(a.Y-b.Y) < labelHeight-1e-9 {
					t.Fatalf("%+v and %+v overlap", a, b)
				}
			}
		}
	})
}

// Ticks of a logarithmic axis enclose the values, ascend, and are few.
func TestLogTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := math.Exp(rapid.Float64Range(-14, 10).Draw(t, "low"))
		high := low * math.Exp(rapid.Float64Range(0, 12).Draw(t, "times"))
		ticks, texts := logTicks(low, high)
		if len(ticks) < 2 || len(ticks) > 9 || len(texts) != len(ticks) || ticks[0] > low*(1+1e-6) || ticks[len(ticks)-1] < high*(1-1e-6) {
			t.Fatalf("ticks of %v..%v: %v", low, high, ticks)
		}
		for i := 1; i < len(ticks); i++ {
			if ticks[i] <= ticks[i-1] {
				t.Fatalf("ticks %v", ticks)
			}
		}
	})
}

// A diagram has a name and a rank for each method, and a bar for each group.
func TestCriticalDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 20).Draw(t, "methods")
		var names []string
		var ranks []float64
		for i := range k {
			names, ranks = append(names, fmt.Sprint("m", i)), append(ranks, 1+float64(i)*float64(k-1)/float64(k))
		}
		d := CriticalDifference(names, ranks, [][]int{{0, 1}}, rapid.SampledFrom([]float64{math.NaN(), 0.5}).Draw(t, "cd"))
		inside(t, d)
		words, bars := 0, 0
		for _, m := range d.Marks {
			if m.Role == doc.Name {
				words++
			}
			if m.Role == doc.Strong {
				bars++
			}
		}
		if words != k || bars != 1 {
			t.Fatalf("%d names and %d bars of %d methods", words, bars, k)
		}
	})
}

// Numbers of the axis do not run into one another, however many methods there are: from 21 on every fifth stands.
func TestNumbersOfManyRanks(t *testing.T) {
	for k, want := range map[int]int{6: 6, 20: 20, 30: 7} {
		names, ranks := make([]string, k), make([]float64, k)
		for i := range names {
			names[i], ranks[i] = fmt.Sprintf("M%d", i), float64(i+1)
		}
		n := 0
		for _, m := range CriticalDifference(names, ranks, nil, 2).Marks {
			if m.Shape == doc.Word && m.Role == doc.Tick && m.Anchor == doc.Middle {
				n++
			}
		}
		if n != want {
			t.Errorf("%d methods: %d numbers, want %d", k, n, want)
		}
	}
}
