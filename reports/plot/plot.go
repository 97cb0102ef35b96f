// Package plot makes the drawings of reports. Its functions take numbers and return a doc.Plot, which lays the drawing
// out for a given width.
//
// Letters have the same two sizes in every drawing, those of a paper's small print. No two words overlap: a narrow
// drawing leaves out words for which it has no room. The legend counts the names of points, and the bars of a diagram
// of ranks, that are left out. A legend, or words next to lines, explains the marks. Curves that differ in colour also
// differ in dashes and marks.
//
// The package reads no results, computes no statistics and writes no format. Package render writes formats.
package plot

import (
	"math"
)

// A Scale maps values to places on a drawing: Low to From and High to To, in between linearly, or
// by the logarithm.
type Scale struct {
	Low, High, From, To float64
	Log                 bool
}

// At returns the place of a value.
func (s Scale) At(v float64) float64 {
	low, high := s.Low, s.High
	if s.Log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	return s.From + (v-low)/(high-low)*(s.To-s.From)
}

// Ticks returns two to six round numbers that enclose low and high, and how many decimals they need. Ticks of
// percentages stay within 0 and 100.
func Ticks(low, high float64, percent bool) ([]float64, int) {
	exponent := -2
	switch {
	case percent:
		const least = 0.1 // percentage points; a smaller range is widened by 1 point
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
