package gbrff

import (
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
)

// maxResidual bounds |r_i|. The losses of weak learners are of order exp(|r_i|), and the squares of their gradients
// must not overflow. A weight is at most n (see reweigh). It reaches maxResidual only for a wrong row with |H| > 5.7.
const maxResidual = 300

var errNotANumber = errors.New("the weak learner is not a number on the training set: standardise the features")

// A state holds the vote on the training set, and what follows from it, after some rounds.
type state struct {
	y        []float64 // labels
	h0       float64   // initial vote H^0
	score    []float64 // H(x_i)
	weight   []float64 // w_i = exp(-y_i H(x_i))
	residual []float64 // r_i = y_i w_i, cut to [-maxResidual, maxResidual]
	total    float64   // sum w
}

// newState starts at the constant that minimises the exponential loss (eq. 6).
func newState(y []float64) *state {
	n := len(y)
	m := vmath.Sum(y) / float64(n)
	v := &state{
		y: y, h0: 0.5 * vmath.LogScalar((1+m)/(1-m)),
		score: make([]float64, n), weight: make([]float64, n), residual: make([]float64, n),
	}
	floats.AddConst(v.h0, v.score)
	v.reweigh(y, 0)
	return v
}

// reweigh adds alpha h to the scores and computes weights and residuals from them. In exact arithmetic a round never
// raises sum w, so that w_i <= n always. So the exponential cannot overflow; it can only become zero.
func (v *state) reweigh(h []float64, alpha float64) {
	v.total = vmath.Reweight(v.score, v.weight, v.residual, v.y, h, alpha)
	if v.total > maxResidual {
		for i, r := range v.residual {
			v.residual[i] = max(-maxResidual, min(maxResidual, r))
		}
	}
}

// add gives the weak learner with values h on the training set its step size and
// adds it to the vote. It returns the step size.
func (v *state) add(h []float64) (float64, error) {
	alpha := v.stepSize(h)
	if math.IsNaN(alpha) {
		return 0, errNotANumber
	}
	v.reweigh(h, alpha)
	return alpha, nil
}

// stepSize minimises the upper bound of the exponential loss along h:
//
//	alpha = 1/2 ln( sum (1 + y_i h_i) w_i / sum (1 - y_i h_i) w_i )
//
// A weak learner without error would make the lower sum zero and alpha infinite. Both sums have a rounding error of
// about 2^-52 of sum w. So each sum is taken to be at least this large, and |alpha| <= 18.4. When all weights have
// underflowed to zero, alpha is 0. (In both cases the published program continues with infinities and then with NaN.)
func (v *state) stepSize(h []float64) float64 {
	if v.total == 0 {
		return 0
	}
	right, wrong := vmath.MarginSums(v.y, h, v.weight)
	least := 0x1p-52 * v.total
	return 0.5 * vmath.LogScalar(max(right, least)/max(wrong, least))
}

// draw returns count normals with mean 0 and variance 2 gamma: the frequencies of
// the random Fourier features of the Gaussian kernel exp(-gamma ||x-x'||^2).
func draw(draws *rng.RandomState, count int, gamma float64) []float64 {
	omega := make([]float64, count)
	draws.Norms(omega)
	floats.Scale(math.Sqrt(2*gamma), omega)
	return omega
}

// coefficient returns the kernel coefficient for the parameter gamma: gamma 0 means 1/d.
func coefficient(gamma float64, d int) float64 {
	if gamma == 0 {
		return 1 / float64(d)
	}
	return gamma
}
