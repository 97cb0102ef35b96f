package plot

import (
	"math"
	"slices"
	"strconv"

	"github.com/kernelboosting/bench/reports/doc"
)

// A Strip is one line of Strips: a name with many values.
type Strip struct {
	Name          string
	Values        []Point    // only X and Tip are drawn
	Box           [2]float64 // the middle half of the values; equal ends for none
	BoxTip        string
	Mean, Printed float64 // Printed is the published mean; NaN for none
}

const (
	stripLine = 18.0
	stripDots = 1.7 // the vertical distance between dots of equal value
)

// Strips draws a line for each strip, the first at the top: a dot for each value, a box around the middle half, the
// mean, and a diamond at the published mean. dot is what the legend calls a dot. At least one strip must have a value.
func Strips(strips []Strip, x Axis, dot string) doc.Plot {
	return func(width float64) doc.Drawing {
		var names []string
		var values []float64
		for _, r := range strips {
			names, values = append(names, r.Name), append(values, r.Mean, r.Printed)
			for _, v := range r.Values {
				values = append(values, v.X)
			}
		}
		names = clipped(names, width/2)
		s := &sheet{Drawing: doc.Drawing{Width: width}}
		bottom := 6 + stripLine*float64(len(strips))
		ticks, texts := x.ticks(slices.DeleteFunc(values, math.IsNaN))
		s.x = Scale{Low: ticks[0], High: ticks[len(ticks)-1], From: widest(names) + 12,
			To: width - TextWidth(texts[len(texts)-1])/2}
		s.bottomTicks(s.x, ticks, texts, 2, bottom)
		s.Line(doc.Axis, s.x.From, bottom, s.x.To, bottom)
		s.bottomTitle(x.Title, (s.x.From+s.x.To)/2, bottom)
		for i, r := range strips {
			s.strip(r, names[i], 5+stripLine*(float64(i)+0.5))
		}
		keys := []key{{dotKey(doc.Value, 2.3), dot}}
		if slices.ContainsFunc(strips, func(r Strip) bool { return r.Box[0] != r.Box[1] }) {
			keys = append(keys, key{boxKey(doc.Range), "the middle half"})
		}
		keys = append(keys, key{func(d *doc.Drawing, x, y float64) { d.Line(doc.Mean, x, y-6, x, y+6) }, "mean"})
		if slices.ContainsFunc(strips, func(r Strip) bool { return !math.IsNaN(r.Printed) }) {
			keys = append(keys, key{diamondKey(doc.Printed, 4), "published mean"})
		}
		legend(&s.Drawing, keys)
		return s.Drawing
	}
}

func (s *sheet) strip(r Strip, name string, y float64) {
	s.Word(doc.Name, 0, y+4, doc.Start, name)
	if r.Box[0] != r.Box[1] {
		s.Box(doc.Range, s.x.At(r.Box[0]), y-5, s.x.At(r.Box[1]), y+5, r.BoxTip)
	}
	same := map[string]int{}
	for _, v := range r.Values {
		x := s.x.At(v.X)
		// Of dots with equal values, the second is above the first, the third below it, and so on.
		at := strconv.FormatFloat(x, 'f', 1, 64)
		k := same[at]
		same[at]++
		shift := stripDots * float64((k+1)/2)
		if k%2 == 1 {
			shift = -shift
		}
		s.Dot(doc.Value, x, y+max(-7, min(7, shift)), 2.3, v.Tip)
	}
	if !math.IsNaN(r.Mean) {
		s.Line(doc.Mean, s.x.At(r.Mean), y-7, s.x.At(r.Mean), y+7)
	}
	if !math.IsNaN(r.Printed) {
		s.Diamond(doc.Printed, s.x.At(r.Printed), y, 4, "")
	}
}
