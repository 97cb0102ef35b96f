package runner

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// A moved threshold sends the same doubles left: the one it names and all below, and
// not the next.
func TestUnscale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mean := rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.Float64Range(-1e300, 1e300)).Draw(t, "mean")
		scale := math.Exp(rapid.Float64Range(-20, 20).Draw(t, "log scale"))
		v := rapid.Float64Range(-50, 50).Draw(t, "v")
		if rapid.Bool().Draw(t, "a value that occurs") {
			v = (rapid.Float64Range(-1e3, 1e3).Draw(t, "x") - mean) / scale
		}
		if math.IsInf(v, 0) { // stays what it is, see below
			return
		}
		x := unscale(mean, scale, v)
		if !((x-mean)/scale <= v) || (math.Nextafter(x, math.Inf(1))-mean)/scale <= v {
			t.Fatalf("unscale(%v, %v, %v) = %v: it standardises to %v, the next double to %v", mean, scale, v, x,
				(x-mean)/scale, (math.Nextafter(x, math.Inf(1))-mean)/scale)
		}
	})
	for _, v := range []float64{math.Inf(1), math.Inf(-1)} {
		must.Be(t, unscale(3, 2, v), v)
	}
	must.Be(t, unscale(0, 1, 0), 0, "unscale without a change")
}
