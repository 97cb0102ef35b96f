package svm

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// linearCase is a random problem of the linear kernel, with its rows.
func linearCase(t *rapid.T) (c randomCase, rows []float64, k *Gram[float64]) {
	c = drawCase(t, 60, 150)
	c.k = kernelFunction("linear", 0)
	n, d := c.x.Dims()
	for i := range n {
		rows = append(rows, c.x.RawRowView(i)...)
	}
	return c, rows[:n*d], gramOf[float64](c.x, c.k)
}

// TestLinear: Newton's method ends with feasible variables, the values that belong to them, and a gap below the tolerance; its objective is
// that of two-variable steps. From another problem's solution it goes on to its own.
func TestLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, rows, k := linearCase(t)
		n, d := c.x.Dims()
		tol := math.Pow(10, rapid.Float64Range(-6, -2).Draw(t, "log tolerance"))
		l := NewLinear(rows, n, d)
		var sol, want Solution
		for range 2 {
			if err := l.Improve(t.Context(), c.p, tol, &sol); err != nil {
				t.Fatal(err)
			}
			if sol.Gap >= tol {
				t.Fatalf("the gap is %g, above %g", sol.Gap, tol)
			}
			check := sol
			check.Beta, check.Fit = append([]float64(nil), sol.Beta...), nil
			check.prepare(c.p)
			for i, b := range check.Beta {
				if b != sol.Beta[i] {
					t.Fatalf("beta %d is %v, and not feasible", i, sol.Beta[i])
				}
				f := 0.0
				for j, b := range sol.Beta {
					f += k.At(i)[j] * b
				}
				if math.Abs(f-sol.Fit[i]) > 1e-9*(1+math.Abs(f)) {
					t.Fatalf("value %d is %v, not %v", i, sol.Fit[i], f)
				}
			}
			s := Solver[float64]{Tol: 1e-9}
			want = Solution{}
			if err := s.Solve(t.Context(), k, c.p, &want); err != nil {
				t.Fatal(err)
			}
			size := 0.0
			for i := range sol.Beta {
				size += math.Abs(sol.Beta[i] - want.Beta[i])
			}
			if off := sol.Objective - want.Objective; off < -1e-7*(1+math.Abs(want.Objective)) || off > tol*size+1e-7 {
				t.Fatalf("the objective is %v, not %v", sol.Objective, want.Objective)
			}
			for i := range c.p.Target { // another problem
				c.p.Target[i] -= 0.1 * math.Abs(sol.Fit[i])
			}
		}
	})
}
