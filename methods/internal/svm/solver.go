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
	room    scratch // of an interior point

	partly    bool                 // within part
	narrow    func(dst []F, i int) // rows of the active columns alone, where the kernel has them
	violation []float64            // of each example: see choose
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
	unshrunk, untilShrink := false, min(n, shrinkEvery)
	work, nextJump := 0.0, jumpAfter*float64(n)
	mayJump := s.MaxSteps == 0 && k.Exact() != nil
	for {
		active := len(s.index)
		budget := max(1, min(limit-sol.Steps, untilShrink, checkEvery/padded(active)))
		if sol.Steps == limit {
			budget = 0
		}
		st, done, need, minUp, maxDown := steps(&s.w, padded(active), p.Epsilon, tol, budget)
		sol.Steps += done
		untilShrink -= done
		work += float64(done) * float64(active+stepCost)
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
		case mayJump && work >= nextJump:
			nextJump *= 2
			jumped, err := s.jump(ctx, work, tol)
			if err != nil {
				return err
			}
			mayJump = !jumped
		case untilShrink <= 0:
			untilShrink = min(len(s.index), shrinkEvery)
			if !unshrunk && active < n && maxDown-minUp <= 10*tol {
				unshrunk = true
				if err := s.unshrink(ctx); err != nil {
					return err
				}
			}
			s.shrink(shrinkShare)
		}
	}
}

// cache is the memory for rows, and for an interior point.
func (s *Solver[F]) cache() int64 {
	if s.Cache == 0 {
		return defaultCache
	}
	return s.Cache
}

// restoreFit computes K beta.
func (s *Solver[F]) restoreFit(ctx context.Context) error {
	fit := s.sol.Fit
	clear(fit)
	if e := s.kernel.Exact(); e != nil && e.vt != nil && s.sol.exact {
		// Sums of C n float32 values would be off by more than the tolerance for large C.
		w := make([]float64, len(e.vt)/len(fit))
		vmath.MatVec(w, e.vt, len(w), len(fit), s.sol.Beta)
		vmath.MatTVec(fit, e.vt, len(w), len(fit), w)
		return ctx.Err()
	}
	if gram, ok := s.kernel.Stored(); ok {
		return addRows(ctx, fit, gram, s.sol.Beta)
	}
	for j, b := range s.sol.Beta {
		if b == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		s.line = resized(s.line, len(fit))
		s.kernel.Row(s.line, j)
		for i, v := range s.line {
			fit[i] += float64(b * float64(v))
		}
	}
	return nil
}

// addRows adds K beta to fit, four rows at a time.
func addRows[F Float](ctx context.Context, fit []float64, gram *Gram[F], beta []float64) error {
	n := len(fit)
	var rows [4][]F
	var by [4]float64
	have := 0
	add := func() {
		for k := have; k < 4; k++ {
			rows[k], by[k] = rows[0], 0
		}
		a, b, c, d := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
		for i := range fit {
			fit[i] += (float64(by[0]*float64(a[i])) + float64(by[1]*float64(b[i]))) + (float64(by[2]*float64(c[i])) + float64(by[3]*float64(d[i])))
		}
		have = 0
	}
	for j, b := range beta {
		if b == 0 {
			continue
		}
		rows[have], by[have] = gram.At(j), b
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

func resized[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
