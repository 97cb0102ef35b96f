package mkl

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// sumKernel is K(d) in float64.
func sumKernel(g *mixer, n int, d []float64) *svm.Kernel[float64] {
	k := svm.NewGram[float64](n, nil)
	at, rank := 0, len(g.parts.Stack)/n
	for j, own := range g.parts.Ranks {
		for i := range n {
			row := k.At(i)
			for q := range row {
				if whole := g.parts.Whole[j]; whole != nil {
					row[q] += d[j] * whole[i*n+q]
				}
				for c := at; c < at+own; c++ {
					row[q] += d[j] * g.parts.Stack[i*rank+c] * g.parts.Stack[q*rank+c]
				}
			}
		}
		at += own
	}
	return k
}

// valueAt is T(d), by the two-variable steps.
func valueAt(t *testing.T, g *mixer, p svm.Problem, d []float64) float64 {
	t.Helper()
	var sol svm.Solution
	s := svm.Solver[float64]{Tol: 1e-6}
	must.Do(t, s.Solve(t.Context(), sumKernel(g, len(p.Target), d), p, &sol))
	return floats.Sum(d) - sol.Objective
}

// mix returns the kernels of groups of features, one feature each if sizes is nil, and the machine of a problem with
// them.
func mix(t testing.TB, data registry.Data, sizes []int, p svm.Problem) (*mixer, svm.Mixed) {
	t.Helper()
	s := newSample(data.X)
	if sizes == nil {
		sizes = slices.Repeat([]int{1}, s.d)
	}
	g := must.Get(newMixer(t.Context(), s, newChannels(s, sizes)))(t)
	m := must.Get(svm.Mix(t.Context(), g.parts, p))(t)
	return g, m
}

// solved reports a gap above twice that of Mix's rule.
func solved(t *testing.T, what string, m svm.Mixed) {
	t.Helper()
	if gap := (m.Value - m.Bound) / m.Value; !(gap <= 2e-5 && gap > -1e-9) {
		t.Errorf("%s: a relative gap of %.2g", what, gap)
	}
}

// TestGMKLOptimal: T at the learned weights, by an independent solver, is the value that Mix certifies; and as T is
// convex, no small change of a weight in its bounds lowers it. For a classification, a regression, groups with and
// without a factor of low rank.
func TestGMKLOptimal(t *testing.T) {
	data := blobs(80, 5, 7)
	real := data
	real.Y = make([]float64, len(data.Y))
	for i := range real.Y {
		real.Y[i] = math.Sin(2*data.X.At(i, 0)) + data.X.At(i, 1)
	}
	for _, c := range []struct {
		sizes   []int
		problem svm.Problem
	}{
		{[]int{1, 1, 1, 1, 1}, svm.Classification(data.Y, 3)},
		{[]int{1, 1, 1, 1, 1}, svm.Regression(real.Y, 0.1, 3)},
		{[]int{2, 3}, svm.Classification(data.Y, 3)},
		{[]int{1, 4}, svm.Regression(real.Y, 0.1, 3)},
	} {
		g, m := mix(t, data, c.sizes, c.problem)
		if !(m.Value-m.Bound <= 2e-5*m.Value && m.Value >= m.Bound) {
			t.Errorf("%v: value %v with bound %v", c.sizes, m.Value, m.Bound)
		}
		at := valueAt(t, g, c.problem, m.Weights)
		must.Near(t, at, m.Value, 2e-5*at, c.sizes)
		for j := range m.Weights {
			for _, change := range []float64{-0.1, -0.01, 0.01, 0.1} {
				moved := append([]float64(nil), m.Weights...)
				moved[j] = max(0, moved[j]+change*(0.1+moved[j]))
				if v := valueAt(t, g, c.problem, moved); v < m.Bound-2e-5*at {
					t.Errorf("%v: weights %v have T=%v, below the bound %v", c.sizes, moved, v, m.Bound)
				}
			}
		}
		if len(c.sizes) == 5 && !(m.Weights[0] > m.Weights[2] && m.Weights[1] > m.Weights[2]) {
			t.Errorf("weights %v; only the first two features matter", m.Weights)
		}
	}
}

// TestGMKLOnPublishedSets: over the grid on real sets, low rank and nearly singular sums at C = 100 included, Mix ends
// within 2e-5 of the optimum; the steps around a solver that it replaces took minutes there.
func TestGMKLOnPublishedSets(t *testing.T) {
	for _, name := range []string{"bupa", "heart", "wine", "pima", "balance", "glass"} {
		t.Run(name, func(t *testing.T) {
			train, _ := fits.Load(t, name, 1)
			for _, c := range []float64{0.01, 0.1, 1, 10, 100} {
				_, m := mix(t, train, nil, svm.Classification(train.Y, c))
				solved(t, fmt.Sprintf("C=%v", c), m)
			}
		})
	}
}

// TestGMKLNearlyEqualRows: features of a few codes and a large cost make Newton's systems singular to rounding, those
// of low rank (splice) and dense ones (australian).
func TestGMKLNearlyEqualRows(t *testing.T) {
	for _, failed := range []struct {
		set         string
		split, fold int
	}{{"splice", 1, 1}, {"australian", 4, 2}} {
		fold := 0
		fits.Of(t, failed.set, uint32(failed.split)).Folds(func(train, _ registry.Data) bool {
			if fold++; fold < failed.fold {
				return true
			}
			_, m := mix(t, train, nil, svm.Classification(train.Y, 100))
			solved(t, failed.set, m)
			return false
		})
	}
}

// TestGMKLUnbalanced: where one class is rare the first steps leave beta's sum far from 0, and no bound may come from
// them. Value is compared with T of the weights, which a plain solver finds.
func TestGMKLUnbalanced(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(5, 40).Draw(rt, "n"), rapid.IntRange(1, 4).Draw(rt, "d")
		data := fits.Waves(rapid.Uint64().Draw(rt, "seed"), n, d)
		for i := 2; i < n; i++ {
			if i%8 != 0 {
				data.Y[i] = -1
			}
		}
		problem := svm.Classification(data.Y, math.Exp(rapid.Float64Range(-4, 4).Draw(rt, "log C")))
		g, m := mix(t, data, nil, problem)
		if at := valueAt(t, g, problem, m.Weights); math.Abs(at-m.Value) > 1e-3*at || m.Bound > at*(1+1e-6) {
			rt.Errorf("value %v with bound %v, T of its weights is %v", m.Value, m.Bound, at)
		}
	})
}

// TestGMKLBlocks: a block has one kernel and a feature outside of blocks its own. Blocks of one feature
// change no bit, and turning the features of a block round its origin changes no score.
func TestGMKLBlocks(t *testing.T) {
	data := blobs(60, 5, 7)
	fit := func(data registry.Data) (*sumMachine, []float64) {
		t.Helper()
		m := must.Get(GMKL().Fit(t.Context(), quiet(), data, []byte(`{"c": 10}`)))(t)
		return m.(*sumMachine), fits.Scores(t, m, data)
	}
	_, plain := fit(data)
	for j := range 5 {
		data.Blocks = append(data.Blocks, registry.Block{Name: "one", From: j, To: j + 1})
	}
	if _, single := fit(data); !slices.Equal(plain, single) {
		t.Error("blocks of one feature change scores")
	}
	data.Blocks = []registry.Block{{Name: "two", From: 0, To: 2}, {Name: "more", From: 3, To: 5}}
	m, scores := fit(data)
	must.Be(t, m.Channels.Sizes, []int{2, 1, 2}, m.Weight)
	must.Be(t, len(m.Weight), 3, m.Weight)
	if right := fits.Correct(t, m, data); right < 54 {
		t.Errorf("%d of 60 training rows are right", right)
	}
	turned := data
	turned.X = mat.DenseCopyOf(data.X)
	for i := range 60 {
		a, b := data.X.At(i, 0), data.X.At(i, 1)
		turned.X.Set(i, 0, 0.6*a-0.8*b)
		turned.X.Set(i, 1, 0.8*a+0.6*b)
	}
	if _, other := fit(turned); !floats.EqualApprox(scores, other, 1e-3) {
		t.Error("turning a block round changes scores")
	}
}

// TestGMKLSizesOfBlocks: more features in a kernel mean a larger rank of it, and a kernel that is kept
// whole where that passes half of the rows.
func TestGMKLSizesOfBlocks(t *testing.T) {
	shape := registry.Shape{Task: registry.Binary, Classes: 2, N: 1000, D: 6}
	for _, c := range []struct {
		blocks     []registry.Block
		sum, whole float64
	}{
		{nil, 120, 0},
		{[]registry.Block{{Name: "a", From: 1, To: 3}}, 4*20 + 90, 0},
		{[]registry.Block{{Name: "a", From: 0, To: 5}}, 20, 1},
	} {
		shape.Blocks = c.blocks
		if sum, whole := ranks(shape, usualRank); sum != c.sum || whole != c.whole {
			t.Errorf("%v: ranks of %v and %v kernels whole, want %v and %v", c.blocks, sum, whole, c.sum, c.whole)
		}
	}
}

// TestGMKLHardCases: regressions on which predictor and corrector alone cycle, then features of a few codes with noisy
// labels, whose rows repeat, in the grid of costs and above. Each found an error before Mix was careful and equal rows
// were merged.
func TestGMKLHardCases(t *testing.T) {
	for _, c := range []struct {
		d    int
		x, y []float64
		c    float64
	}{
		{1, []float64{1.2684502829676407, -1.1757742248820546, -0.09267605808577008},
			[]float64{0.824431270124859, -0.016506381714588292, 0.863660195430763}, 10},
		{1, []float64{-1.9023752717823004, 0.6116798004798175, 0.9533670941001702, 0.025464827830210073,
			0.31186354937177907},
			[]float64{-16.228233108862497, 14.879938602954962, 2.732342969815962, 11.13750332021329, 5.45680239939008},
			100},
	} {
		data := registry.Data{Task: registry.Regression, X: mat.NewDense(len(c.y), c.d, c.x), Y: c.y}
		if _, err := registry.PathFunc[GMKLParams](pathGMKL).One(t.Context(), quiet(), data,
			GMKLParams{C: c.c, Epsilon: 0.1}); err != nil {
			t.Error(err)
		}
	}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 77))
		n, d, levels, logC := 2+rng.IntN(300), 1+rng.IntN(3), 2+rng.IntN(3), rng.IntN(6)-2
		data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
		for i := range n {
			for j := range d {
				data.X.Set(i, j, float64(rng.IntN(levels)))
			}
			data.Y[i] = math.Copysign(1, rng.NormFloat64()+0.5*data.X.At(i, 0)-0.25)
		}
		data.Y[0], data.Y[1] = 1, -1
		if _, err := registry.PathFunc[GMKLParams](pathGMKL).One(t.Context(), quiet(), data,
			GMKLParams{C: math.Pow(10, float64(logC))}); err != nil {
			t.Errorf("seed %d, %d rows of %d features with %d codes: %v", seed, n, d, levels, err)
		}
	}
}

// TestMerge: rows that differ in features or target are kept in their order, and counted.
func TestMerge(t *testing.T) {
	data := registry.Data{Task: registry.Binary, Classes: 2,
		X: mat.NewDense(6, 2, []float64{1, 2, 0, 0, 1, 2, 1, 2, 0, 0, 3, 4}), Y: []float64{1, -1, -1, 1, -1, 1}}
	distinct, times := merge(data)
	want := mat.NewDense(4, 2, []float64{1, 2, 0, 0, 1, 2, 3, 4})
	must.Be(t, mat.Equal(distinct.X, want), true, "rows", distinct.X.RawMatrix().Data)
	must.Be(t, distinct.Y, []float64{1, -1, -1, 1}, "rows", distinct.X.RawMatrix().Data)
	must.Be(t, times, []float64{2, 2, 1, 1}, "rows", distinct.X.RawMatrix().Data)
	// Each row with its own cost has the same minimum.
	all, few := newSample(data.X), newSample(distinct.X)
	var values [2]float64
	for k, s := range []*sample{all, few} {
		g := must.Get(newMixer(t.Context(), s, newChannels(all, []int{1, 1})))(t)
		p := svm.Classification(data.Y, 1)
		if s == few {
			p = svm.Classification(distinct.Y, times...)
		}
		m := must.Get(svm.Mix(t.Context(), g.parts, p))(t)
		values[k] = m.Value
	}
	must.Near(t, values[0], values[1], 2e-5*values[0], "the minimum of all rows is")
}
