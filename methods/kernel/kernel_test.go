package kernel

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// fitted fits one grid point, whose setting is written as fmt.Sprintf writes it, and returns the machine and its scores
// of the rows.
func fitted(t *testing.T, spec registry.Spec, seed uint32, train registry.Data, setting string,
	values ...any) (*machine, []float64) {
	t.Helper()
	m := must.Get(spec.Fit(t.Context(), registry.Env{Seed: seed}, train, fmt.Appendf(nil, setting, values...)))(t)
	return m.(*machine), fits.Scores(t, m.(*machine), train)
}

// fitGK fits grid points of GK or GLK together and calls do for each machine.
func fitGK(t *testing.T, data registry.Data, linear bool, ps []Params, do func(i int, m *machine)) {
	t.Helper()
	g := gk{"GK", linear, registry.Env{Log: slog.New(slog.DiscardHandler)}, data, data.X.RawMatrix().Data}
	must.Do(t, g.fitAll(t.Context(), ps, func(i int, m registry.Model) error {
		do(i, m.(*machine))
		return nil
	}))
}

func small(task registry.Task) registry.Data {
	rng := rand.New(rand.NewPCG(3, 4))
	const n, d = 40, 3
	data := registry.Data{Task: task, X: mat.NewDense(n, d, normals(rng, n*d)), Y: make([]float64, n)}
	for i := range n {
		data.Y[i] = math.Sin(2*data.X.At(i, 0)) + 0.5*data.X.At(i, 1) + 0.3*rng.NormFloat64()
		if task == registry.Binary {
			data.Classes, data.Y[i] = 2, math.Copysign(1, data.Y[i])
		}
	}
	return data
}

// TestStationary checks the optimality conditions on small data.
func TestStationary(t *testing.T) {
	for _, linear := range []bool{false, true} {
		for _, task := range []registry.Task{registry.Binary, registry.Regression} {
			data := small(task)
			for i, lambda := range []float64{1e-5, 1e-2, 10, 1e-5, 1e-2, 10} {
				ps := []Params{{Lambda: lambda, Neighbour: 5, Intercept: i < 3}}
				fitGK(t, data, linear, ps, func(_ int, m *machine) { stationary(t, m, data, ps[0]) })
			}
		}
	}
}

// stationary checks the optimality conditions of the stated problems from the model's own scores:
// sum alpha = 0 or no intercept, and n lambda alpha = y - f for ridge, 2 n lambda alpha = (1+y)/2 - p for logistic.
func stationary(t *testing.T, m *machine, data registry.Data, p Params) {
	t.Helper()
	n := len(data.Y)
	f := fits.Scores(t, m, data)
	for o, y := range fitting.OneAgainstRest(data) {
		sum, size, worst, tolerance := 0.0, 0.0, 0.0, 1e-6
		for i, a := range m.Coef[o*n : (o+1)*n] {
			sum, size = sum+a, size+math.Abs(a)
			score := f[i*m.Outputs+o]
			off := 2*float64(n)*p.Lambda*a - (1+y[i])/2 + 1/(1+math.Exp(-score))
			if data.Task == registry.Regression {
				off, tolerance = float64(n)*p.Lambda*a-(y[i]-score), 1e-8+1e-15/p.Lambda // as rounding allows
			}
			worst = max(worst, math.Abs(off))
		}
		if !(worst <= tolerance) {
			t.Errorf("%+v: a condition of output %d is off by %v", p, o, worst)
		}
		if !p.Intercept && m.Bias[o] != 0 || p.Intercept && !(math.Abs(sum) <= 1e-12*size) {
			t.Errorf("%+v: an intercept of %v, coefficients of %v that sum to %v", p, m.Bias[o], size, sum)
		}
	}
}

// TestLeaveOneOut compares the closed form with n fits, and its gradient with central differences.
func TestLeaveOneOut(t *testing.T) {
	data := small(registry.Regression)
	x := fitting.Rows(data.X)
	n, d := data.X.Dims()
	const lambda = 0.01
	theta := []float64{-1, 0.3}
	group := []int{0, 0, 1}
	p := must.Get(newLOOProblem(t.Context(), x, d, group, lambda))(t)
	p.y = data.Y
	got := p.value(theta, make([]float64, 2))
	if p.err != nil {
		t.Fatal(p.err)
	}
	want := 0.0
	for out := range n {
		k, y := mat.NewDense(n-1, n-1, nil), mat.NewVecDense(n-1, nil)
		kernel := func(a, b int) float64 {
			sum := 0.0
			for j := range d {
				sum += math.Exp(theta[group[j]]) * math.Pow(data.X.At(a, j)-data.X.At(b, j), 2)
			}
			return math.Exp(-sum)
		}
		skip := func(i int) int {
			if i >= out {
				return i + 1
			}
			return i
		}
		for i := range n - 1 {
			y.SetVec(i, data.Y[skip(i)])
			for j := range n - 1 {
				k.Set(i, j, kernel(skip(i), skip(j)))
			}
			k.Set(i, i, 1+float64(n)*lambda)
		}
		var alpha mat.VecDense
		must.Do(t, alpha.SolveVec(k, y))
		f := 0.0
		for i := range n - 1 {
			f += alpha.AtVec(i) * kernel(skip(i), out)
		}
		want += math.Pow(data.Y[out]-f, 2) / float64(n)
	}
	must.Near(t, got, want, 1e-9*want, "the leave-one-out error is", n)
	fits.Gradient(t, "leave-one-out error", p.value, theta, 1e-6)
}

// TestCoefficientsFollowRelevance: descent gives the irrelevant feature the least kernel coefficient and lowers the
// error.
func TestCoefficientsFollowRelevance(t *testing.T) {
	data := small(registry.Regression)
	m, _ := fitted(t, KRRGD(), 0, data, `{"lambda":1e-3,"max_iter":30}`)
	gamma := m.Gamma
	if !(gamma[0] > 3*gamma[2]) {
		t.Errorf("kernel coefficients %v; the first feature matters and the third does not", gamma)
	}
}

// TestBlocksShareACoefficient: the features of a block have one kernel coefficient, features outside of blocks
// their own. Blocks of one feature change no bit.
func TestBlocksShareACoefficient(t *testing.T) {
	data := small(registry.Regression)
	fit := func(blocks ...registry.Block) *machine {
		data.Blocks = blocks
		m, _ := fitted(t, KRRGD(), 0, data, `{}`)
		return m
	}
	plain := fit()
	single := fit(registry.Block{Name: "a", From: 0, To: 1}, registry.Block{Name: "b", From: 1, To: 2})
	must.Be(t, plain.Gamma, single.Gamma)
	must.Be(t, plain.Coef, single.Coef)
	pair := fit(registry.Block{Name: "pair", From: 0, To: 2})
	if g := pair.Gamma; g[0] != g[1] || g[1] == g[2] || plain.Gamma[0] == plain.Gamma[1] {
		t.Errorf("kernel coefficients %v with the first two in a block, %v without", g, plain.Gamma)
	}
}

// TestTrialTooFar (KRR-GD on pima, split 1, fold 3 once failed by it): a point without a Cholesky factor is infinitely
// bad and ends nothing; the next point is evaluated as if it had not been.
func TestTrialTooFar(t *testing.T) {
	x := []float64{0, 1, 2, 3, 5, 8}
	p := must.Get(newLOOProblem(t.Context(), x, 1, []int{0}, 1e-5))(t)
	p.y = []float64{1, -1, 1, -1, 1, -1}
	gradient := []float64{0}
	want := p.value([]float64{-1}, gradient)
	if e := p.value([]float64{1e4}, gradient); !math.IsInf(e, 1) || p.err != nil {
		t.Errorf("kernel coefficients that overflow give %v, %v", e, p.err)
	}
	must.Be(t, p.value([]float64{-1}, gradient), want)
}
