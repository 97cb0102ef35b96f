package svm

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// Multiple kernel learning.
//
// Problem: the weights of kernels K_1 .. K_r on n examples, and the machine with their sum,
//
//	min over d >= 0, f, b  sum_j d_j + 1/2 |f|^2 + sum_i loss_i(f(x_i) + b),
//
// with f in the space of K(d) = sum_j d_j K_j. The losses are those of a Problem: C_i times hinge or
// epsilon-insensitive loss (Varma and Babu, ICML 2009, eqs. 8 and 9). In the dual problem, d is eliminated,
//
//	max over beta  target'beta - epsilon |beta|_1   subject to  1/2 beta'K_j beta <= 1 for all j,
//	sum beta = 0,  lower <= beta <= upper,
//
// and the weights are the multipliers of its constraints on the kernels.
//
// Algorithm: the interior point of interior.go and mixture.go. It can end with a relative gap above MixAccept, because
// of rounding (hundreds of equal examples) or in a cycle. Then Mix tries a careful path (see beCareful), and returns
// the better one of both machines.
//
// Stopping rule: the values of primal and dual differ by at most the share mixTol of the value. So no choice of weights
// is better by more. The method also stops where rounding leaves no step; Gap then says how much better another choice
// may be.

// A Mixed is a machine with the kernel K(d) = sum_j d_j K_j, d = Weights.
type Mixed struct {
	Weights []float64
	Beta    []float64
	Bias    float64
	Value   float64 // of the primal
	Bound   float64 // of the dual: no weights have a value below this
	Gap     float64 // Value less Bound, as a share of Value
}

const (
	// mixTol is the relative gap at which Mix is done.
	mixTol = 1e-5
	// MixAccept is the Gap up to which a path that rounding ends counts as solved.
	MixAccept = 1e-4
	// mixSteps bounds the Newton steps. 14,000 rows take up to 150 steps, since the path starts near the lower bounds.
	mixSteps = 400
)

// Mix learns the weights of kernels with the losses of p.
func Mix(ctx context.Context, parts Parts, p Problem) (Mixed, error) {
	n := len(p.Target)
	if err := p.check(n); err != nil {
		return Mixed{}, err
	}
	var room scratch
	best := fixed(p, len(parts.Ranks))
	for _, careful := range []bool{false, true} {
		room.reset()
		in := newInterior(p, newMixture(n, parts, true, &room), &room)
		if in.oneSided() {
			best.Bound, best.Gap = best.Value, 0
			return best, nil
		}
		if careful {
			in.beCareful(&room)
		}
		m, err := in.mixUntil(ctx, p)
		if err != nil {
			return Mixed{}, err
		}
		if m.Gap < best.Gap {
			best = m
		}
		if best.Gap <= MixAccept {
			break
		}
	}
	return best, nil
}

// mixUntil follows the central path until the relative gap is mixTol or rounding stops the path. It returns the machine
// with the least gap.
func (in *interior) mixUntil(ctx context.Context, p Problem) (best Mixed, err error) {
	if err := in.center(ctx); err != nil {
		return Mixed{}, err
	}
	least := math.Inf(1)
	best.Gap = least
	err = in.run(ctx, mixSteps, func(_, _ float64) bool {
		if m := in.mixed(p); m.Value-m.Bound < least {
			best, least = m, m.Value-m.Bound
			best.Gap = least / max(math.Abs(m.Value), 1e-6*in.largest)
		}
		return best.Gap <= mixTol
	})
	return best, err
}

// oneSided reports whether beta = 0 is the only point with sum 0, as with a single class.
func (in *interior) oneSided() bool {
	return !slices.Contains(in.s, 1) || !slices.Contains(in.s, -1)
}

// fixed is the machine of beta = 0 for a problem with r kernels. Its bound is that of beta = 0, too.
func fixed(p Problem, r int) Mixed {
	var sol Solution
	sol.prepare(p)
	sol.finish(p)
	m := Mixed{Weights: make([]float64, r), Beta: sol.Beta, Bias: sol.Bias}
	for i := range p.Target {
		m.Value += loss(p, i, m.Bias)
	}
	m.Gap = 1
	return m
}

// center shortens the first z until beta is well inside the constraints 1/2 beta'K_j beta <= 1.
func (in *interior) center(ctx context.Context) error {
	in.fold(in.beta, in.z)
	if err := in.mix.evaluate(ctx, in.fit, in.beta); err != nil {
		return err
	}
	norm := 0.0
	for j := range in.mix.d {
		norm = max(norm, 1-in.mix.residual[j]-in.mix.w[j])
	}
	if norm > 0.5 {
		for k := range in.z {
			in.z[k] *= math.Sqrt(0.5 / norm)
		}
	}
	return nil
}

// mixed returns the machine at the current point. Kernels whose weight is smaller than the slack of their constraint
// get the weight 0. Value is that of the machine. Bound is the dual value of beta, scaled to satisfy the constraints on
// the kernels.
func (in *interior) mixed(p Problem) Mixed {
	m := Mixed{Weights: slices.Clone(in.mix.d), Beta: slices.Clone(in.beta), Bias: -in.y}
	fit, norm := slices.Clone(in.fit), 0.0
	for j, d := range m.Weights {
		if d < in.mix.w[j] {
			vmath.Axpy(-d, in.mix.k[j], fit)
			m.Weights[j] = 0
		}
		m.Value += m.Weights[j]
		norm = max(norm, 1-in.mix.residual[j]-in.mix.w[j]) // 1/2 beta'K_j beta
	}
	dual, sum, size := 0.0, 0.0, 0.0
	for i, b := range m.Beta {
		sum, size = sum+b, size+math.Abs(b)
		dual += float64(p.Target[i]*b) - float64(p.Epsilon*math.Abs(b))
		m.Value += loss(p, i, fit[i]+m.Bias)
	}
	m.Value += 0.5 * vmath.Dot(m.Beta, fit)
	m.Bound = math.Inf(-1)
	if math.Abs(sum) <= 1e-9*size { // while the sum of beta is not yet 0, the dual value is no bound
		m.Bound = dual / math.Sqrt(max(1, norm))
	}
	return m
}

// loss is p's loss of value f at example i.
func loss(p Problem, i int, f float64) float64 {
	off := p.Target[i] - f
	return max(0, p.Upper[i]*(off-p.Epsilon), p.Lower[i]*(off+p.Epsilon))
}
