package generate

import (
	"bytes"
	"math"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
)

// TestChannelsAreTheirFormula draws the rows again, by the formula written out for three channels, and finds that no class
// is decided within what sines of different machines differ by.
func TestChannelsAreTheirFormula(t *testing.T) {
	r := rng.New(1)
	x := make([]float64, 20)
	for i, row := range rowsOfFile(t, "channels(32000, 3, 7)") { // which begins with the rows of every smaller set
		y := row[20]
		r.Norms(x)
		sum := x[0]*x[1] + math.Sin(2*x[2]) + x[3]/2 + x[4]*x[4] - 1 + 0.3*r.Norm()
		if (sum > 0) != (y > 0) || math.Abs(sum) < 1e-10 {
			t.Fatalf("row %d has class %v and a sum of %v", i, y, sum)
		}
		for j, v := range x {
			if math.Abs(v-row[j]) > 5.1e-7 {
				t.Fatalf("row %d, feature %d: %v, drawn %v", i, j, row[j], v)
			}
		}
	}
}

// TestChannelsGrow: a larger set begins with the smaller one.
func TestChannelsGrow(t *testing.T) {
	if !bytes.HasPrefix(channels(50, 2, 1), channels(20, 2, 1)) {
		t.Error("the first rows depend on the number of rows")
	}
	for _, text := range []string{"channels(0, 1, 1)", "channels(5, 0, 1)", "channels(5, 1, -1)", "channels(5,1,1)", "channels(5, 1, 1) ", "channels"} {
		if _, err := Named(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
