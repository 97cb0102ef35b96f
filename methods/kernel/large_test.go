package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/methods/internal/frame"
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

// TestProductsAgainstExact compares the solutions from products with those from the factor of the whole matrix, for a kernel of low rank
// (two features) and for one that is nearly the identity (a width of a tenth in ten features, where the partial factor ends at its largest rank).
// Scores agree within 1e-4 of their size: the stopping rules are stationarity within 1e-6, at c = 2 n lambda of 0.012 and more.
func TestProductsAgainstExact(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, c := range []struct {
		name    string
		task    registry.Task
		d       int
		width   float64
		linear  bool
		through bool // the origin: no intercept
	}{
		{"low rank", registry.Binary, 2, 1, false, false}, {"low rank, linear", registry.Binary, 2, 1, true, true},
		{"three classes", registry.Multiclass, 2, 1, false, false}, {"regression", registry.Regression, 2, 1, false, true},
		{"regression, linear", registry.Regression, 3, 1, true, false},
		{"high rank", registry.Binary, 10, 0.3, false, false}, {"high rank, regression", registry.Regression, 10, 0.3, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := wavy(c.task, 600, c.d)
			lambdas := []float64{1e-5, 1e-2, 10}
			x, gamma := frame.Rows(data.X), slices.Repeat([]float64{1 / (2 * c.width * c.width)}, c.d)
			var want [][]float64
			err := solveExact(t.Context(), x, gamma, kind{c.linear, !c.through}, data, lambdas, func(_ int, m *machine) error {
				want = append(want, scoresOf(t, m, data))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			err = solveProducts(t.Context(), x, gamma, kind{c.linear, !c.through}, data, lambdas, func(i int, m *machine) error {
				got, size := scoresOf(t, m, data), floats.Norm(want[i], math.Inf(1))
				if off := floats.Distance(got, want[i], math.Inf(1)); !(off <= 1e-4*max(1, size)) {
					t.Errorf("lambda %v: scores of size %v are off by %v", lambdas[i], size, off)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func scoresOf(t *testing.T, m *machine, data registry.Data) []float64 {
	t.Helper()
	out := make([]float64, len(data.Y)*m.Outputs)
	if err := m.Score(t.Context(), data.X, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCertifiedGap computes the duality gap of the logistic problem from the model and its scores, written out with another formula than the solver's:
// primal n^-1 sum log(1 + exp(-y f)) + lambda alpha'K alpha, dual -n^-1 sum (p log p + (1-p) log(1-p)) - lambda alpha'K alpha with
// p = (1+y)/2 - 2 n lambda alpha.
func TestCertifiedGap(t *testing.T) {
	testenv.NotUnderRace(t)
	data := wavy(registry.Binary, 1010, 4)
	n := float64(len(data.Y))
	ps := []Params{{Lambda: 1e-5, Neighbour: 50, Intercept: true}, {Lambda: 1e-3, Neighbour: 50, Intercept: true}, {Lambda: 1, Neighbour: 50, Intercept: true}}
	err := fitAll(t.Context(), data, false, ps, func(i int, model registry.Model) error {
		m, lambda := model.(*machine), ps[i].Lambda
		f := scoresOf(t, m, data)
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
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLargePath: above exactRows too a setting has the same bits alone, in another order and among others.
func TestLargePath(t *testing.T) {
	testenv.NotUnderRace(t)
	data := wavy(registry.Multiclass, 1010, 3)
	var ps []Params
	for _, lambda := range []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000} { // 27 solutions: more than are solved together
		ps = append(ps, Params{Lambda: lambda, Neighbour: 50, Intercept: true})
	}
	coefs := func(ps []Params) [][]float64 {
		out := make([][]float64, len(ps))
		err := fitAll(t.Context(), data, true, ps, func(i int, m registry.Model) error {
			out[i] = append(slices.Clone(m.(*machine).Coef), m.(*machine).Bias...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	together := coefs(ps)
	backwards := slices.Clone(ps)
	slices.Reverse(backwards)
	turned := coefs(backwards)
	for i := range ps {
		if !slices.Equal(together[i], coefs(ps[i : i+1])[0]) || !slices.Equal(together[i], turned[len(ps)-1-i]) {
			t.Errorf("lambda %v has other bits alone or in another order", ps[i].Lambda)
		}
	}
}

// TestOperator compares products from computed and from kept elements, and rows, with the formula.
func TestOperator(t *testing.T) {
	const n, d = 300, 3
	rng := rand.New(rand.NewPCG(8, 8))
	x, gamma := normals(rng, n*d), []float64{0.3, 1, 0.1}
	o, err := newOperator(t.Context(), x, d, gamma, true, true)
	if err != nil {
		t.Fatal(err)
	}
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
	kept, computed := [][]float64{make([]float64, n), make([]float64, n)}, [][]float64{make([]float64, n), make([]float64, n)}
	if err := o.multiply(t.Context(), kept, ins); err != nil {
		t.Fatal(err)
	}
	o.kept = false
	if err := o.multiply(t.Context(), computed, ins); err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 2*n)
	o.rows(row, []int{7, 150})
	if !floats.EqualApprox(row[:n], want[7*n:8*n], 1e-12) || !floats.EqualApprox(row[n:], want[150*n:151*n], 1e-12) || math.Abs(o.diagonal()[9]-want[9*n+9]) > 1e-12 {
		t.Error("rows or the diagonal differ from the formula")
	}
	for j, in := range ins {
		product := make([]float64, n)
		for i := range n {
			product[i] = floats.Dot(want[i*n:(i+1)*n], in)
		}
		if !slices.Equal(kept[j], computed[j]) || !floats.EqualApprox(kept[j], product, 1e-10) {
			t.Errorf("product %d differs from the formula", j)
		}
	}
}
