package kernel

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/lbfgs"
	"github.com/kernelboosting/bench/methods/internal/vector"
	"gonum.org/v1/gonum/floats"
)

// A bandwidthSearch moves theta by at most so many steps to a smaller leave-one-out error for the targets y, and returns the bandwidths and the
// coefficients of ridge regression with them.
type bandwidthSearch interface {
	find(theta, y []float64, steps int) (gamma, alpha []float64, err error)
}

// newSearch returns the search for n rows: with the exact error to exactRows, checked by it to checkedRows, checked by a factor of twice the rank beyond.
func newSearch(ctx context.Context, x []float64, d int, group []int, lambda float64, warn func(rank int, off float64)) (bandwidthSearch, error) {
	n := len(x) / d
	if n > checkedRows {
		return &partialLOO{looProblem: newLOOVectors(ctx, x, d, group, lambda), warn: warn}, nil
	}
	exact, err := newLOOProblem(ctx, x, d, group, lambda)
	if err != nil || n <= exactRows {
		return exact, err
	}
	return &correctedSearch{exact: exact, partial: &partialLOO{looProblem: newLOOVectors(ctx, x, d, group, lambda)}}, nil
}

// find takes L-BFGS steps on the error itself.
func (p *looProblem) find(theta, y []float64, steps int) (gamma, alpha []float64, err error) {
	p.y = y
	if steps > 0 {
		descent := lbfgs.Minimizer{MaxIter: steps}
		descent.Minimize(theta, p.value)
	}
	if p.err == nil {
		p.err = p.solve(theta)
	}
	return p.gamma, p.alpha, p.err
}

const (
	// checkedRows is the largest n for which n x n matrices are factored in a search.
	checkedRows = 5000
	// looGain is the part of max(E, 1) which a step has to gain beyond exactRows, for the search to go on.
	looGain = 1e-4
	// roundSteps are taken on a corrected error before the next check. They count as roundCounts, for each round learns the curvature anew.
	roundSteps, roundCounts = 8, 5
	// A factor's error and gradient are near the exact ones within so much of E and of the gradient; they are far with a gradient off by more than farSlope
	// of the exact one. A gradient below slopeFloor E counts as that.
	nearError, nearSlope, farSlope, slopeFloor = 1e-3, 0.05, 0.25, 1e-3
)

// A correctedSearch lowers the exact error E with fewer evaluations of it: its steps go down a partial error P ([partialLOO]) with the
// correction that makes it right to first order at the last point theta0 where E was evaluated,
//
//	C(theta) = P(theta) + E(theta0) - P(theta0) + (dE - dP)(theta0)'(theta - theta0)
//
// (Alexandrov, Dennis, Lewis and Torczon, Structural Optimization 1998). A round of roundSteps L-BFGS steps on C starts with pivots chosen at theta0. It
// counts if E falls by a quarter of what C promises at least. The rest of the steps is a single round where P is near E at theta0, and counts as one of roundSteps if C is not near E at its end. Where the gradient of P is far from that of E, or a round
// does not count, the kernel's rank is too high for the factor: the steps that are left are taken on E, from the best point so far.
// So E never rises, and each point at which a round ends is one of known E.
type correctedSearch struct {
	exact   *looProblem
	partial *partialLOO
	e       float64   // E at theta0
	slope   []float64 // dE at theta0
	exactly int       // steps of the last search that were taken on E
}

func (s *correctedSearch) find(theta, y []float64, steps int) (gamma, alpha []float64, err error) {
	s.exact.y, s.partial.y, s.slope = y, y, make([]float64, len(theta))
	s.exactly = 0
	if steps > 0 {
		s.e = s.exact.value(theta, s.slope)
		if s.exactly, err = s.rounds(theta, steps); err != nil {
			return nil, nil, err
		}
	}
	if s.exactly > 0 {
		descent := lbfgs.Minimizer{MaxIter: s.exactly, RelTol: looGain}
		descent.Minimize(theta, from(s.e, s.slope, s.exact.value))
	}
	s.partial.release()
	if s.exact.err == nil {
		s.exact.err = s.exact.solve(theta)
	}
	return s.exact.gamma, s.exact.alpha, s.exact.err
}

// from is the objective whose value and gradient at the first point are known.
func from(e float64, slope []float64, objective lbfgs.Objective) lbfgs.Objective {
	known := true
	return func(theta, gradient []float64) float64 {
		if known {
			known = false
			copy(gradient, slope)
			return e
		}
		return objective(theta, gradient)
	}
}

// rounds returns how many of the steps are to be taken on E.
func (s *correctedSearch) rounds(theta []float64, left int) (int, error) {
	next, slope := make([]float64, len(theta)), make([]float64, len(theta))
	for left > 0 && s.exact.err == nil {
		if err := s.partial.choose(theta, leastLOORank, mostLOORank(s.partial.n)); err != nil {
			return 0, err
		}
		p := s.partial.value(theta, slope)
		off := slopeOff(s.e, s.slope, slope)
		if s.partial.err != nil || !(off <= farSlope) {
			return left, s.partial.err
		}
		steps, counts := roundSteps, roundCounts
		if left < roundCounts {
			steps, counts = left, left
		}
		if off <= nearSlope && math.Abs(p-s.e) <= nearError*s.e {
			steps, counts = max(left, steps), left
		}
		c := correction{theta: slices.Clone(theta), slope: make([]float64, len(theta)), shift: s.e - p, value: s.partial.value}
		floats.SubTo(c.slope, s.slope, slope)
		copy(next, theta)
		descent := lbfgs.Minimizer{MaxIter: steps, RelTol: looGain}
		end := descent.Minimize(next, from(s.e, s.slope, c.at))
		if s.partial.err != nil || end.Iterations == 0 {
			return 0, s.partial.err
		}
		e := s.exact.value(next, slope)
		gain, near := s.e-e, math.Abs(end.F-e) <= nearError*e
		if gain > 0 {
			copy(theta, next)
			copy(s.slope, slope)
			s.e = e
			if !near {
				counts = min(counts, roundCounts)
			}
			left -= counts
		}
		if gain < (gain+e-end.F)/4 {
			return left, nil
		}
		if end.Iterations < steps && (near || gain <= looGain*max(1, e)) {
			return 0, nil
		}
	}
	return 0, s.exact.err
}

// slopeOff is how far a gradient is from that of E, relative to it.
func slopeOff(e float64, want, got []float64) float64 {
	off := floats.SubTo(make([]float64, len(want)), got, want)
	return vector.Norm(off) / max(vector.Norm(want), slopeFloor*e)
}

// A correction is C of a correctedSearch.
type correction struct {
	theta, slope []float64 // theta0, dE - dP there
	shift        float64   // E - P there
	value        lbfgs.Objective
}

func (c *correction) at(theta, gradient []float64) float64 {
	v := c.value(theta, gradient) + c.shift
	for j, s := range c.slope {
		gradient[j] += s
		v += float64(s * (theta[j] - c.theta[j]))
	}
	return v
}
