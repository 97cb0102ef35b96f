package svm

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// DefaultTol is libsvm's.
const DefaultTol = 1e-3

// A Solver holds settings and a workspace that grows to the largest problem seen, so that
// many solves allocate little. The zero value has the defaults. It is not safe for concurrent
// use.
type Solver[F Float] struct {
	Tol      float64 // bound on the gap; 0 means DefaultTol
	MaxSteps int     // two-variable steps; 0 means as many as it takes (an error past 10^8)
	Cache    int64   // bytes of kernel rows kept beside a matrix in memory; 0 means 256 MiB

	w       work[F]
	index   []int // of each active element: its example
	arena   []F   // rows of the active columns, where the matrix itself cannot be used
	line    []F   // one row of all columns
	free    []int32
	kernel  Kernel[F]
	problem Problem
	sol     *Solution
	minUp   float64
	maxDown float64
}

const (
	hardLimit    = 100_000_000
	defaultCache = 256 << 20
	// checkEvery bounds the element operations between two looks at the context: some 10 ms.
	checkEvery = 20_000_000
)

// Solve minimises p from *sol, which it replaces by the solution: a zero Solution is a cold start,
// any other a warm one (its Beta is put into the bounds first; its Fit must be K Beta, or nil). It
// returns ctx.Err() soon after cancellation, and an error if the gap cannot be brought below Tol. With
// MaxSteps > 0 it stops there and sets Capped instead.
func (s *Solver[F]) Solve(ctx context.Context, k Kernel[F], p Problem, sol *Solution) error {
	n := k.Len()
	if err := p.check(n); err != nil {
		return err
	}
	tol, limit := s.Tol, s.MaxSteps
	if tol == 0 {
		tol = DefaultTol
	}
	if limit == 0 {
		limit = hardLimit
	}
	sol.prepare(p)
	s.kernel, s.problem, s.sol = k, p, sol
	defer func() { s.kernel, s.problem, s.sol = nil, Problem{}, nil }()
	if sol.Fit == nil {
		sol.Fit = make([]float64, n)
		if err := s.restoreFit(ctx); err != nil {
			return err
		}
	}
	s.activateAll()
	sol.Steps, sol.Capped = 0, false
	unshrunk, untilShrink := false, min(n, 1000)
	gram, stored := k.Stored()
	mayJump := s.MaxSteps == 0 && stored && gram.factor != nil && gram.rank*interiorRank <= n
	for {
		active := len(s.index)
		budget := max(1, min(limit-sol.Steps, untilShrink, checkEvery/padded(active)))
		if sol.Steps == limit {
			budget = 0
		}
		st, done, need, minUp, maxDown := steps(&s.w, padded(active), p.Epsilon, tol, budget)
		sol.Steps += done
		untilShrink -= done
		s.minUp, s.maxDown = minUp, maxDown
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case st == needRow:
			s.fetch(need)
		case st == converged && active == n:
			s.keep()
			sol.finish(p)
			return nil
		case st == converged, st == stuck && active < n:
			if err := s.unshrink(ctx); err != nil {
				return err
			}
			untilShrink = 1
		case st == stuck:
			return fmt.Errorf("svm: rounding stops progress at a gap of %.3g, above the tolerance %.3g: scale the data, or raise the tolerance", maxDown-minUp, tol)
		case sol.Steps == limit:
			if active < n {
				if err := s.unshrink(ctx); err != nil {
					return err
				}
			}
			s.keep()
			sol.finish(p)
			if s.MaxSteps == 0 {
				return fmt.Errorf("svm: the gap is %.3g, above the tolerance %.3g, after %d steps: scale the data, or lower C", sol.Gap, tol, sol.Steps)
			}
			sol.Capped = sol.Gap >= tol
			return nil
		case mayJump && sol.Steps >= interiorAfter*n:
			mayJump = false
			if err := s.jump(ctx, gram, tol); err != nil {
				return err
			}
		case untilShrink <= 0:
			untilShrink = min(len(s.index), 1000)
			if !unshrunk && active < n && maxDown-minUp <= 10*tol {
				unshrunk = true
				if err := s.unshrink(ctx); err != nil {
					return err
				}
			}
			s.shrink()
		}
	}
}

// jump moves to where an interior point ends, if that is no worse than here.
func (s *Solver[F]) jump(ctx context.Context, gram *Gram[F], tol float64) error {
	beta, err := newInterior(s.problem, gram.factor, gram.rank).run(ctx, tol)
	if err != nil || beta == nil {
		return err
	}
	if err := s.unshrink(ctx); err != nil {
		return err
	}
	s.sol.finish(s.problem)
	there := Solution{Beta: beta, Steps: s.sol.Steps}
	there.prepare(s.problem)
	here := *s.sol
	*s.sol = there
	if s.sol.Fit == nil {
		s.sol.Fit = make([]float64, len(beta))
	}
	if err := s.restoreFit(ctx); err != nil {
		return err
	}
	s.sol.finish(s.problem)
	if s.sol.Objective > here.Objective {
		*s.sol = here
	}
	s.activateAll()
	return nil
}

// restoreFit computes K beta.
func (s *Solver[F]) restoreFit(ctx context.Context) error {
	fit := s.sol.Fit
	clear(fit)
	gram, stored := s.kernel.Stored()
	if stored && gram.factor != nil {
		// Sums of C n float32 values would be off by more than the tolerance for large C.
		w := make([]float64, gram.rank)
		vmath.MatTVec(w, gram.factor, gram.n, gram.rank, s.sol.Beta)
		vmath.MatVec(fit, gram.factor, gram.n, gram.rank, w)
		return ctx.Err()
	}
	for j, b := range s.sol.Beta {
		if b == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var row []F
		if stored {
			row = gram.At(j)
		} else {
			s.line = resized(s.line, len(fit))
			s.kernel.Row(s.line, j)
			row = s.line
		}
		for i, v := range row {
			fit[i] += float64(b * float64(v))
		}
	}
	return nil
}

func resized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
