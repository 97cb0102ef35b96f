package fourier

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// TestGroupLassoOracle: the optimum of every row of group_lasso.json: objective 1e-11, w 1e-8.
func TestGroupLassoOracle(t *testing.T) {
	cases := embeddingCases(t)
	var file struct {
		Cases []struct {
			Seed       int
			Kind, Loss string
			LambdaMax  float64 `json:"lambda_max"`
			Lam        float64
			W          []float64
			Objective  float64
		}
	}
	testenv.ReadOracle(t, "group_lasso.json", &file)
	for _, c := range file.Cases {
		what := fmt.Sprintf("%d %s %s lambda %v", c.Seed, c.Kind, c.Loss, c.Lam)
		of, y := lossOf(t, c.Loss, cases[c.Seed])
		p := cases[c.Seed].problem(t, c.Kind, "concat", y)
		l, err := newLasso(t.Context(), p, cases[c.Seed].Sigma, of)
		if err != nil {
			t.Fatal(err)
		}
		near(t, what+" lambda_max", []float64{l.top}, []float64{c.LambdaMax}, 1e-12)
		at := l.newPoints(nil)
		if err := l.solve(t.Context(), at, c.Lam, 1e-13); err != nil {
			t.Fatal(what, err)
		}
		for range 10 { // weights along flat directions are later than the value
			copy(at[0].centre, at[0].w)
			l.proximal(at, c.Lam)
			l.refit(at)
			if err := l.newton(t.Context(), at, c.Lam); err != nil {
				t.Fatal(err)
			}
		}
		near(t, what+" w", l.weights(at), c.W, 1e-8)
		f, _ := l.gap(at[0], c.Lam, 1)
		if math.Abs(f-c.Objective) > 1e-11*c.Objective {
			t.Errorf("%s: objective %v, want %v", what, f, c.Objective)
		}
	}
	if len(file.Cases) == 0 {
		t.Error("group_lasso.json has no case")
	}
}

// TestMoreColumnsThanRows: small penalties with a sharp loss and 40 columns a row are solved in few steps. Block descent has not
// got there after twenty thousand sweeps.
func TestMoreColumnsThanRows(t *testing.T) {
	p, sigma := clusters(80, 40, 1, 80, 2)
	l, err := newLasso(t.Context(), p, sigma, newIGLL(0.1, 10))
	if err != nil {
		t.Fatal(err)
	}
	for _, fraction := range []float64{0.05, 0.02, 0.01} {
		if _, err := l.reach(t.Context(), fraction); err != nil {
			t.Fatal(err)
		}
		t.Logf("%v of lambda_max after %d steps", fraction, l.steps)
	}
	if l.steps > 2000 {
		t.Errorf("%d steps", l.steps)
	}
}

// TestABlockOnItsWayToZero: on these channels a block shrinks to zero where P is nearly flat. A method that does not see that the block
// ends there, or not what it makes of the others, stays 1e-4 from the optimum for thousands of steps.
func TestABlockOnItsWayToZero(t *testing.T) {
	testenv.OnlyThorough(t)
	learn, _ := testsplit.Load(t, "mfeat-noisy", 1)
	if _, err := MKLJoint().Fit(t.Context(), registry.Env{Seed: 1}, learn, []byte(`{"features":50,"lambda":0.03,"rho":1}`)); err != nil {
		t.Error(err)
	}
}

// TestRowSpaces: channels of few values are solved with few columns, and their weights give the fits of the columns as they are.
func TestRowSpaces(t *testing.T) {
	p, sigma := clusters(60, 6, 2, 30, 2)
	for i, v := range p.a {
		p.a[i] = math.Copysign(1, v)
	}
	l, err := newLasso(t.Context(), p, sigma, square{1})
	if err != nil {
		t.Fatal(err)
	}
	if want := 3 * 4; l.rank != want {
		t.Errorf("rank %d of channels with four values each, want %d", l.rank, want)
	}
	w, err := l.reach(t.Context(), 0.1)
	if err != nil {
		t.Fatal(err)
	}
	block := p.newWork(p.n, false)
	block.embed(p.a, sigma)
	for c, q := range l.newPoints(w) {
		fit := make([]float64, p.n)
		vmath.MatTVec(fit, block.psi, p.width, p.n, w[c*p.width:(c+1)*p.width])
		near(t, "fit", q.fit, fit, 1e-12)
	}
}

// TestSystems: the step that conjugate gradients find is that of the whole matrix, solved by Cholesky's factorisation, and goes down.
func TestSystems(t *testing.T) {
	p, sigma := clusters(40, 12, 2, 15, 3)
	l, err := newLasso(t.Context(), p, sigma, newIGLL(0.1, 10))
	if err != nil {
		t.Fatal(err)
	}
	lambda, ps := 0.1*l.top, l.newPoints(nil)
	for _, q := range ps {
		q.tau = l.first(q, lambda)
	}
	l.proximal(ps, lambda)
	l.refit(ps)
	var ss []*system
	for _, q := range ps {
		ss = append(ss, l.newSystem(q, lambda))
		ss[len(ss)-1].enough *= 1e-16
	}
	right := slices.Clone(ss[1].rest)
	if err := l.conjugateGradients(t.Context(), ss); err != nil {
		t.Fatal(err)
	}
	a, unit := make([]float64, p.n*p.n), make([]float64, p.n)
	for k := range p.n {
		clear(unit)
		unit[k] = 1
		l.apply(ss[1:2], func(*system) []float64 { return unit })
		for i, v := range ss[1].out {
			a[k*p.n+i] = ss[1].root[i] * v
		}
		a[k*p.n+k]++
	}
	f := cholesky.New(p.n)
	if err := f.Factor(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if err := f.Solve(t.Context(), a, right); err != nil {
		t.Fatal(err)
	}
	near(t, "z", ss[1].z, right, 1e-6)
	l.apply(ss, func(s *system) []float64 { return s.z })
	for c, s := range ss {
		if s.aim(); !(s.slope < 0) {
			t.Errorf("the slope of output %d is %v", c, s.slope)
		}
	}
}
