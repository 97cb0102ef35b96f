package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/internal/svm"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// sample returns n rows of d normal features, every third row twice, with labels
// that depend on the first feature and on noise; both labels occur.
func sample(seed uint64, n, d int) (x, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y = make([]float64, n*d), make([]float64, n)
	for i := range n {
		row := x[i*d : (i+1)*d]
		for k := range row {
			row[k] = rng.NormFloat64()
		}
		if i%3 == 2 {
			copy(row, x[(i-1)*d:i*d])
		}
		y[i] = 1
		if row[0]+rng.NormFloat64() < 0 {
			y[i] = -1
		}
	}
	y[0], y[1] = 1, -1
	return x, y
}

func mustSolve(t must.T, x []float64, n, d int, y []float64, c float64) Solution {
	t.Helper()
	p := must.Get(New(x, n, d, y))(t)
	s := must.Get(p.Solve(context.Background(), c, 0))(t)
	return s
}

func primal(x []float64, d int, y, w []float64, b, c float64) float64 {
	sum := floats.Dot(w, w) / 2
	for i, v := range y {
		sum += c * max(0, 1-v*(floats.Dot(w, x[i*d:(i+1)*d])+b))
	}
	return sum
}

// TestLibsvm compares with libsvm's solutions at tolerance 1e-8. That bounds its gradient, not
// its objective, which for C = 100 exceeds ours, certified by the gap, by up to 5e-5 of it; so
// ours may be lower by more than it may be higher. P exceeds its minimum by at least half the
// squared distance of w, so decisions and the intercept are determined less sharply.
func TestLibsvm(t *testing.T) {
	type solved struct {
		Kind, Kernel, Dataset string
		Seed                  uint32
		C, Intercept          float64
		Objective             float64   `json:"primal_objective"`
		Accuracy              float64   `json:"test_accuracy"`
		Decisions             []float64 `json:"decision_test_first3"`
	}
	var rows []solved
	testenv.ReadOracle(t, "svm_libsvm.json", &rows)
	rows = slices.DeleteFunc(rows, func(r solved) bool { return r.Kind != "C-SVC" || r.Kernel != "linear" })
	fits.EachSet(t, rows, func(r solved) string { return r.Dataset }, func(t *testing.T, _ *datasets.Set, r solved) {
		t.Run(fmt.Sprintf("%d-%g", r.Seed, r.C), func(t *testing.T) {
			train, test := fits.Load(t, r.Dataset, r.Seed)
			n, d := train.X.Dims()
			s := mustSolve(t, train.X.RawMatrix().Data, n, d, train.Y, r.C)
			if excess := (s.Objective - r.Objective) / r.Objective; excess > 1e-6 || excess < -1e-4 {
				t.Errorf("objective %.10g, libsvm's %.10g", s.Objective, r.Objective)
			}
			must.Near(t, s.B, r.Intercept, 1e-3, "intercept")
			correct := 0.0
			for i, v := range test.Y {
				decision := floats.Dot(s.W, test.X.RawRowView(i)) + s.B
				if i < len(r.Decisions) && math.Abs(decision-r.Decisions[i]) > 2e-3 {
					t.Errorf("decision of test row %d is %v, libsvm's %v", i, decision, r.Decisions[i])
				}
				if (decision >= 0) == (v > 0) {
					correct++
				}
			}
			must.Near(t, correct, r.Accuracy*float64(len(test.Y)), 0.5)
		})
	})
}

// TestTinyProblems compares with package svm, whose tests compare it with an enumeration of all active sets.
func TestTinyProblems(t *testing.T) {
	for seed := range uint64(40) {
		n, d := 2+int(seed%6), 1+int(seed%3)
		x, y := sample(seed, n, d)
		k := svm.NewGram[float64](n, nil)
		for i := range n {
			for j := range n {
				k.At(i)[j] = floats.Dot(x[i*d:(i+1)*d], x[j*d:(j+1)*d])
			}
		}
		for _, c := range []float64{1e-3, 0.3, 2, 1e3} {
			solver, want := svm.Solver[float64]{Tol: 1e-11}, svm.Solution{}
			must.Do(t, solver.Solve(t.Context(), k, svm.Classification(y, c), &want))
			if s := mustSolve(t, x, n, d, y, c); math.Abs(s.Objective+want.Objective) > 1e-6*s.Objective {
				t.Errorf("seed %d, n=%d d=%d, C=%g: %.12g, dual %.12g", seed, n, d, c, s.Objective, want.Objective)
			}
		}
	}
}

// TestOptimal: the objective is P(w, b), no nearby point is lower, and the gap keeps
// its promise, on random problems that may be separable, nearly dependent or have equal rows.
func TestOptimal(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(2, 120).Draw(rt, "n"), rapid.IntRange(1, 40).Draw(rt, "d")
		seed := rapid.Uint64().Draw(rt, "seed")
		c := math.Pow(10, rapid.Float64Range(-3, 3).Draw(rt, "log C"))
		x, y := sample(seed, n, d)
		if rapid.Bool().Draw(rt, "nearly dependent") {
			for i, v := range x {
				x[i] = x[i/d*d] + 1e-4*v
			}
		}
		shift := rapid.SampledFrom([]float64{0, 1}).Draw(rt, "shift of the classes")
		scale := rapid.SampledFrom([]float64{1e-2, 1}).Draw(rt, "scale")
		for i := range x {
			x[i] = scale * (x[i] + shift*y[i/d])
		}
		s := mustSolve(rt, x, n, d, y, c)
		if s.Gap > Tolerance*s.Objective {
			rt.Fatalf("gap %v of an objective %v", s.Gap, s.Objective)
		}
		if p := primal(x, d, y, s.W, s.B, c); math.Abs(p-s.Objective) > 1e-12*(s.Objective+c*float64(n)) {
			rt.Fatalf("objective %v, P(w, b) = %v", s.Objective, p)
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		w := make([]float64, d)
		for range 20 {
			size := math.Pow(10, -6*rng.Float64())
			for k := range w {
				w[k] = s.W[k] + size*rng.NormFloat64()
			}
			if p := primal(x, d, y, w, s.B+size*rng.NormFloat64(),
				c); p < s.Objective-s.Gap-1e-12*(s.Objective+c*float64(n)) {
				rt.Fatalf("P = %v at a distance of %v, below %v by more than the gap", p, size, s.Objective)
			}
		}
	})
}

// TestSeparableWithLargeC: examples in few dimensions that can be separated, with multipliers far below C. A stage of
// the proximal method that took no Newton step lost the multipliers there to rounding, and Solve failed at a relative
// gap just above Tolerance.
func TestSeparableWithLargeC(t *testing.T) {
	for _, c := range []struct {
		n, d int
		seed uint64
		c    float64
	}{{5, 25, 0x2dfdff, 1000}, {32, 21, 0xb, 1000}, {68, 21, 0, 316.22776601683796}} {
		x, y := sample(c.seed, c.n, c.d)
		for i := range x {
			x[i] += y[i/c.d]
		}
		if s := mustSolve(t, x, c.n, c.d, y, c.c); s.Gap > Target*s.Objective {
			t.Errorf("n=%d d=%d, C=%g: gap %v of an objective %v after %d Newton steps", c.n, c.d, c.c, s.Gap,
				s.Objective, s.Steps)
		}
	}
}

// TestIntercept: where a whole interval is optimal, its middle. Two examples at -1 and 1
// with a small C have multipliers C, w = 2C, and margins below 1 for |b| <= 1 - 2C.
func TestIntercept(t *testing.T) {
	s := mustSolve(t, []float64{-1, 1}, 2, 1, []float64{-1, 1}, 0.1)
	if math.Abs(s.W[0]-0.2) > 1e-9 || math.Abs(s.B) > 1e-9 {
		t.Errorf("w = %v, b = %v", s.W, s.B)
	}
	s = mustSolve(t, []float64{0, 0, 0}, 3, 1, []float64{-1, 1, 1}, 1)
	if s.W[0] != 0 || math.Abs(s.B-1) > 1e-12 || math.Abs(s.Objective-2) > 1e-12 {
		t.Errorf("with equal rows w = %v, b = %v, objective %v", s.W, s.B, s.Objective)
	}
}

// TestHistory: a solution does not depend on those before it, nor on calls that ended early, bit for bit.
func TestHistory(t *testing.T) {
	x, y := sample(4, 200, 30)
	p := must.Get(New(x, 200, 30, y))(t)
	for _, c := range []float64{100, 0.01, 1} {
		s := must.Get(p.Solve(t.Context(), c, 0))(t)
		if s, err := p.Solve(t.Context(), 10, 3); err != nil || s.Steps != 3 || s.Gap <= Tolerance*s.Objective {
			t.Fatalf("three steps give a gap of %v after %d steps: %v", s.Gap, s.Steps, err)
		}
		if fresh := mustSolve(t, x, 200, 30, y, c); !floats.Equal(s.W, fresh.W) || s.B != fresh.B {
			t.Errorf("C = %g: the solution depends on the ones before", c)
		}
	}
}

func TestRefusals(t *testing.T) {
	x, y := sample(1, 30, 4)
	must.Say(t, must.Err(New(x, 30, 4, slices.Repeat([]float64{1}, 30))), "all 30 labels are +1")
	x[7] = math.NaN()
	must.Say(t, must.Err(New(x, 30, 4, y)), "feature 3 of row 1 is NaN")
}

func TestCancellation(t *testing.T) {
	const n, d = 80000, 100 // some 0.2 s, so that both ends come before its own
	x, y := sample(2, n, d)
	p := must.Get(New(x, n, d, y))(t)
	testenv.CheckCancellation(t, func(ctx context.Context) error {
		_, err := p.Solve(ctx, 1000, 0)
		return err
	}, 20*time.Millisecond, 50*time.Millisecond)
}

// TestNeighbours compares with sorting.
func TestNeighbours(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55}), 2, 300).Draw(rt, "v")
		for i := range v {
			v[i] += float64(i%7) * rapid.SampledFrom([]float64{0, 0.01}).Draw(rt, "spread")
		}
		k := rapid.IntRange(0, len(v)-2).Draw(rt, "k")
		sorted := slices.Sorted(slices.Values(v))
		if low, high := neighbours(v, k); low != sorted[k] || high != sorted[k+1] {
			rt.Fatalf("elements %d and %d are %v and %v, sorted %v", k, k+1, low, high, sorted)
		}
	})
}
