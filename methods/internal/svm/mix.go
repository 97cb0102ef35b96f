package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A Mixed is a machine with the kernel K(d) = sum_j d_j K_j, d = Weights.
type Mixed struct {
	Weights []float64
	Beta    []float64
	Bias    float64
	Value   float64 // of the objective that Mix minimises
	Bound   float64 // no weights have a value below this
}

// mixTol is the relative distance between Value and Bound at which Mix is done, mixAccept the one that it
// accepts where rounding ends it.
const (
	mixTol    = 1e-5
	mixAccept = 1e-4
)

// Mix learns the weights of kernels on n examples:
//
//	min over d >= 0, f, b  sum_j d_j + 1/2 |f|^2 + sum_i loss_i(f(x_i) + b),
//
// f in the space of K(d), and the losses those of p: C_i times hinge or epsilon-insensitive loss. The dual is
// max over beta of target'beta - epsilon |beta|_1 under p's bounds and 1/2 beta'K_j beta <= 1 for all j, whose multipliers
// are the weights (Varma and Babu, ICML 2009, eqs. 8 and 9, with d minimised out). Mix follows the central path of both,
// and stops when their values differ by 1e-5 of them: no choice of weights is better by more. Where that way ends
// at more than 1e-4, by rounding (hundreds of equal examples) or in a cycle, it is tried again with care; then it is an error.
func Mix(ctx context.Context, parts []Part, p Problem) (Mixed, error) {
	n := len(p.Target)
	if err := p.check(n); err != nil {
		return Mixed{}, err
	}
	var room scratch
	gap := math.Inf(1)
	for _, careful := range []bool{false, true} {
		room.reset()
		in := newInterior(p, newMixture(n, parts, true, &room), 0.5, &room)
		if in.oneSided() {
			return fixed(p, len(parts)), nil
		}
		if careful {
			in.beCareful(&room)
		}
		best, relative, err := in.mixUntil(ctx, p)
		if err != nil || relative <= mixAccept {
			return best, err
		}
		gap = min(gap, relative)
	}
	return Mixed{}, fmt.Errorf("svm: the search for kernel weights ends at a relative gap of %.2g, above %.0g: scale the data, or lower C", gap, mixAccept)
}

// mixUntil follows the path until the relative gap is mixTol, or as far as it goes, and returns the best machine
// and its gap.
func (in *interior) mixUntil(ctx context.Context, p Problem) (best Mixed, relative float64, err error) {
	if err := in.center(ctx); err != nil {
		return Mixed{}, 0, err
	}
	least := math.Inf(1)
	scale := func(m Mixed) float64 { return max(math.Abs(m.Value), 1e-6*in.largest) }
	err = in.run(ctx, mixSteps, func(_, _ float64) bool {
		m := in.mixed(p)
		if m.Value-m.Bound < least {
			best, least = m, m.Value-m.Bound
		}
		return least <= mixTol*scale(best)
	})
	return best, least / scale(best), err
}

// oneSided reports whether beta = 0 is the only point with sum 0, as with a single class.
func (in *interior) oneSided() bool {
	return !slices.Contains(in.s, 1) || !slices.Contains(in.s, -1)
}

// fixed is the machine of beta = 0 for a problem with r kernels.
func fixed(p Problem, r int) Mixed {
	var sol Solution
	sol.prepare(p)
	sol.finish(p)
	m := Mixed{Weights: make([]float64, r), Beta: sol.Beta, Bias: sol.Bias}
	for i := range p.Target {
		m.Value += loss(p, i, m.Bias)
	}
	m.Bound = m.Value
	return m
}

// center shortens the start until it is well inside 1/2 beta'K_j beta <= 1.
func (in *interior) center(ctx context.Context) error {
	in.fold(in.beta, in.z)
	if err := in.mix.evaluate(ctx, in.bias, in.beta); err != nil {
		return err
	}
	norm := 0.0
	for j := range in.mix.d {
		norm = max(norm, 1-in.mix.short[j]-in.mix.w[j])
	}
	if norm > 0.5 {
		for k := range in.z {
			in.z[k] *= math.Sqrt(0.5 / norm)
		}
	}
	return nil
}

// mixed returns the machine at the current point, less the kernels whose weight is smaller than its multiplier, with its value and
// the bound from the nearest feasible dual point.
func (in *interior) mixed(p Problem) Mixed {
	m := Mixed{Weights: append([]float64(nil), in.mix.d...), Beta: append([]float64(nil), in.beta...), Bias: -in.y}
	fit, norm := append([]float64(nil), in.bias...), 0.0
	for j, d := range m.Weights {
		if d < in.mix.w[j] {
			vmath.Axpy(-d, in.mix.k[j], fit)
			m.Weights[j] = 0
		}
		m.Value += m.Weights[j]
		norm = max(norm, 1-in.mix.short[j]-in.mix.w[j]) // 1/2 beta'K_j beta
	}
	dual, sum, size := 0.0, 0.0, 0.0
	for i, b := range m.Beta {
		sum, size = sum+b, size+math.Abs(b)
		dual += float64(p.Target[i]*b) - float64(p.Epsilon*math.Abs(b))
		m.Value += loss(p, i, fit[i]+m.Bias)
	}
	m.Value += 0.5 * vmath.Dot(m.Beta, fit)
	m.Bound = math.Inf(-1)
	if math.Abs(sum) <= 1e-9*size { // early iterates do not sum to 0 yet, and bound nothing
		m.Bound = dual / math.Sqrt(max(1, norm))
	}
	return m
}

// loss is p's loss of value f at example i.
func loss(p Problem, i int, f float64) float64 {
	off := p.Target[i] - f
	return max(0, p.Upper[i]*(off-p.Epsilon), p.Lower[i]*(off+p.Epsilon))
}
