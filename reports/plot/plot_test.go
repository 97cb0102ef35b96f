package plot

import (
	"testing"

	"pgregory.net/rapid"
)

// Ticks enclose the values, are few, and stay in 0..100 when the values do.
func TestTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(0, 100).Draw(t, "low")
		high := rapid.Float64Range(low, 100).Draw(t, "high")
		ticks, decimals := Ticks(low, high, true)
		first, last := ticks[0], ticks[len(ticks)-1]
		const slack = 1e-6 // a tick encloses a value that is beyond it by rounding alone
		if len(ticks) < 2 || len(ticks) > 6 || first > low+slack || last < high-slack || first < 0 ||
			last > 100+slack || decimals > 2 {
			t.Fatalf("ticks of %v..%v: %v with %d decimals", low, high, ticks, decimals)
		}
	})
}

// Values that are no percentages may have any size and sign.
func TestTicksOfAnyValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]float64{1e-9, 1e-3, 1, 1e4, 1e12}).Draw(t, "scale")
		low := scale * rapid.Float64Range(-1, 1).Draw(t, "low")
		high := low + scale*rapid.Float64Range(0, 1).Draw(t, "width")
		ticks, _ := Ticks(low, high, false)
		first, last := ticks[0], ticks[len(ticks)-1]
		slack := 1e-8*(last-first) + 1e-15*scale
		if len(ticks) < 2 || len(ticks) > 6 || first > low+slack || last < high-slack {
			t.Fatalf("ticks of %v..%v: %v", low, high, ticks)
		}
	})
}
