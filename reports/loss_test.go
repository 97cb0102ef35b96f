package reports_test

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/reports/curves"
)

// TestOracle: the printed formula has the values of losses.json.
func TestOracle(t *testing.T) {
	var file struct {
		IGLL []struct {
			Epsilon, Gamma float64
			R, Value       []float64
		}
	}
	testenv.ReadOracle(t, "losses.json", &file)
	for _, c := range file.IGLL {
		for i, r := range c.R {
			if v := curves.SmoothLoss(c.Epsilon, c.Gamma, r); math.Abs(v-c.Value[i]) > 1e-12*(1+c.Value[i]) {
				t.Errorf("epsilon %v gamma %v r %v: %v, want %v", c.Epsilon, c.Gamma, r, v, c.Value[i])
			}
		}
	}
	if len(file.IGLL) == 0 {
		t.Error("losses.json has no case")
	}
}

// TestLargest: no residual has a larger difference, and some come near.
func TestLargest(t *testing.T) {
	for _, gamma := range []float64{0.5, 1, 5, 10, 100} {
		for _, epsilon := range []float64{0, 0.1, 2} {
			most := 0.0
			for i := range 100000 {
				r := float64(i) / 1000
				most = max(most, math.Abs(curves.ExactLoss(epsilon, r)-curves.SmoothLoss(epsilon, gamma, r)))
			}
			if want := curves.LargestDifference(epsilon, gamma); most > want+1e-12 || most < want-1e-9 {
				t.Errorf("gamma %v, epsilon %v: the largest difference is %v, want %v", gamma, epsilon, most, want)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, bad := range [][]float64{{-1, 1}, {0.1, 0}, {0.1, math.NaN()}, {math.NaN(), 1}, {0.1}} {
		if _, err := curves.Loss(bad[0], bad[1:]); err == nil {
			t.Errorf("epsilon, gamma %v are taken", bad)
		}
	}
}
