package svm

import (
	"cmp"
	"context"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// SMO, the outer loop.
//
// Problem, symbols and KKT conditions are the package comment's.
//
// Algorithm: sequential minimal optimisation (Platt 1998) on an active set, with the second-order working set selection
// of Fan, Chen and Lin (JMLR 2005, WSS 2) in steps.go and their shrinking in active.go. Where SMO is slow, an interior
// point takes over (switch.go).
//
// Stopping rule: the gap over all examples is below Tol. Once the active set alone is solved, the gradient of the
// shrunk examples is reconstructed and every example is active again.

// DefaultTol is libsvm's.
const DefaultTol = 1e-3

// CacheBytes is the most memory that a Solver takes for rows of kernels by default.
const CacheBytes = 256 << 20

// A Solver holds settings and a workspace that grows to the largest problem seen, so that many calls of Solve allocate
// little. The zero value has the defaults. It is not safe for concurrent use.
type Solver[F Float] struct {
	Tol      float64 // bound on the gap; 0 means DefaultTol
	MaxSteps int     // SMO steps; 0 means as many as it takes, up to 10^8
	Cache    int64   // most memory in bytes of rows of kernels; 0 means CacheBytes

	kernel  *Kernel[F]
	problem Problem
	sol     *Solution

	w        work[F]
	index    []int   // the active set: the example of each active element
	rowCache []F     // rows with the active columns, where the steps cannot read the matrix itself
	free     []int32 // slots of rowCache without a row

	minUp, maxDown float64  // of the KKT conditions on the active set
	cost           float64  // of the steps so far, in the units of stepCost
	untilShrink    int      // steps before the next attempt at shrinking
	scratch        scratch  // of an interior point
	switched       Solution // what the switch to an interior point left; without Beta if there was none

	subproblem bool                 // within solveSubproblem
	restricted func(dst []F, i int) // rows of the active columns alone, where the kernel has them
	violation  []float64            // of each example: see selectWorkingSet
}

const (
	// hardLimit is the number of SMO steps after which Solve ends in any case.
	hardLimit = 100_000_000
	// After the switch to an interior point, Solve takes at most stepsAfterSwitch times n further SMO steps. Of 579
	// drawn problems with a switch, 418 took fewer than a thousand times n and mostly fewer than a hundred; rounding
	// kept the other 161 from ending at all.
	stepsAfterSwitch = 2000
	// checkEvery bounds the element operations between two looks at the context: some 10 ms.
	checkEvery = 20_000_000
	// shrinkEvery is the number of steps between two attempts at shrinking, as in libsvm.
	shrinkEvery = 1000
	// shrinkShare is the share of the active set that must be removable: shrinking fewer elements does not repay its
	// cost.
	shrinkShare = 0.2
	// reconstructAt times the tolerance is the gap at which the gradient is reconstructed once before the end, as in
	// libsvm, since early shrinking may have been wrong.
	reconstructAt = 10
)

// Solve minimises p from *sol, which it replaces by the solution. A zero Solution is a cold start. Any other Solution
// is a warm start: its Beta is first put into the bounds, and its Fit must be K Beta, or nil. Solve returns ctx.Err()
// soon after cancellation. Where MaxSteps steps or rounding keep the gap from falling below Tol, Solve sets Capped, and
// Gap says how good the solution is.
func (s *Solver[F]) Solve(ctx context.Context, k *Kernel[F], p Problem, sol *Solution) error {
	n, tol, limit := k.n, s.tolerance(), s.MaxSteps
	if err := p.check(n); err != nil {
		return err
	}
	if limit == 0 {
		limit = hardLimit
	}
	sol.prepare(p)
	s.kernel, s.problem, s.sol = k, p, sol
	defer func() { s.kernel, s.problem, s.sol = nil, Problem{}, nil }()
	if err := s.updateFit(ctx); err != nil {
		return err
	}
	s.activateAll()
	sol.Steps, sol.Capped = 0, false
	s.cost, s.untilShrink = 0, min(n, shrinkEvery)
	s.switched = Solution{}
	reconstructed := false
	maySwitch, nextSwitch := s.MaxSteps == 0 && k.Exact != nil, switchAfter*float64(n)
	for {
		st, err := s.advance(ctx, tol, limit)
		if err != nil {
			return err
		}
		gap, shrunk := s.maxDown-s.minUp, len(s.index) < n
		switch {
		case st == converged && !shrunk:
			s.writeBack()
			sol.finish(p)
			return nil
		case st == converged, st == stuck && shrunk:
			if err := s.unshrink(ctx); err != nil {
				return err
			}
			s.untilShrink = 1
		case st == stuck, sol.Steps == limit:
			return s.endEarly(ctx, tol)
		case maySwitch && s.cost >= nextSwitch:
			nextSwitch *= 2
			switched, err := s.switchToInterior(ctx, tol)
			if err != nil {
				return err
			}
			if switched {
				maySwitch, limit = false, min(limit, sol.Steps+stepsAfterSwitch*n)
			}
		case s.untilShrink <= 0:
			s.untilShrink = min(len(s.index), shrinkEvery)
			if !reconstructed && shrunk && gap <= reconstructAt*tol {
				reconstructed = true
				if err := s.unshrink(ctx); err != nil {
					return err
				}
			}
			s.shrink(shrinkShare)
		}
	}
}

// advance takes SMO steps on the active set until the gap of the set is below tol, the solution has limit steps in all,
// shrinking is due, or checkEvery asks for a look at the context. It fetches the rows that the steps need.
func (s *Solver[F]) advance(ctx context.Context, tol float64, limit int) (status, error) {
	for {
		active := len(s.index)
		budget := min(limit-s.sol.Steps, max(1, min(s.untilShrink, checkEvery/padded(active))))
		st, done, need, minUp, maxDown := steps(&s.w, padded(active), s.problem.Epsilon, tol, budget)
		s.sol.Steps += done
		s.untilShrink -= done
		s.cost += float64(done) * float64(active+stepCost)
		s.minUp, s.maxDown = minUp, maxDown
		if err := ctx.Err(); err != nil {
			return st, err
		}
		if st != needRow {
			return st, nil
		}
		s.fetchRow(need)
	}
}

// endEarly ends a Solve that has taken as many steps as it may, or to which rounding leaves no step. Of the last point,
// of what the switch left and of beta = 0, the best one becomes the solution: rounding can let SMO leave a good point.
func (s *Solver[F]) endEarly(ctx context.Context, tol float64) error {
	sol := s.sol
	if len(s.index) < len(sol.Beta) {
		if err := s.unshrink(ctx); err != nil {
			return err
		}
	}
	s.writeBack()
	sol.finish(s.problem)
	steps := sol.Steps
	if s.switched.Beta != nil && s.switched.Objective < sol.Objective {
		*sol = s.switched
	}
	if sol.Objective > 0 {
		*sol = Solution{Beta: make([]float64, len(sol.Beta)), Fit: make([]float64, len(sol.Beta))}
		sol.finish(s.problem)
	}
	sol.Steps, sol.Capped = steps, sol.Gap >= tol
	return nil
}

// tolerance is Tol or its default.
func (s *Solver[F]) tolerance() float64 {
	return cmp.Or(s.Tol, DefaultTol)
}

// updateFit makes Fit K beta again after changes of beta.
func (s *Solver[F]) updateFit(ctx context.Context) error {
	change := s.sol.change
	if s.sol.change = nil; change == nil {
		return nil
	}
	return s.addImage(ctx, change)
}

// restoreFit computes Fit = K beta anew.
func (s *Solver[F]) restoreFit(ctx context.Context) error {
	clear(s.sol.Fit)
	s.sol.change = nil
	return s.addImage(ctx, s.sol.Beta)
}

// addImage adds K x to Fit. If beta is an interior point's, it uses the kernel's float64 factor, since for large C sums
// of float32 values would be wrong by more than the tolerance.
func (s *Solver[F]) addImage(ctx context.Context, x []float64) error {
	fit := s.sol.Fit
	if e := s.kernel.Exact; e != nil && e.factored != nil && s.sol.exact {
		rank := len(e.factored) / len(fit)
		image, product := make([]float64, rank), make([]float64, len(fit))
		vmath.AddRows(image, e.factored, rank, fitting.Upto(len(fit)), x)
		vmath.RowDots(product, e.factored, rank, len(fit), rank, image)
		vmath.Axpy(1, product, fit)
		return ctx.Err()
	}
	return addRows(ctx, fit, s.kernel, x)
}

// addRows adds K x to fit, four rows at a time.
func addRows[F Float](ctx context.Context, fit []float64, kernel *Kernel[F], x []float64) error {
	var rows, room [4][]F
	var by [4]float64
	have := 0
	add := func() {
		for k := have; k < 4; k++ {
			rows[k], by[k] = rows[0], 0
		}
		addFour(fit, &rows, &by)
		have = 0
	}
	for j, b := range x {
		if b == 0 {
			continue
		}
		rows[have], by[have] = kernel.Row(j, &room[have]), b
		if have++; have == 4 {
			if err := ctx.Err(); err != nil {
				return err
			}
			add()
		}
	}
	if have > 0 {
		add()
	}
	return ctx.Err()
}
