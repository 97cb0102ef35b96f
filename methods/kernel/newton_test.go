package kernel

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// wavy is data of n rows of d normal features with a target that a smooth function explains in part.
func wavy(task registry.Task, n, d int) registry.Data {
	rng := rand.New(rand.NewPCG(5, uint64(d)))
	data := registry.Data{Task: task, X: mat.NewDense(n, d, normals(rng, n*d)), Y: make([]float64, n)}
	for i := range n {
		data.Y[i] = math.Sin(2*data.X.At(i, 0)) + 0.5*data.X.At(i, 1) + 0.4*rng.NormFloat64()
		switch task {
		case registry.Binary:
			data.Classes, data.Y[i] = 2, math.Copysign(1, data.Y[i])
		case registry.Multiclass:
			data.Classes, data.Y[i] = 3, float64(min(2, max(0, int(data.Y[i]+1.5))))
		case registry.Regression:
			data.Y[i] += 100
		}
	}
	return data
}

// TestHardProblems holds the optimality conditions, as TestStationary, where the kernel has a low rank (two features),
// where it is nearly the identity (a width of 0.3 in ten features), with three classes, with rows that are equal, and
// with a penalty at which c I + K is next to singular.
func TestHardProblems(t *testing.T) {
	for _, c := range []struct {
		name   string
		task   registry.Task
		d      int
		width  float64
		linear bool
	}{
		{"low rank", registry.Binary, 2, 1, false}, {"low rank, linear", registry.Binary, 2, 1, true},
		{"three classes", registry.Multiclass, 2, 1, false}, {"regression", registry.Regression, 2, 1, false},
		{"regression, linear", registry.Regression, 3, 1, true},
		{"high rank", registry.Binary, 10, 0.3, false}, {"high rank, regression", registry.Regression, 10, 0.3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := wavy(c.task, 600, c.d)
			for i := range 60 { // equal rows, of the same target or of another
				data.X.SetRow(i, data.X.RawRowView(599-i))
			}
			var ps []Params
			for _, lambda := range []float64{1e-8, 1e-5, 1e-2, 10} {
				ps = append(ps, Params{Lambda: lambda, Sigma: c.width, Intercept: true},
					Params{Lambda: lambda, Sigma: c.width})
			}
			fitGK(t, data, c.linear, ps, func(i int, m *machine) { stationary(t, m, data, ps[i]) })
		})
	}
}

// TestCertifiedGap computes the duality gap of the logistic problem from the model and its scores, written out with
// another formula than the solver's: primal n^-1 sum log(1 + exp(-y f)) + lambda alpha'K alpha, dual -n^-1 sum (p log p
// + (1-p) log(1-p)) - lambda alpha'K alpha with p = (1+y)/2 - 2 n lambda alpha.
func TestCertifiedGap(t *testing.T) {
	data := wavy(registry.Binary, 510, 4)
	n := float64(len(data.Y))
	ps := []Params{{Lambda: 1e-5, Neighbour: 50, Intercept: true}, {Lambda: 1e-3, Neighbour: 50, Intercept: true},
		{Lambda: 1, Neighbour: 50, Intercept: true}}
	fitGK(t, data, false, ps, func(i int, m *machine) {
		lambda := ps[i].Lambda
		f := fits.Scores(t, m, data)
		primal, dual, sum := 0.0, 0.0, 0.0
		for j, y := range data.Y {
			p := (1+y)/2 - 2*n*lambda*m.Coef[j]
			if p < -1e-6 || p > 1+1e-6 {
				t.Fatalf("lambda %v: a probability of %v", lambda, p)
			}
			p = min(1-1e-15, max(1e-15, p))
			norm := lambda * m.Coef[j] * (f[j] - m.Bias[0])
			primal += math.Log1p(math.Exp(-y*f[j]))/n + norm
			dual -= (p*math.Log(p)+(1-p)*math.Log(1-p))/n + norm
			sum += m.Coef[j]
		}
		if gap := primal - dual; math.Abs(sum)*lambda > 1e-10 || !(gap <= 1e-6*primal) {
			t.Errorf("lambda %v: a gap of %v of %v, coefficients sum to %v", lambda, gap, primal, sum)
		}
	})
}

// TestOperator compares products from kept and from computed elements, and rows, with the formula. The first product
// keeps all tiles of the matrix, two or none; the second one reads those that are kept.
func TestOperator(t *testing.T) {
	const n, d = 300, 3
	rng := rand.New(rand.NewPCG(8, 8))
	x, gamma := normals(rng, n*d), []float64{0.3, 1, 0.1}
	o := newOperator(x, d, gamma, true)
	want := make([]float64, n*n)
	for i := range n {
		for j := range n {
			dot, square := 0.0, 0.0
			for q := range d {
				dot += x[i*d+q] * x[j*d+q]
				square += gamma[q] * math.Pow(x[i*d+q]-x[j*d+q], 2)
			}
			want[i*n+j] = math.Exp(-square) + dot
		}
	}
	ins := [][]float64{normals(rng, n), normals(rng, n)}
	var outs [][][]float64
	for _, room := range []int64{o.room, 2 * 8 * tileHigh * tileHigh, 0} {
		o.room, o.tiles = room, nil
		for range 2 {
			out := [][]float64{make([]float64, n), make([]float64, n)}
			must.Do(t, o.Mul(t.Context(), out, ins))
			outs = append(outs, out)
		}
		must.Be(t, int64(len(o.tiles)), int64(min(5, room/(8*tileHigh*tileHigh))), len(o.tiles), room)
	}
	row := make([]float64, 2*n)
	o.rows(row, []int{7, 150})
	must.Be(t, floats.EqualApprox(row[:n], want[7*n:8*n], 1e-12), true, "rows differ from the formula")
	must.Be(t, floats.EqualApprox(row[n:], want[150*n:151*n], 1e-12), true, "rows differ from the formula")
	for j, in := range ins {
		product := make([]float64, n)
		for i := range n {
			product[i] = floats.Dot(want[i*n:(i+1)*n], in)
		}
		for i, out := range outs {
			must.Be(t, out[j], outs[0][j], "product", i, j)
			must.Be(t, floats.EqualApprox(out[j], product, 1e-10), true, "product", i, j)
		}
	}
}

// A dense is a MatVec of a matrix in memory, which counts its products.
type dense struct {
	k     *mat.Dense
	count int
}

func (d *dense) Mul(_ context.Context, dst, src [][]float64) error {
	d.count++
	for i, v := range src {
		mat.NewVecDense(len(v), dst[i]).MulVec(d.k, mat.NewVecDense(len(v), v))
	}
	return nil
}

// TestProductsAreShared: problems that are solved together take as many products as the hardest alone and have the same
// bits, and a MatVec of another kind gives the same solution, within the stopping rule.
func TestProductsAreShared(t *testing.T) {
	const n, d = 200, 3
	data := wavy(registry.Binary, n, d)
	o := newOperator(data.X.RawMatrix().Data, d, []float64{0.2, 0.2, 0.2}, false)
	pre := must.Get(newPreconditioner(t.Context(), o))(t)
	k := mat.NewDense(n, n, nil)
	o.rows(k.RawMatrix().Data, fitting.Upto(n))
	solve := func(by MatVec, cs ...float64) []float64 {
		problems := make([]*problem, len(cs))
		for i, c := range cs {
			problems[i] = newProblem(logisticLoss{data.Y}, c, Params{Intercept: true}, pre)
		}
		must.Do(t, minimize(t.Context(), by, problems))
		return problems[0].alpha
	}
	alone, together := &dense{k: k}, &dense{k: k}
	want := solve(alone, 0.01)
	must.Be(t, solve(together, 0.01, 0.1, 1), want)
	must.Be(t, together.count, alone.count)
	if off := floats.Distance(solve(o, 0.01), want, math.Inf(1)); !(off <= 4e-6/0.01) {
		t.Errorf("coefficients from tiles are off by %v", off)
	}
}

// TestSeparable: rows that are easily separated, of which the smallest penalties leave probabilities of nearly 0 and 1.
// The duality gap is then far from its bound where max |F_i| has met its own. Newton's steps once stayed as short there
// as that bound asks, and the fit was an error after a hundred steps.
func TestSeparable(t *testing.T) {
	data := wavy(registry.Binary, 26, 52)
	floats.Scale(100, data.X.RawMatrix().Data)
	setting := Params{Lambda: 1e-5, Sigma: 1000, Intercept: true}
	var log strings.Builder
	env := registry.Env{Log: slog.New(slog.NewTextHandler(&log, nil))}
	err := (&gk{"GLK", true, env, data, data.X.RawMatrix().Data}).fitAll(t.Context(), []Params{setting},
		func(_ int, m registry.Model) error {
			stationary(t, m.(*machine), data, setting)
			return nil
		})
	if err != nil || log.Len() > 0 {
		t.Errorf("%v, %s", err, log.String())
	}
}
