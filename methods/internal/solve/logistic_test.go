package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// TestLogisticBlocks: a pass in blocks has the bits of two products with the whole of X, whose columns are few or many.
func TestLogisticBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][2]int{{5000, 20}, {1000, 100}, {300, 1}, {64, 300}} {
		n, d := shape[0], shape[1]
		s := Logistic{N: n, D: d, K: 1, Lambda: 0.1, X: make([]float64, n*d), Y: make([]float64, n),
			f: make([]float64, n), share: make([]float64, n), e: make([]float64, n)}
		for i := range s.X {
			s.X[i] = rng.NormFloat64()
		}
		for i := range s.Y {
			s.Y[i] = float64(2*rng.IntN(2) - 1)
		}
		theta, g, hv := make([]float64, d+1), make([]float64, d+1), make([]float64, d+1)
		for i := range theta {
			theta[i] = rng.NormFloat64()
		}
		f, sums, want := make([]float64, n), make([]float64, d), make([]float64, d+1)
		equal := func(what string, got []float64) {
			t.Helper()
			vmath.MatMul(sums, s.e, 1, n, s.X, d)
			for j, v := range sums {
				want[j] = math.FMA(2*s.Lambda, theta[j], v/float64(n))
			}
			want[d] = vmath.Sum(s.e) / float64(n)
			must.Be(t, got, want, n, d, what)
		}
		s.value(theta, g)
		equal("gradient", g)
		vmath.MatMulT(f, theta[:d], 1, d, s.X, n)
		for i := range f {
			if f[i] += theta[d]; f[i] != s.f[i] {
				t.Fatalf("%d x %d: score %d is %v, want %v", n, d, i, s.f[i], f[i])
			}
		}
		s.curvature(theta, hv)
		equal("product with the Hessian", hv)
	}
}
