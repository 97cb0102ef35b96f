package gbrff

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/lbfgs"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// Params1 holds GBRFF1's parameters.
type Params1 struct {
	T     int     `json:"t"`     // rounds
	K     int     `json:"k"`     // random features of a round
	Gamma float64 `json:"gamma"` // of the Gaussian kernel exp(-gamma ||x-x'||^2); 0 means 1/d
	Beta  float64 `json:"beta"`  // how sharply the better features are preferred; 0 weighs all alike
}

// Validate reports parameters outside t >= 1, k >= 1, gamma >= 0, beta >= 0.
func (p Params1) Validate() error {
	if p.T < 1 {
		return fmt.Errorf("t is %d: at least one round is needed", p.T)
	}
	if p.K < 1 {
		return fmt.Errorf("k is %d: at least one random feature a round is needed", p.K)
	}
	return nonNegative("gamma", p.Gamma, "beta", p.Beta)
}

// GBRFF1 declares Algorithm 2 of the paper with the grid of its experiments.
func GBRFF1() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "GBRFF1", Version: "1", Tasks: registry.Binary,
		Source:  "Gautheron et al., ECML PKDD 2020, Algorithm 2",
		Summary: "boosted sums of weighted random Fourier features at learned landmarks",
	}, Params1{T: 100, K: 10, Beta: 1}, registry.Grid{
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
		{Name: "beta", Values: registry.Powers(10, -2, 2)},
	}, fit1,
		registry.Memory(memory1), registry.Cost(cost1), registry.Load[Params1](load))
}

// memory1 counts the packed rows, the cosines and sines, and the values of the bundle
// besides the model.
func memory1(s registry.Shape, p Params1) int64 {
	return memory(s, p.T, p.K) + int64(vmath.PackedBytes(s.N, s.D)+vmath.PackedBytes(s.N, 2*p.K)) + 8*int64(s.N)
}

// cost1 was fitted to wine, pima, german and spambase (n to 3217, d to 57): a round is
// about 13 passes over the cosines and sines.
func cost1(s registry.Shape, p Params1) float64 {
	k := float64(p.K)
	return float64(p.T) * (3000 + float64(s.N)*(20+k*(7+0.03*float64(s.D))))
}

const landmarkIterations = 10

// fit1 is Algorithm 2. The published program stops the search for the landmark
// after ten L-BFGS iterations from the origin, and so does this one.
func fit1(ctx context.Context, env registry.Env, train registry.Data, p Params1) (registry.Model, error) {
	if err := check(train); err != nil {
		return nil, fmt.Errorf("GBRFF1: %w", err)
	}
	x := rowsOf(train.X)
	omegas := draw(env.Rand(), p.T*p.K*x.d, bandwidth(p.Gamma, x.d)) // line 5 of every round
	v := newVote(train.Y)                                            // lines 1, 3 and 4
	m := newEnsemble(x.d, p.T, p.K, v.h0, omegas)
	b := newBundle(x.pack(), v.residual, p.K, p.Beta)
	for t := range p.T { // line 2
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.setFrequencies(m.round(t))                // line 5
		copy(m.phases(t), b.findLandmark())         // line 6
		b.weigh(m.weights(t))                       // line 7
		alpha, err := v.add(b.values(m.weights(t))) // lines 8 and 9; 3 and 4 of the next round
		if err != nil {
			return nil, fmt.Errorf("GBRFF1, round %d: %w", t+1, err)
		}
		m.Alpha[t] = alpha
	}
	return m, nil
}

// A bundle searches the weak learner sum_j q_j cos(omega_j.(l - x)) for the
// residuals r, K frequencies omega_j given:
//
//	landmark  min over l in R^d of  mean exp(-r_i (1/K) sum_j cos(omega_j.(l - x_i)))
//	weights   q_j proportional to exp(-beta sqrt(n) mean exp(-r_i cos(omega_j.(l - x_i))))
//
// The landmark is found by L-BFGS from the origin with the gradient
//
//	mean r_i exp(..) (1/K) sum_j sin(omega_j.(l - x_i)) omega_j
//
// (the paper prints a product of two sums over j instead). With z_ij = omega_j.x_i
// and u_j = omega_j.l, cos(u_j - z_ij) = cos u_j cos z_ij + sin u_j sin z_ij: sines
// and cosines of z are computed once a round, and both the learner and the gradient
// are linear in them.
type bundle struct {
	x        *vmath.Packed
	r        []float64
	beta     float64
	omega    []float64     // K x d
	trig     *vmath.Packed // n x 2K: cos z_ij, then sin z_ij
	landmark []float64     // d
	u        []float64     // K
	slopes   []float64     // K: the loss's derivatives in u_j
	mixture  []float64     // 2K: the weak learner as a combination of trig's columns
	h        []float64     // n
	optimum  lbfgs.Minimizer
	loss     lbfgs.Objective
}

func newBundle(x *vmath.Packed, r []float64, k int, beta float64) *bundle {
	b := &bundle{
		x: x, r: r, beta: beta,
		landmark: make([]float64, x.Cols()),
		u:        make([]float64, k), slopes: make([]float64, k), mixture: make([]float64, 2*k),
		h:       make([]float64, x.Rows()),
		optimum: lbfgs.Minimizer{MaxIter: landmarkIterations},
	}
	b.loss = b.landmarkLoss
	return b
}

// setFrequencies starts a round with the K x d frequencies omega.
func (b *bundle) setFrequencies(omega []float64) {
	b.omega = omega
	b.trig = b.x.Trig(b.trig, omega, len(b.u))
}

// findLandmark sets the landmark, starting from the origin, and returns the phases
// u_j: cos(omega_j.(l - x)) = cos(omega_j.x - u_j).
func (b *bundle) findLandmark() []float64 {
	clear(b.landmark)
	b.optimum.Minimize(b.landmark, b.loss)
	b.turnTo(b.landmark)
	return b.u
}

// turnTo computes u_j = omega_j.l.
func (b *bundle) turnTo(l []float64) { vmath.MatVec(b.u, b.omega, len(b.u), len(l), l) }

func (b *bundle) landmarkLoss(l, gradient []float64) float64 {
	b.turnTo(l)
	loss := b.trig.LandmarkLoss(b.u, b.r, nil, b.slopes)
	vmath.MatTVec(gradient, b.omega, len(b.u), len(l), b.slopes)
	return loss
}

// weigh writes the K feature weights of eq. (10) to q.
func (b *bundle) weigh(q []float64) {
	b.trig.PairLosses(b.u, b.r, q)
	floats.Scale(-b.beta*math.Sqrt(float64(b.x.Rows())), q)
	floats.AddConst(-floats.LogSumExp(q), q)
	vmath.Exp(q, q)
}

// values returns the weak learner on the training set, valid until the next search.
func (b *bundle) values(q []float64) []float64 {
	cos, sin := b.mixture[:len(q)], b.mixture[len(q):]
	vmath.SinCos(sin, cos, b.u)
	floats.Mul(cos, q)
	floats.Mul(sin, q)
	b.trig.MatVec(b.h, b.mixture)
	return b.h
}
