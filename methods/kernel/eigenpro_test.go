package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestEigenProEqualsThePublishedPrograms compares scores with testdata/eigenpro.json, which testdata/eigenpro.py wrote
// with the programs of EigenPro 2 and EigenPro 3 in double precision. The tolerance is 1e-6 of the largest score.
func TestEigenProEqualsThePublishedPrograms(t *testing.T) {
	type iterated struct {
		fits.Problem
		Landmarks, Sample, Q, Batch, Epochs int
		Gamma, Step                         float64
	}
	fits.Each(t, "testdata/eigenpro.json", 16, func(t *testing.T, c *iterated) {
		e := must.Get(newDescent(t.Context(), c.X, c.D, c.Landmarks, c.Gamma, c.Targets()))(t)
		k := make([]float64, c.Sample*c.Sample)
		must.Do(t, square(t.Context(), k, e.cover.zs[:c.Sample*c.D], e.cover.zSquares[:c.Sample], c.D))
		values, vectors := must.Get2(largestEigen(t.Context(), k, c.Sample, c.Q+20, 60))(t)
		e.prepare(values[:c.Q-1], vectors[:(c.Q-1)*c.Sample], values[c.Q-1])
		e.batch, e.step = c.Batch, c.Step
		for range c.Epochs {
			must.Do(t, e.epoch(t.Context()))
		}
		c.Equal(t, scoresAt(t, e, c.Rows), 1e-6)
	})
}

// scoresAt scores rows with the coefficients of a descent.
func scoresAt(t *testing.T, e *descent, rows []float64) []float64 {
	t.Helper()
	m, n := e.cover.machineOf(len(e.ys)), len(rows)/e.cover.d
	m.Coef, m.Bias = e.coef, make([]float64, len(e.ys))
	out := make([]float64, n*len(e.ys))
	must.Do(t, m.Score(t.Context(), mat.NewDense(n, e.cover.d, rows), out))
	return out
}

// TestEigenProGoesToTheMinimum: with many epochs the scores become those of the minimum that EigenPro states, here by
// gonum's QR. If all rows are landmarks, this is the interpolation of the targets, whatever the batches. Otherwise it
// is the least-squares solution, if a batch has all rows.
func TestEigenProGoesToTheMinimum(t *testing.T) {
	const n, d, gamma = 160, 4, 1.0
	for _, task := range []registry.Task{registry.Regression, registry.Multiclass} {
		train := toydata.Easy(task, n, d, 7)
		other := toydata.Easy(task, 50, d, 8).X.RawMatrix().Data
		ys, _ := fitting.Targets(train)
		for _, m := range []int{n, 30} {
			e := must.Get(newDescent(t.Context(), train.X.RawMatrix().Data, d, m, gamma, ys))(t)
			must.Do(t, e.precondition(t.Context()))
			if m < n { // all rows in a batch, and a step that is as much smaller
				e.batch, e.step = n, e.step*float64(e.batch)/n
			}
			for range 6000 {
				must.Do(t, e.epoch(t.Context()))
			}
			among := func(rows []float64) *mat.Dense {
				scaled, squares := scaleRows(rows, d, e.cover.gamma)
				k := make([]float64, len(squares)*m)
				gaussian(k, scaled, squares, e.cover.zs, e.cover.zSquares, d)
				return mat.NewDense(len(squares), m, k)
			}
			right := mat.NewDense(n, len(ys), nil)
			for j, y := range ys {
				right.SetCol(j, y)
			}
			var alpha, want mat.Dense
			must.Do(t, alpha.Solve(among(train.X.RawMatrix().Data), right))
			want.Mul(among(other), &alpha)
			worst, most := 0.0, 0.0
			for i, v := range scoresAt(t, e, other) {
				worst, most = max(worst, math.Abs(v-want.At(i/len(ys), i%len(ys)))), max(most, math.Abs(v))
			}
			t.Logf("%v with %d landmarks: off by %.2g of %.2g", task, m, worst, most)
			if !(worst <= 1e-6) || most < 0.5 {
				t.Errorf("%v with %d landmarks: the scores differ by %v", task, m, worst)
			}
		}
	}
}

// TestEigenProLowersTheLargestEigenvalues: the preconditioner leaves K_ss / s no eigenvalue above tau, by gonum's
// decomposition. tau is 2/s, although for gamma = 0.0125 the eigenvalues have a gap there: they fall from 2.8/s to
// 0.4/s.
func TestEigenProLowersTheLargestEigenvalues(t *testing.T) {
	const s, d = 300, 20
	x := make([]float64, s*d)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for _, gamma := range []float64{0.003, 0.0125, 0.05, 0.2} {
		e := must.Get(newDescent(t.Context(), x, d, s, gamma, [][]float64{make([]float64, s)}))(t)
		must.Do(t, e.precondition(t.Context()))
		k := mat.NewDense(s, s, nil)
		must.Do(t, square(t.Context(), k.RawMatrix().Data, e.cover.zs, e.cover.zSquares, d))
		left := mat.DenseCopyOf(k)
		for i, share := range e.shrink {
			v := mat.NewVecDense(s, e.vectors[i*s:(i+1)*s])
			var kv mat.VecDense
			kv.MulVec(k, v)
			left.RankOne(left, -share, &kv, &kv)
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(s, left.RawMatrix().Data), false) {
			t.Fatal("gonum finds no eigenvalues")
		}
		largest, tau := eigen.Values(nil)[s-1]/s, (1/e.step-1)/float64(e.batch-1)
		if !(largest <= tau*(1+1e-6)) || math.Abs(s*tau-2) > 1e-9 {
			t.Errorf("gamma %g: %d vectors leave the eigenvalue %g, tau is %g", gamma, len(e.shrink), largest, tau)
		}
		t.Logf("gamma %g: %d vectors, batches of %d", gamma, len(e.shrink), e.batch)
	}
}

// TestLargestEigen compares with gonum's decomposition. Products of an eigenvector with K are lambda times it, within
// the rounding of the largest eigenvalue.
func TestLargestEigen(t *testing.T) {
	const s, r = 150, 12
	x := toydata.Easy(registry.Regression, s, 3, 4).X.RawMatrix().Data
	for i := range 20 { // rows that are equal give K's rows no directions of their own
		copy(x[6*i:6*i+3], x[:3])
	}
	scaled, squares := scaleRows(x, 3, []float64{0.3, 0.3, 0.3})
	k := make([]float64, s*s)
	must.Do(t, square(t.Context(), k, scaled, squares, 3))
	var exact mat.EigenSym
	if !exact.Factorize(mat.NewSymDense(s, k), false) {
		t.Fatal("gonum finds no eigenvalues")
	}
	all := exact.Values(nil)
	values, vectors := must.Get2(largestEigen(t.Context(), k, s, r+20, 40))(t)
	for i := range r {
		if want := all[s-1-i]; !(math.Abs(values[i]-want) <= 1e-12*all[s-1]) {
			t.Errorf("eigenvalue %d is %v, and gonum's is %v", i, values[i], want)
		}
		v := mat.NewVecDense(s, vectors[i*s:(i+1)*s])
		var product mat.VecDense
		product.MulVec(mat.NewDense(s, s, k), v)
		product.AddScaledVec(&product, -values[i], v)
		if off := mat.Norm(&product, math.Inf(1)); off > 1e-9*values[0] || math.Abs(mat.Norm(v, 2)-1) > 1e-12 {
			t.Errorf("vector %d: K v differs from lambda v by %v, its length is %v", i, off, mat.Norm(v, 2))
		}
	}
}

// TestEigenProIsStable: for no coefficient of the kernel do the residuals grow, whether the kernel is almost constant
// or almost the identity, and whether rows are equal. After ten epochs the squared residuals are at most a tenth above
// those of f = 0: an almost constant function follows the mean of the last batch.
func TestEigenProIsStable(t *testing.T) {
	for _, landmarks := range []int{100, 700} {
		for _, gamma := range []float64{1e-6, 1e-3, 0.03, 1, 100} {
			train := toydata.Easy(registry.Regression, 700, 5, 3)
			for i := range 200 { // equal rows
				copy(train.X.RawRowView(i), train.X.RawRowView(0))
			}
			_, f := fitted(t, EigenPro(), 2, train, `{"landmarks":%d,"gamma":%g,"epochs":10}`, landmarks, gamma)
			centred, mean := fitting.Centred(train.Y)
			rest, all := 0.0, 0.0
			for i, v := range f {
				rest += (v - mean - centred[i]) * (v - mean - centred[i])
				all += centred[i] * centred[i]
			}
			if !(rest < 1.1*all) {
				t.Errorf("%d landmarks, gamma %g: the squared residuals are %v, of f = 0 they are %v", landmarks, gamma,
					rest, all)
			}
		}
	}
}
