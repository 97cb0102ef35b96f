package pbrff

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/internal/published"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// Draws, weights and features are the published program's operations in another order,
// and equal to rounding. Its support vector machine stops after 10,000 iterations and at
// libsvm's tolerance, ours at the optimum, so the accuracies may differ by a few rows.
const (
	weightTol    = 1e-10
	accuracyRows = 2
)

func TestPublishedTraces(t *testing.T) {
	published.EachTrace(t, "PBRFF", func(t *testing.T, tr published.Trace, train, test registry.Data) {
		env, gamma := registry.Env{Seed: tr.MethodSeed}, tr.GammaTimesD/float64(train.Shape().D)
		drawn := draw(env.Rand(), train, tr.Landmarks, tr.K)
		for l, row := range tr.Rows {
			if drawn.landmark[l] != row {
				t.Errorf("landmark %d is row %d, published %d", l, drawn.landmark[l], row)
			}
		}
		r := must.Get(drawn.scale(gamma, true).represent(t.Context(), []float64{tr.Beta}))(t)[0]
		for j, q := range tr.Q {
			if math.Abs(r.q[j]-q) > weightTol*q {
				t.Errorf("q[0][%d] = %v, published %v", j, r.q[j], q)
			}
		}
		for l, want := range tr.Row0 {
			if got := r.feature(l, test.X.RawRowView(0)); math.Abs(got-want) > weightTol {
				t.Errorf("feature %d of the first test row is %v, published %v", l, got, want)
			}
		}
		raw := must.Get(json.Marshal(Params{Landmarks: tr.Landmarks, K: tr.K, Gamma: gamma, Beta: tr.Beta, C: tr.C}))(t)
		m := must.Get(Spec().Fit(t.Context(), env, train, raw))(t)
		published.Near(t, testsplit.Correct(t, m, test), tr.Capped, test, accuracyRows)
	})
}

// feature is phi_l(x) by its definition.
func (r *representation) feature(l int, x []float64) float64 {
	sum := 0.0
	landmark := r.x[r.landmark[l]*r.d:]
	for j := range r.k {
		angle := 0.0
		for f, w := range r.frequencies(l)[j*r.d : (j+1)*r.d] {
			angle += w * (x[f] - landmark[f])
		}
		sum += r.q[l*r.k+j] * math.Cos(angle)
	}
	return sum
}
