package rffsvm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// newGFCStepOn returns the objective on data after one greedy step at a fixed frequency, so that
// the fit is not constant.
func newGFCStepOn(data registry.Data, rng *rand.Rand) *gfcStep {
	n, d := data.X.Dims()
	r := newGFCStep(vmath.Pack(fitting.Rows(data.X), n, d), data.Y)
	theta := make([]float64, d+1)
	for j := range theta {
		theta[j] = rng.NormFloat64()
	}
	r.advance(theta)
	return r
}

// TestRidge compares the objective with ridge regression by its normal equations, and
// the gradient with central differences.
func TestRidge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(5, 60).Draw(rt, "n"), rapid.IntRange(1, 5).Draw(rt, "d")
		seed := rapid.Uint64().Draw(rt, "seed")
		data, rng := fits.Waves(seed, n, d), rand.New(rand.NewPCG(seed, 3))
		r := newGFCStepOn(data, rng)
		theta := make([]float64, d+1)
		for j := range theta {
			theta[j] = rng.NormFloat64()
		}
		theta[d] = rapid.Float64Range(0.1, 2).Draw(rt, "rho")
		if loss, want := r.loss(theta, make([]float64, d+1)),
			directLoss(r.fit, data, theta); math.Abs(loss-want) > 1e-9*(1+want) {
			rt.Fatalf("objective %v, by the normal equations %v", loss, want)
		}
		fits.Gradient(rt, "objective", r.loss, theta, 1e-6)
	})
}

func directLoss(fit []float64, data registry.Data, theta []float64) float64 {
	n, d := data.X.Dims()
	phi := mat.NewDense(n, 3, nil)
	for i := range n {
		z := floats.Dot(data.X.RawRowView(i), theta[:d])
		phi.SetRow(i, []float64{fit[i], math.Sin(z), math.Cos(z)})
	}
	y := mat.NewVecDense(n, data.Y)
	var k mat.Dense
	k.Mul(phi.T(), phi)
	k.Scale(1/float64(n), &k)
	for j := range 3 {
		k.Set(j, j, k.At(j, j)+theta[d]*theta[d]+1e-10)
	}
	var right, a, u mat.VecDense
	right.MulVec(phi.T(), y)
	right.ScaleVec(1/float64(n), &right)
	if err := a.SolveVec(&k, &right); err != nil {
		panic(err)
	}
	u.MulVec(phi, &a)
	u.SubVec(&u, y)
	return mat.Dot(&u, &u) / float64(n)
}

// TestStepsLowerTheError: a fit can be kept by any step with a small ridge parameter, so
// the squared error of the fits falls, up to the shrinking that the ridge causes.
func TestStepsLowerTheError(t *testing.T) {
	data := fits.Waves(5, 300, 6)
	n, d := data.X.Dims()
	r := newGFCStep(vmath.Pack(fitting.Rows(data.X), n, d), data.Y)
	omega := must.Get(learnFrequencies(t.Context(), registry.Env{Seed: 1}, data, 20))(t)
	before := math.Inf(1)
	theta := make([]float64, d+1)
	for j := range 20 {
		copy(theta, omega.RawRowView(j))
		theta[d] = 0
		r.advance(theta)
		sum := 0.0
		for i, f := range r.fit {
			sum += (f - data.Y[i]) * (f - data.Y[i]) / float64(n)
		}
		if sum > before*(1+1e-9) {
			t.Errorf("step %d raises the squared error from %v to %v", j, before, sum)
		}
		before = sum
	}
	if before > 0.5 {
		t.Errorf("after 20 steps the squared error is %v", before)
	}
}
