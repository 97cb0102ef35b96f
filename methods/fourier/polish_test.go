package fourier

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// TestSecondDerivatives: against differences of the first ones, and under their bound.
func TestSecondDerivatives(t *testing.T) {
	for what, l := range map[string]loss{"halfsquare": square{0.5}, "square": square{1}, "logistic": logistic{}, "igll": newIGLL(0.1, 10), "wide igll": newIGLL(1, 3)} {
		for _, y := range []float64{-1, 1} {
			for f := -4.0; f <= 4; f += 0.173 {
				const step = 1e-5
				at := func(f float64) float64 {
					v := make([]float64, 1)
					l.derivative(v, []float64{f}, []float64{y})
					return v[0]
				}
				h := make([]float64, 1)
				l.second(h, []float64{f}, []float64{y})
				if want := (at(f+step) - at(f-step)) / (2 * step); math.Abs(h[0]-want) > 1e-6 {
					t.Errorf("%s at f = %v, y = %v: %v, differences give %v", what, f, y, h[0], want)
				}
				if h[0] > l.curvature()*(1+1e-12) || h[0] < 0 {
					t.Errorf("%s at f = %v, y = %v: %v is not in [0, %v]", what, f, y, h[0], l.curvature())
				}
			}
		}
	}
}

// TestWideSteps: the step by a matrix of the rows is that by a matrix of the columns.
func TestWideSteps(t *testing.T) {
	const n = 9
	draws := rng.New(8)
	normals := func(n int) []float64 {
		x := make([]float64, n)
		draws.Norms(x)
		return x
	}
	counts := []int{5, 1, 4, 7}
	l := &lasso{outputs: 1}
	for _, count := range counts {
		l.at = append(l.at, l.width)
		l.width += count
		l.blocks = append(l.blocks, &tridiagonal{n: count})
	}
	for _, which := range [][]int{{0, 1, 2, 3}, {0, 3}} {
		s := &smoothPart{lasso: l, lambda: 0.3, which: which, w: normals(l.width)}
		for _, j := range which {
			s.columns += counts[j]
		}
		psi, root, r := normals(l.width*n), normals(n), normals(s.columns)
		var x []float64
		for _, j := range which {
			for i, v := range psi[l.at[j]*n : (l.at[j]+counts[j])*n] {
				x = append(x, v*root[i%n])
			}
		}
		a := make([]float64, s.columns*s.columns)
		if err := cholesky.Gram(t.Context(), a, x, s.columns, n); err != nil {
			t.Fatal(err)
		}
		wide, err := s.solveWide(t.Context(), psi, root, append([]float64(nil), r...))
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.solve(t.Context(), a, append([]float64(nil), r...))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "step", wide, want, 1e-9)
	}
}

// TestMoreColumnsThanRows: small penalties with a sharp loss and 40 columns a row are solved in few sweeps; sweeps alone have not
// got there after twenty thousand.
func TestMoreColumnsThanRows(t *testing.T) {
	testenv.NotUnderRace(t)
	p, sigma := clusters(80, 40, 1, 80, 2)
	l, err := newLasso(t.Context(), p, sigma, newIGLL(0.1, 10))
	if err != nil {
		t.Fatal(err)
	}
	for _, fraction := range []float64{0.05, 0.02, 0.01} {
		if _, err := l.reach(t.Context(), fraction); err != nil {
			t.Fatal(err)
		}
		t.Logf("%v of lambda_max after %d sweeps", fraction, l.sweeps)
	}
	if l.sweeps > 2000 {
		t.Errorf("%d sweeps", l.sweeps)
	}
}

// TestABlockOnItsWayToZero: on these channels a block shrinks to zero where P is nearly flat. A step that does not see that the block
// ends there, or not what it makes of the others, stays 1e-4 from the optimum for twenty thousand sweeps.
func TestABlockOnItsWayToZero(t *testing.T) {
	testenv.NotUnderRace(t)
	learn, _ := testsplit.Load(t, "mfeat-noisy", 1)
	if _, err := MKLJoint().Fit(t.Context(), registry.Env{Seed: 1}, learn, []byte(`{"features":50,"lambda":0.03,"rho":1}`)); err != nil {
		t.Error(err)
	}
}
