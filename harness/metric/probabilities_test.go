package metric

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestOfProbabilities against log_loss and brier_score_loss of scikit-learn 1.9.1; ece by hand.
func TestOfProbabilities(t *testing.T) {
	for _, c := range []struct {
		y, p                []float64
		logLoss, brier, ece float64
	}{
		// Bins: 0.9, 1 and 1 differ from their labels by 0.9 in sum, 0.1 by 0.1, 0.35 by 0.65, 0.4 by 0.4, 0.65 by
		// 0.65, 0.8 by 0.2.
		{[]float64{1, -1, 1, 1, -1, -1, 1, -1}, []float64{0.9, 0.1, 0.8, 0.35, 0.4, 0.65, 1, 1}, 4.885998480563796,
			0.258125, 2.9 / 8},
		{[]float64{1, -1}, []float64{0.5, 0.5}, math.Ln2, 0.25, 0},
		{[]float64{1, 1, -1}, []float64{0.25, 1, 0}, 0.462098120373297, 0.1875, 0.25},
		{[]float64{1}, []float64{0.3}, 1.2039728043259361, 0.48999999999999994, 0.7},
	} {
		logLoss, brier, ece := OfProbabilities(c.y, c.p)
		for name, v := range map[string][2]float64{"logloss": {logLoss, c.logLoss}, "brier": {brier, c.brier},
			"ece": {ece, c.ece}} {
			must.Near(t, v[0], v[1], 1e-15*max(1, v[1]), c.p, c.y, name)
		}
	}
}

// TestProbabilitiesProperties: all lie in their ranges; with the classes swapped log loss and Brier score are the same.
func TestProbabilitiesProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 50).Draw(t, "p")
		y, swapped, other := make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p))
		for i := range p {
			y[i] = sign(rapid.Bool().Draw(t, "y"))
			swapped[i], other[i] = -y[i], 1-p[i]
		}
		logLoss, brier, ece := OfProbabilities(y, p)
		if !(logLoss >= 0 && logLoss <= 52*math.Ln2 && brier >= 0 && brier <= 1 && ece >= 0 && ece <= 1+1e-12) {
			t.Fatalf("%v, %v, %v", logLoss, brier, ece)
		}
		if ece*ece > brier+1e-12 { // by Jensen's inequality
			t.Fatalf("ece %v is above the root of the Brier score %v", ece, brier)
		}
		l, b, _ := OfProbabilities(swapped, other)
		must.Near(t, l, logLoss, 0.01*logLoss, "swapped")
		must.Near(t, b, brier, 1e-12, "swapped")
	})
}
