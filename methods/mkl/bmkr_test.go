package mkl

import (
	"encoding/json"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

func quiet() registry.Env { return registry.Env{Log: slog.New(slog.DiscardHandler)} }

// blobs returns n rows of two overlapping classes.
func blobs(n, d int, seed uint64) registry.Data {
	rng := rand.New(rand.NewPCG(seed, 1))
	data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	for i := range n {
		for j := range d {
			data.X.Set(i, j, rng.NormFloat64())
		}
		x := data.X.RawRowView(i)
		data.Y[i] = math.Copysign(1, x[0]*x[min(1, d-1)]+0.5*x[0]+0.4*rng.NormFloat64())
	}
	return data
}

// TestPublishedProgram: numbers of correct test rows of the published bmkr.py (with scikit-learn 1.9.1, SVRs
// capped at 10,000 iterations) on split 1, standardised, T = 100. Ours converge, and near ties between
// kernels are decided by rounding, so two rows are allowed.
func TestPublishedProgram(t *testing.T) {
	for _, c := range []struct {
		set     string
		correct map[float64]int
	}{
		{"wine", map[float64]int{0.01: 54, 0.1: 54, 1: 54, 10: 54, 100: 54}},
		{"pima", map[float64]int{0.01: 170, 0.1: 171, 1: 148, 10: 159, 100: 161}},
	} {
		t.Run(c.set, func(t *testing.T) {
			train, test := fits.Load(t, c.set, 1)
			var ps []BMKRParams
			for cost := range c.correct {
				ps = append(ps, BMKRParams{T: 100, C: cost, LearningRate: 1, Epsilon: 0.1})
			}
			must.Do(t, pathBMKR[float32](t.Context(), quiet(), train, ps, func(i int, m registry.Model) error {
				if got, want := fits.Correct(t, m, test), c.correct[ps[i].C]; math.Abs(float64(got-want)) > 2 {
					t.Errorf("C=%v: %d rows correct; the published program has %d", ps[i].C, got, want)
				}
				return nil
			}))
		})
	}
}

// TestBMKRDefinition compares with the algorithm written out: cold starts, float64 matrices from the
// kernels' formulas, no shortcut. All SVRs are solved to 1e-9, so that the choices agree.
func TestBMKRDefinition(t *testing.T) {
	data := blobs(60, 3, 1)
	for _, p := range []BMKRParams{
		{T: 6, C: 0.05, LearningRate: 1, Epsilon: 0.1}, {T: 4, C: 5, LearningRate: 1, Epsilon: 0.1},
		{T: 8, C: 1, LearningRate: 0.3, Epsilon: 0.2},
	} {
		s := newSample(data.X)
		ks := must.Get(grams[float64](t.Context(), s, bmkrKernels))(t)
		b := newBooster(s, ks)
		b.solver.Tol = 1e-9
		v := must.Get(b.fit(t.Context(), quiet(), data.Y, p))(t)
		got, want := fits.Scores(t, v, data), plainBMKR(t, data, p)
		for i := range got {
			must.Near(t, got[i], want[i], 1e-4, p, i)
		}
	}
}

func plainBMKR(t *testing.T, data registry.Data, p BMKRParams) []float64 {
	n := len(data.Y)
	r, sum := append([]float64(nil), data.Y...), make([]float64, n)
	for range p.T {
		var best svm.Solution
		least := math.Inf(1)
		for _, k := range bmkrKernels {
			g := svm.NewGram[float64](n, nil)
			for i := range n {
				for j := range n {
					dot, dist := 0.0, 0.0
					for q, v := range data.X.RawRowView(i) {
						w := data.X.At(j, q)
						dot, dist = dot+v*w, dist+(v-w)*(v-w)
					}
					g.At(i)[j] = math.Exp(-k.Gamma * dist)
					if k.Power == 1 {
						g.At(i)[j] = dot
					}
				}
			}
			var sol svm.Solution
			s := svm.Solver[float64]{Tol: 1e-9}
			must.Do(t, s.Solve(t.Context(), g, svm.Regression(r, p.Epsilon, p.C), &sol))
			loss := 0.0
			for i := range r {
				loss += math.Pow(r[i]-sol.Fit[i]-sol.Bias, 2)
			}
			if loss < least {
				best, least = sol, loss
			}
		}
		for i := range r {
			h := p.LearningRate * (best.Fit[i] + best.Bias)
			r[i] -= h
			sum[i] += h
		}
	}
	return sum
}

// TestFloat32SelectsTheSame: storing kernel values in float32 changes no grid point that 5-fold
// cross-validation selects.
func TestFloat32SelectsTheSame(t *testing.T) {
	testenv.OnlyThorough(t)
	selectsTheSame(t, BMKR(), pathBMKR[float32], pathBMKR[float64])
}

func selectsTheSame[P any](t *testing.T, spec registry.Spec, single, double registry.PathFunc[P]) {
	for _, name := range []string{"wine", "heart", "bupa"} {
		split := fits.Of(t, name, 1)
		train, _ := split.Whole()
		points := must.Get(spec.Settings(train.Shape(), spec.DefaultGrid(), nil))(t)
		ps := make([]P, len(points))
		for i, raw := range points {
			must.Do(t, json.Unmarshal(raw, &ps[i]))
		}
		var right [2][]int
		for k, path := range []registry.PathFunc[P]{single, double} {
			right[k] = make([]int, len(ps))
			split.Folds(func(learn, valid registry.Data) bool {
				must.Do(t, path(t.Context(), quiet(), learn, ps, func(i int, m registry.Model) error {
					right[k][i] += fits.Correct(t, m, valid)
					return nil
				}))
				return true
			})
		}
		must.Be(t, argmax(right[0]), argmax(right[1]), right[0], right[1])
	}
}

func argmax(x []int) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

// TestFlat: residuals within the tube end the boosting with one constant, libsvm's.
func TestFlat(t *testing.T) {
	data := blobs(30, 2, 2)
	for i := range data.Y {
		data.Y[i] = 0.5 + 0.08*math.Sin(float64(i))
	}
	data.Task = registry.Regression
	m, err := registry.PathFunc[BMKRParams](pathBMKR[float32]).One(t.Context(), quiet(), data,
		BMKRParams{T: 100, C: 10, LearningRate: 1, Epsilon: 0.1})
	must.Do(t, err)
	v := m.(*vote)
	s := newSample(data.X)
	ks := must.Get(grams[float64](t.Context(), s, bmkrKernels[:1]))(t)
	var sol svm.Solution
	var solver svm.Solver[float64]
	must.Do(t, solver.Solve(t.Context(), ks[0], svm.Regression(data.Y, 0.1, 10), &sol))
	if len(v.Learners) > 2 || v.N != 0 || math.Abs(v.Learners[0].Bias-sol.Bias) > 1e-15 {
		t.Errorf("%d learners over %d rows, the first %v; the solver gives the constant %v", len(v.Learners), v.N,
			v.Learners[0].Bias, sol.Bias)
	}
	must.Be(t, v.Rounds(), 100)
}

// TestRowsOnDemand: rows of matrices that do not fit are those of stored ones.
func TestRowsOnDemand(t *testing.T) {
	s := newSample(blobs(40, 2, 4).X)
	stored := must.Get(grams[float32](t.Context(), s, bmkrKernels))(t)
	for k, demanded := range demand[float32](s) {
		var room []float32
		for i := range s.n {
			if a, b := stored[k].At(i), demanded.Row(i, &room); !slices.Equal(a, b[:len(a)]) {
				t.Fatalf("kernel %v, row %d: %v stored, %v on demand", bmkrKernels[k], i, a, b)
			}
		}
	}
}
