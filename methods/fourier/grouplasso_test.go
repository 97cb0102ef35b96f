package fourier

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry/rng"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/methods/internal/solve"
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
		of, y := lossOf(c.Loss, cases[c.Seed])
		if of == nil {
			continue
		}
		p := cases[c.Seed].problem(t, c.Kind, "concat", y)
		l := must.Get(newLasso(t.Context(), p, cases[c.Seed].Sigma, of))(t)
		near(t, what+" lambda_max", []float64{l.lambdaMax()}, []float64{c.LambdaMax}, 1e-12)
		at := l.newPoints(nil, c.Lam)
		if err := l.solve(t.Context(), at, 1e-13); err != nil {
			t.Fatal(what, err)
		}
		at[0].tau = min(at[0].tau, 1000)
		// weights along flat directions are later than the value, and come with little rounding where tau is small
		for step := range 100 {
			if step%4 == 0 {
				copy(at[0].centre, at[0].w)
				l.proximal(at)
				l.refit(at)
			}
			must.Do(t, l.newton(t.Context(), at))
		}
		w, open := l.weights(at)
		near(t, what+" w", w, c.W, 1e-8)
		if f := at[0].fitLoss + at[0].lambda*vmath.Sum(l.norms(at[0].w)); open > 0 ||
			math.Abs(f-c.Objective) > 1e-11*c.Objective {
			t.Errorf("%s: objective %v, want %v", what, f, c.Objective)
		}
	}
	if len(file.Cases) == 0 {
		t.Error("group_lasso.json has no case")
	}
}

// clusters is a problem of n rows in classes around centres, of d features in channels of size, every other one of
// which is noise.
func clusters(n, d, size, count, classes int) (*problem, []float64) {
	draws := rng.New(3)
	x, centres, y := make([]float64, n*d), make([]float64, classes*d), make([]float64, classes*n)
	draws.Norms(x)
	draws.Norms(centres)
	for i := range n {
		for k := range d {
			if k/size%2 == 0 {
				x[i*d+k] += 0.7 * centres[i%classes*d+k]
			}
		}
		for c := range classes {
			y[c*n+i] = -1
		}
		y[i%classes*n+i] = 1
	}
	sizes := make([]int, d/size)
	for j := range sizes {
		sizes[j] = size
	}
	p := &problem{embedding: sumEmbedding(rng.New(1), kernel{name: gaussian}, sizes, count, rff.How{}), n: n,
		a: x, outputs: classes, y: y}
	return p, p.usual(x, 1)
}

// TestMoreColumnsThanRows: small penalties with a sharp loss and 40 columns a row are solved in few steps. Block
// descent has not got there after twenty thousand sweeps.
func TestMoreColumnsThanRows(t *testing.T) {
	p, sigma := clusters(80, 40, 1, 80, 2)
	l := must.Get(newLasso(t.Context(), p, sigma, newIGLL(0.1, 10)))(t)
	_, open := must.Get2(l.path(t.Context(), []float64{0.05, 0.02, 0.01}))(t)
	if t.Logf("%d steps", l.steps); l.steps > 2000 || slices.Max(open) > 0 {
		t.Errorf("%d steps, gaps %v", l.steps, open)
	}
}

// TestABlockOnItsWayToZero: on these channels a block shrinks to zero where P is nearly flat. A method that does not
// see that the block ends there, or not what it makes of the others, stays 1e-4 from the optimum for thousands of
// steps.
func TestABlockOnItsWayToZero(t *testing.T) {
	testenv.OnlyThorough(t)
	learn, _ := fits.Load(t, "mfeat-noisy", 1)
	if _, err := MKLJoint().Fit(t.Context(), registry.Env{Seed: 1}, learn,
		[]byte(`{"features":50,"lambda":0.03,"rho":1}`)); err != nil {
		t.Error(err)
	}
}

// TestRowSpaces: channels of few values are solved with few columns, and their weights give the fits of the columns as
// they are.
func TestRowSpaces(t *testing.T) {
	p, sigma := clusters(60, 6, 2, 30, 2)
	for i, v := range p.a {
		p.a[i] = math.Copysign(1, v)
	}
	l := must.Get(newLasso(t.Context(), p, sigma, square{1}))(t)
	must.Be(t, l.rank, 3*4)
	ws, _ := must.Get2(l.path(t.Context(), []float64{0.1}))(t)
	w := ws[0]
	block := p.newWork(p.n, false)
	block.embed(p.a, sigma)
	for c, q := range l.newPoints(w, 1) {
		fit := make([]float64, p.n)
		vmath.MatTVec(fit, block.psi, p.width, p.n, w[c*p.width:(c+1)*p.width])
		near(t, "fit", q.fit, fit, 1e-12)
	}
}

// TestSystems: the step that is found, by X and X' and by X'X, is that of the system of the dual problem, D^-1 + tau X
// M X', solved by Cholesky's factorisation, and goes down. Conjugate gradients find it as well as the direct solutions
// by columns and by rows.
func TestSystems(t *testing.T) {
	for _, rows := range []int{80, 20} { // more rows than columns, and fewer
		p, sigma := clusters(rows, 12, 2, 10, 3)
		for _, of := range []loss{square{1}, newIGLL(0.1, 10)} {
			for _, direct := range []bool{false, true} {
				l := must.Get(newLasso(t.Context(), p, sigma, of))(t)
				if _, quadratic := of.(square); l.grams != (quadratic && l.rank <= 2*l.n) {
					t.Errorf("%T: products of columns: %v", of, l.grams)
				}
				ps := l.newPoints(nil, 0.1*l.lambdaMax())
				l.proximal(ps)
				l.refit(ps)
				q := ps[1]
				q.direct = direct
				step, before := stepOf(t, l, q), slices.Clone(q.f)
				must.Do(t, l.newton(t.Context(), ps))
				what := fmt.Sprintf("%T, direct %v, %d rows, rank %d", of, q.direct, l.n, l.activeRank(q))
				if !(q.slope < 0) || !(q.phi < q.before) || slices.Equal(q.f, before) {
					t.Errorf("%s: the slope is %v, phi goes from %v to %v", what, q.slope, q.before, q.phi)
				}
				off, tol := slices.Clone(q.out), 100*cgTolerance
				if vmath.Axpy(-1, step, off); q.direct {
					tol = 1e-9
				}
				if norm(off) > tol*norm(step) {
					t.Errorf("%s: the step is off by %v of its norm", what, norm(off)/norm(step))
				}
			}
		}
	}
}

// stepOf solves (D^-1 + tau X M X') dv = X w - f, and returns D^-1 dv.
func stepOf(t *testing.T, l *lasso, q *point) []float64 {
	t.Helper()
	n := l.n
	a, step := make([]float64, n*n), make([]float64, n)
	l.loss.second(q.second, q.f, q.y)
	for i := range n {
		for _, b := range l.blocks {
			all := vmath.Transposed(b.xT, b.rank, n)
			u, w := all[i*b.rank:(i+1)*b.rank], b.of(q.w)
			if norm(w) == 0 {
				continue
			}
			share := q.tau * q.lambda / (norm(w) + q.tau*q.lambda)
			for k := range n {
				x := all[k*b.rank : (k+1)*b.rank]
				a[i*n+k] += q.tau * ((1-share)*vmath.Dot(u, x) + share*vmath.Dot(u, w)*vmath.Dot(x, w)/vmath.Dot(w, w))
			}
		}
		a[i*n+i] += 1 / q.second[i]
		step[i] = q.fit[i] - q.f[i]
	}
	f := solve.NewFactorizer(n)
	must.Do(t, f.Factor(t.Context(), a))
	must.Do(t, f.Solve(t.Context(), a, step))
	for i, d := range q.second {
		step[i] /= d
	}
	return step
}

// TestEqualValues: the value of the joint model and its gradient in sigma are those of the objective (5), whether
// channels have few values or many.
func TestEqualValues(t *testing.T) {
	for _, few := range []bool{false, true} {
		for _, of := range []loss{square{1}, newIGLL(0.1, 10)} {
			p, sigma := clusters(60, 6, 2, 10, 3)
			for i, v := range p.a {
				if few {
					p.a[i] = math.Copysign(1, v)
				}
			}
			if c := p.channel(1); (c.which != nil) != few || few && c.n != 4 {
				t.Errorf("a channel with %d values of %d rows", c.n, p.n)
			}
			j := jointly{problem: p, loss: of, lambda: 0.5, rho: 0.1, gap: jointGap}
			gs, want := make([]float64, len(sigma)), make([]float64, len(sigma))
			f := must.Get(j.value(t.Context(), sigma, gs))(t)
			wanted := must.Get(p.value(t.Context(), of, 0, j.rho, sigma, j.w, want))(t)
			for c := range p.outputs {
				for _, q := range p.parts {
					wanted += j.lambda * norm(j.w[c*p.width+q.at:][:q.count])
				}
			}
			near(t, "value", []float64{f}, []float64{wanted}, 1e-12)
			near(t, "gradient", gs, want, 1e-11)
		}
	}
}

// TestCertificate: a penalty that is not solved in the steps there are is returned with its gap, without an error.
func TestCertificate(t *testing.T) {
	p, sigma := clusters(40, 12, 2, 15, 3)
	l := must.Get(newLasso(t.Context(), p, sigma, newIGLL(0.1, 10)))(t)
	ps := l.newPoints(nil, 0.1*l.lambdaMax())
	if err := l.solve(t.Context(), ps[:1], -1e-3); err != nil { // a gap below zero is never reached
		t.Fatal(err)
	}
	if _, open := l.weights(ps[:1]); l.steps != lassoLimit || open > 1e-12 {
		t.Errorf("the gap is %v after %d steps", open, l.steps)
	}
	if l.closed(ps[1], lassoGap) || ps[1].openGap < 0.01 {
		t.Errorf("the gap of zero weights is %v", ps[1].openGap)
	}
}
