package gbrff

import (
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// landmarkIterations is the number of iterations after which the published program of 2020 stops the search for a
// landmark. We use the same number for the method of 2019, whose paper says only that the search is a gradient descent.
const landmarkIterations = 10

// A learner searches GBRFF1's weak learner sum_j q_j cos(omega_j.(l - x)) for residuals r, K frequencies omega_j given:
//
//	landmark  min over l in R^d of  mean exp(-r_i (1/K) sum_j cos(omega_j.(l - x_i)))
//	weights   q_j proportional to exp(-beta sqrt(n) mean exp(-r_i cos(omega_j.(l - x_i))))
//
// with the gradient mean r_i exp(..) (1/K) sum_j sin(omega_j.(l - x_i)) omega_j in the
// landmark (the paper prints a product of two sums over j instead).
//
// The landmark is found by L-BFGS from the origin. With z_ij = omega_j.x_i and u_j = omega_j.l, cos(u_j - z_ij) = cos
// u_j cos z_ij + sin u_j sin z_ij. The sines and cosines of z are computed once a round, and both the learner and the
// gradient are linear in them. They do not depend on the residuals, so grid points with the same frequencies share
// them.
type learner struct {
	x        *vmath.Packed
	r        []float64
	omega    []float64     // K x d
	trig     *vmath.Packed // n x 2K: cos z_ij, then sin z_ij
	landmark []float64     // d
	u        []float64     // K
	slopes   []float64     // K: the loss's derivatives in u_j
	mixture  []float64     // 2K: the weak learner as a combination of trig's columns
	h        []float64     // n
	optimum  solve.LBFGS
	loss     solve.Objective
}

func newLearner(x *vmath.Packed, k int) *learner {
	b := &learner{
		x:        x,
		landmark: make([]float64, x.Cols()),
		u:        make([]float64, k), slopes: make([]float64, k), mixture: make([]float64, 2*k),
		h:       make([]float64, x.Rows()),
		optimum: solve.LBFGS{MaxIter: landmarkIterations},
	}
	b.loss = b.landmarkLoss
	return b
}

// setFrequencies starts a round with the K x d frequencies omega.
func (b *learner) setFrequencies(omega []float64) {
	b.omega = omega
	b.trig = b.x.Trig(b.trig, omega, len(b.u))
}

// findLandmark sets the landmark for the residuals r and returns the phases u_j:
// cos(omega_j.(l - x)) = cos(omega_j.x - u_j).
func (b *learner) findLandmark(r []float64) []float64 {
	b.r = r
	clear(b.landmark)
	b.optimum.Minimize(b.landmark, b.loss)
	b.turnTo(b.landmark)
	return b.u
}

// turnTo computes u_j = omega_j.l.
func (b *learner) turnTo(l []float64) { vmath.MatVec(b.u, b.omega, len(b.u), len(l), l) }

// landmarkLoss applies the chain rule to u = omega l: the gradient in l is
// sum_j (slope in u_j) omega_j.
func (b *learner) landmarkLoss(l, gradient []float64) float64 {
	b.turnTo(l)
	loss := b.trig.LandmarkLoss(b.u, b.r, b.slopes)
	vmath.MatTVec(gradient, b.omega, len(b.u), len(l), b.slopes)
	return loss
}

// weigh writes the K feature weights to q; factor is beta sqrt(n).
func (b *learner) weigh(q []float64, factor float64) {
	b.trig.PairLosses(b.u, b.r, q)
	floats.Scale(-factor, q)
	vmath.Softmax(q, q)
}

// values returns the weak learner on the training set, valid until the next search.
func (b *learner) values(q []float64) []float64 {
	cos, sin := b.mixture[:len(q)], b.mixture[len(q):]
	vmath.SinCos(sin, cos, b.u)
	floats.Mul(cos, q)
	floats.Mul(sin, q)
	b.trig.MatVec(b.h, b.mixture)
	return b.h
}
