package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"pgregory.net/rapid"
)

// A plainFamily has its products written out.
type plainFamily []*Kernel[float64]

func (f plainFamily) Kernels() []*Kernel[float64] { return f }

func (f plainFamily) Add(ctx context.Context, fit, change [][]float64) error {
	var room []float64
	for k, c := range change {
		for j, v := range c {
			if v == 0 {
				continue
			}
			for i, w := range f[k].Row(j, &room) {
				fit[k][i] += v * w
			}
		}
	}
	return ctx.Err()
}

func gaussianFamily(x [][]float64, gammas ...float64) plainFamily {
	var f plainFamily
	for _, gamma := range gammas {
		g := NewGram[float64](len(x), nil)
		for i, a := range x {
			for j, b := range x {
				s := 0.0
				for q, v := range a {
					s += (v - b[q]) * (v - b[q])
				}
				g.At(i)[j] = math.Exp(-gamma * s)
			}
		}
		f = append(f, g)
	}
	return f
}

// agree checks that SolveFamily from sols arrives where Solve does from nothing.
func agree(t interface {
	Fatalf(string, ...any)
	Context() context.Context
}, f plainFamily, p Problem, sols []Solution) {
	s := Solver[float64]{Tol: 1e-7}
	if err := s.SolveFamily(t.Context(), f, p, sols); err != nil {
		t.Fatalf("%v", err)
	}
	for k := range f {
		var want Solution
		if err := s.Solve(t.Context(), f[k], p, &want); err != nil {
			t.Fatalf("%v", err)
		}
		got := &sols[k]
		if got.Gap >= s.Tol {
			t.Fatalf("kernel %d ends at a gap of %v", k, got.Gap)
		}
		if math.Abs(got.Objective-want.Objective) > 1e-6*(1+math.Abs(want.Objective)) {
			t.Fatalf("kernel %d: objective %v, Solve's %v", k, got.Objective, want.Objective)
		}
		fit := make([][]float64, len(f))
		change := make([][]float64, len(f))
		fit[k], change[k] = make([]float64, len(got.Beta)), got.Beta
		if err := f.Add(t.Context(), fit, change); err != nil {
			t.Fatalf("%v", err)
		}
		for i, v := range got.Fit {
			if math.Abs(v-fit[k][i]) > 1e-9*(1+math.Abs(v)) {
				t.Fatalf("kernel %d: Fit[%d] is %v, K beta %v", k, i, v, fit[k][i])
			}
			if math.Abs(v-want.Fit[i]) > 1e-2*math.Sqrt(1+math.Abs(want.Objective)) {
				t.Fatalf("kernel %d: Fit[%d] is %v, Solve's %v", k, i, v, want.Fit[i])
			}
		}
	}
}

// TestSolveFamily: from nothing, then from there for other targets, the solutions are Solve's.
func TestSolveFamily(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, 3, 40)
		rows, _ := c.x.Dims()
		x := make([][]float64, rows)
		for i := range x {
			x[i] = c.x.RawRowView(i)
		}
		f := gaussianFamily(x, 0.1, 1, 4)
		sols := make([]Solution, len(f))
		agree(t, f, c.p, sols)
		target := append([]float64(nil), c.p.Target...)
		for i := range target {
			target[i] -= sols[1].Fit[i] + sols[1].Bias
		}
		c.p.Target = target
		agree(t, f, c.p, sols)
	})
}

// TestSolveFamilyWithSmallWorkingSets: so many examples violate the KKT conditions at the start that a pass must
// select.
func TestSolveFamilyWithSmallWorkingSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := firstWorkingSet + 500
	x, y := make([][]float64, n), make([]float64, n)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		y[i] = math.Copysign(1, x[i][0]+0.3*rng.NormFloat64())
	}
	f := gaussianFamily(x, 0.5)
	s := Solver[float64]{}
	sols := make([]Solution, 1)
	p := Regression(y, 0.1, 0.1)
	must.Do(t, s.SolveFamily(t.Context(), f, p, sols))
	var want Solution
	must.Do(t, s.Solve(t.Context(), f[0], p, &want))
	if got := sols[0]; got.Gap >= DefaultTol || math.Abs(got.Objective-want.Objective) > 1e-4*math.Abs(want.Objective) {
		t.Errorf("gap %v, objective %v; Solve's objective %v", got.Gap, got.Objective, want.Objective)
	}
}

// TestSelectWorkingSet: with room for fewer examples than violate the KKT conditions, those of the largest violation,
// and of equal ones the first.
func TestSelectWorkingSet(t *testing.T) {
	s := Solver[float64]{sol: &Solution{Beta: make([]float64, 6), Fit: make([]float64, 6)}}
	s.problem = Regression([]float64{0.5, 2, -0.5, 0.05, 0.5, -3}, 0.1, 1)
	for _, c := range []struct {
		margin float64
		most   int
		want   []int
	}{{0, 6, []int{0, 1, 2, 4, 5}}, {0.06, 6, []int{0, 1, 2, 3, 4, 5}}, {0, 3, []int{0, 1, 5}},
		{0, 4, []int{0, 1, 2, 5}}, {0, 1, []int{5}}} {
		s.selectWorkingSet(c.margin, c.most)
		if len(s.index) != len(c.want) {
			t.Fatalf("margin %v, at most %d: %v, want %v", c.margin, c.most, s.index, c.want)
		}
		for k, i := range c.want {
			if s.index[k] != i {
				t.Fatalf("margin %v, at most %d: %v, want %v", c.margin, c.most, s.index, c.want)
			}
		}
	}
}
