package mkl

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/registry"
)

// TestMKBoostDefinition compares one model with AdaBoost written out: cold starts and no shortcut.
func TestMKBoostDefinition(t *testing.T) {
	data := blobs(50, 2, 9)
	for i := range 6 { // equal rows of both labels, so that no machine is without error
		data.X.SetRow(i, data.X.RawRowView(49))
		data.Y[i] = float64(2*(i%2) - 1)
	}
	s := newSample(data.X)
	ks := must.Get(grams[float64](t.Context(), s, mkboostKernels))(t)
	const c, rounds, tol = 0.3, 5, 1e-8
	a := newAdaBooster(s, data.Y, ks)
	a.solver.Tol = tol
	var v *vote
	must.Do(t, a.fit(t.Context(), quiet(), []MKBoostParams{{T: rounds, C: c}}, func(_ int, m *vote) error {
		v = m
		return nil
	}))
	n := len(data.Y)
	d := make([]float64, n)
	for i := range d {
		d[i] = 1 / float64(n)
	}
	for round := range rounds {
		cost := make([]float64, n)
		for i := range d {
			cost[i] = c * float64(n) * d[i]
		}
		best, least := -1, math.Inf(1)
		var wrong []bool
		for k := range ks {
			var sol svm.Solution
			solver := svm.Solver[float64]{Tol: tol}
			must.Do(t, solver.Solve(t.Context(), ks[k], svm.Classification(data.Y, cost...), &sol))
			e, w := 0.0, make([]bool, n)
			for i, y := range data.Y {
				if (sol.Fit[i]+sol.Bias >= 0) != (y > 0) {
					e += d[i]
					w[i] = true
				}
			}
			if e < least {
				best, least, wrong = k, e, w
			}
		}
		alpha := 0.5 * math.Log((1-least)/least)
		if round >= len(v.Learners) {
			t.Fatalf("the model has %d learners, %d are due", len(v.Learners), rounds)
		}
		if l := v.Learners[round]; l.Kernel != best || math.Abs(l.Weight-alpha) > 1e-9 {
			t.Fatalf("round %d: kernel %d with weight %v; want %d with %v", round, l.Kernel, l.Weight, best, alpha)
		}
		sum := 0.0
		for i := range d {
			d[i] *= math.Exp(-alpha)
			if wrong[i] {
				d[i] *= math.Exp(2 * alpha)
			}
			sum += d[i]
		}
		for i := range d {
			d[i] /= sum
		}
	}
}

// TestPolynomialsDoNotCrawl: two-variable steps alone take more than 10^7 to solve these machines (20 s and more), and
// an interior point takes over long before. On one normal feature the square of the product has rank one; with float32
// matrices that took 6 x 10^7 steps to an objective off by 1.4e-4.
func TestPolynomialsDoNotCrawl(t *testing.T) {
	train, _ := fits.Load(t, "pima", 1)
	line := fits.Waves(5, 600, 1)
	for name, data := range map[string]registry.Data{"pima": train, "one feature": line} {
		ks := must.Get(grams[float64](t.Context(), newSample(data.X), mkboostKernels[len(mkboostKernels)-3:]))(t)
		for k, matrix := range ks {
			var sol svm.Solution
			var solver svm.Solver[float64]
			must.Do(t, solver.Solve(t.Context(), matrix, svm.Classification(data.Y, 1000), &sol))
			if sol.Steps > 1_000_000 || sol.Gap >= svm.DefaultTol {
				t.Errorf("%s, power %d: %d steps to a gap of %v", name, k+1, sol.Steps, sol.Gap)
			}
			t.Logf("%s, power %d: %d steps", name, k+1, sol.Steps)
		}
	}
}
