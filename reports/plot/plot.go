// Package plot makes the drawings of reports: pure functions from numbers to a doc.Plot, which is laid out for the
// width it gets.
//
// Letters have one size in every drawing, that of a paper's small print. A narrow drawing leaves out what it
// has no room for and counts it in its legend; it never draws over something else. A legend, or words next to
// the lines, explains what values have in common. Where colours distinguish values, dashes or shapes do so,
// too.
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

// At is the place of a value.
func (s Scale) At(v float64) float64 {
	low, high := s.Low, s.High
	if s.Log {
		low, high, v = math.Log(low), math.Log(high), math.Log(v)
	}
	return s.From + (v-low)/(high-low)*(s.To-s.From)
}

// Ticks returns two to six round numbers that enclose low and high and the decimals they need.
// Those of percentages stay within 0 and 100.
func Ticks(low, high float64, percent bool) ([]float64, int) {
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
