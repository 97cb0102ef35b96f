package generate

import (
	"bytes"
	"math"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
)

// TestLargeSetsAreTheirRules decides the class of every row of the file anew, by the rule written out in the numbers of the file,
// and finds one class in twenty turned, as many of each class, and the features of NumPy's generator.
func TestLargeSetsAreTheirRules(t *testing.T) {
	const n = 10000
	positive := func(x float64) float64 {
		if x > 0 {
			return 1
		}
		return -1
	}
	for name, truth := range map[string]func(x []float64) float64{
		"linear": func(x []float64) (sum float64) {
			for j := range x {
				sum += math.Pow(-1, float64(j)) * float64(20-j) * x[j]
			}
			return sum
		},
		"smooth": func(x []float64) float64 { return x[0]*x[1] + x[2]*x[3] + x[4]*x[5] },
		"thresholds": func(x []float64) float64 {
			return positive(x[0]) + positive(x[1]) + positive(x[2]) + positive(x[3]*x[4]) + positive(x[5]*x[6])
		},
	} {
		r, drawn := rng.New(1), make([]float64, 20)
		right, yes, turned := 0, 0, 0
		for i, row := range rowsOfFile(t, name+"(10000)") {
			r.Norms(drawn)
			if r.Float64() < 0.05 {
				turned++
			}
			for j, v := range drawn {
				if math.Abs(v-row[j]) > 0.5001e-3 {
					t.Fatalf("%s, row %d, feature %d: %v, drawn %v", name, i, j, row[j], v)
				}
			}
			if positive(truth(row[:20])) == row[20] {
				right++
			}
			if row[20] > 0 {
				yes++
			}
		}
		if right != n-turned || math.Abs(float64(turned)/n-0.05) > 0.005 || math.Abs(float64(yes)/n-0.5) > 0.02 {
			t.Errorf("%s: of %d rows the rule is right about %d, %d classes are turned, and %d are positive", name, n, right, turned, yes)
		}
		if large, small := sized[name](50), sized[name](20); !bytes.HasPrefix(large, small) {
			t.Errorf("%s: the first rows depend on the number of rows", name)
		}
	}
}

// BenchmarkLarge makes a million rows, and reports the bytes of the file.
func BenchmarkLarge(b *testing.B) {
	for b.Loop() {
		b.SetBytes(int64(len(sized["smooth"](1000000))))
	}
}
