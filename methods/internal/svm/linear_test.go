package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestLinear: Newton's method ends with feasible variables and the values that belong to them, no worse than where it
// began; Solve has nothing to do from there, or ends at its own objective. From another problem's solution it goes on
// to its own.
func TestLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, 60, 150)
		k := gramOf[float64](c.x, kernelFunction("linear", 0))
		n, d := c.x.Dims()
		l := NewLinear(c.x.RawMatrix().Data, n, d)
		var sol Solution
		for range 2 {
			must.Do(t, l.Improve(t.Context(), c.p, DefaultTol, &sol))
			checkPoint(t, c.p, k, sol)
			if sol.Objective > 1e-9 {
				t.Fatalf("the objective is %v, that of zero 0", sol.Objective)
			}
			var s Solver[float64]
			must.Do(t, s.Solve(t.Context(), k, c.p, &sol))
			s.Tol = 1e-9
			var want Solution
			must.Do(t, s.Solve(t.Context(), k, c.p, &want))
			most := 1e-7 * (1 + math.Abs(want.Objective))
			for i := range sol.Beta {
				most += DefaultTol * math.Abs(sol.Beta[i]-want.Beta[i])
			}
			if off := sol.Objective - want.Objective; math.Abs(off) > most {
				t.Fatalf("the objective is %v, not %v", sol.Objective, want.Objective)
			}
			for i := range c.p.Target { // another problem
				c.p.Target[i] -= 0.1 * math.Abs(sol.Fit[i])
			}
		}
	})
}

// checkPoint checks that beta is feasible and Fit is K beta.
func checkPoint(t *rapid.T, p Problem, k *Kernel[float64], sol Solution) {
	sum, size := 0.0, 0.0
	for i, b := range sol.Beta {
		sum, size = sum+b, size+math.Abs(b)
		f := 0.0
		for j, b := range sol.Beta {
			f += k.At(i)[j] * b
		}
		if b < p.Lower[i] || b > p.Upper[i] || math.Abs(f-sol.Fit[i]) > 1e-9*(1+math.Abs(f)) {
			t.Fatalf("example %d has beta %v and the value %v, not %v", i, b, sol.Fit[i], f)
		}
	}
	if math.Abs(sum) > 1e-9*(1+size) {
		t.Fatalf("beta sums to %v", sum)
	}
}

// TestLinearEnds: of twenty regressions, where SMO steps crawl, Newton's method alone brings nearly all below the
// tolerance.
func TestLinearEnds(t *testing.T) {
	const problems, n, d = 20, 300, 5
	ended := 0
	for seed := range uint64(problems) {
		rng := rand.New(rand.NewPCG(seed, 1))
		x, y := mat.NewDense(n, d, nil), make([]float64, n)
		for i := range n {
			for j := range d {
				x.Set(i, j, rng.NormFloat64())
			}
			y[i] = math.Copysign(1, x.At(i, 0)+rng.NormFloat64())
		}
		var sol Solution
		if err := NewLinear(x.RawMatrix().Data, n, d).Improve(t.Context(),
			Regression(y, 0.1, math.Pow(10, float64(seed%5)-2)), DefaultTol, &sol); err != nil {
			t.Fatal(err)
		}
		if sol.Gap < DefaultTol {
			ended++
		}
	}
	if ended < problems*9/10 {
		t.Errorf("%d of %d problems end with a gap below the tolerance", ended, problems)
	}
}
