package svm

import (
	"context"
	"slices"
	"sort"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// The switch from SMO to an interior point.
//
// Problem: where the kernel matrix has low rank and C is large, SMO makes little progress in a step. A linear SVR with
// C = 100 can take 10^8 steps. The kernel (x x')^2 of one feature with C = 1000 takes 6 x 10^7. An interior point
// (interior.go) takes 20 to 40 Newton steps there.
//
// Algorithm: Solve counts the cost of its SMO steps. When this is as much as an interior point would cost, Solve
// computes a pivoted Cholesky factor of the kernel matrix, runs the interior point, and continues with SMO from the
// solution of the interior point. So SMO and interior point together cost at most about three times as much as the
// cheaper one alone, and SMO checks every solution by the stopping rule of Solve.
//
// Stopping rule: the interior point stops where its duality measure and its residual are far below Solve's tolerance.

const (
	// stepCost is what an SMO step costs besides its active elements, in element operations, which are the units of
	// cost.
	stepCost = 100
	// switchAfter times n is the cost of SMO steps at which Solve first considers the switch. Solve considers it again
	// each time the cost has doubled.
	switchAfter = 5000
	// factorTol times the largest diagonal value is the error that the factor may have.
	factorTol = 1e-13
	// factorBytes bounds the memory of a factor, since a path keeps one for each kernel.
	factorBytes = 16 << 20
	// switchMu times Solve's tolerance and the largest bound is the duality measure at which the interior point stops.
	switchMu = 1e-7
	// switchResidual times the tolerance is the largest element of the residual at which the interior point stops.
	switchResidual = 1e-3
	// switchSteps bounds the interior point's Newton steps.
	switchSteps = 80
)

// Exact is a kernel matrix of n examples in float64, by rows. Solve factors it when it switches to an interior point,
// and the Exact keeps the factor for the next problem; so one Exact serves one solver at a time.
type Exact struct {
	Diagonal []float64                  // k(x_i, x_i)
	Row      func(dst []float64, i int) // writes k(x_i, x_j) for all j
	// Restrict returns a function that writes k(x_i, x_j) for the given columns j alone, with the same bits, until the
	// next call of Restrict. It may be nil.
	Restrict func(columns []int) func(dst []float64, i int)

	factored []float64 // V, n x rank with K = V V' to rounding, or nil
	tooLow   int       // the largest rank that was tried
}

// factor returns V, or nil if the rank is more than most.
func (e *Exact) factor(ctx context.Context, most int) ([]float64, error) {
	n := len(e.Diagonal)
	if e.factored == nil && most > e.tooLow {
		vt, err := solve.LowRank(ctx, e.Diagonal, e.Row, factorTol, most)
		if err != nil {
			return nil, err
		}
		e.tooLow = most
		if vt == nil {
			return nil, nil
		}
		e.factored = vmath.Transposed(vt, len(vt)/n, n)
	}
	if len(e.factored) > most*n {
		return nil, nil
	}
	return e.factored, nil
}

// interiorCost is what an interior point on a factor of the given rank costs.
func interiorCost(n, rank int) float64 {
	m, r, apart := float64(n), float64(rank), float64(Apart(n, rank))
	return float64(m*r*r) + float64(3000*m) + float64(apart*apart*(r+apart/3))
}

// affordableRank is the largest rank of an interior point that costs no more than the given cost and whose factor takes
// no more than factorBytes, or -1.
func affordableRank(n int, cost float64) int {
	rank := sort.Search(n+1, func(rank int) bool { return interiorCost(n, rank) > cost }) - 1
	return min(rank, factorBytes/(8*n))
}

// switchToInterior replaces the solution by that of an interior point, unless the interior point's is worse. It reports
// whether the kernel matrix has a factor of a rank for which an interior point costs no more than the steps so far.
func (s *Solver[F]) switchToInterior(ctx context.Context, tol float64) (bool, error) {
	n, exact := s.kernel.n, s.kernel.Exact
	rank := affordableRank(n, s.cost)
	if rank < 0 {
		return false, nil
	}
	v, err := exact.factor(ctx, rank)
	if err != nil || v == nil {
		return false, err
	}
	s.scratch.reset()
	in := newInterior(s.problem, newMixture(n, Parts{Ranks: []int{len(v) / n}, Stack: v, Whole: make([][]float64, 1)},
		false, &s.scratch), &s.scratch)
	err = in.run(ctx, switchSteps, func(mu, worst float64) bool {
		return mu <= switchMu*tol*in.largest && worst <= switchResidual*tol
	})
	if err != nil {
		return true, err
	}
	if err := s.unshrink(ctx); err != nil {
		return true, err
	}
	s.sol.finish(s.problem)
	there := Solution{Beta: in.solution(), Steps: s.sol.Steps, exact: true}
	there.prepare(s.problem)
	here := *s.sol
	*s.sol = there
	if err := s.restoreFit(ctx); err != nil {
		return true, err
	}
	s.sol.finish(s.problem)
	if !(s.sol.Objective <= here.Objective) {
		*s.sol = here
	}
	s.switched = *s.sol
	s.switched.Beta, s.switched.Fit = slices.Clone(s.sol.Beta), slices.Clone(s.sol.Fit)
	s.activateAll()
	return true, nil
}

// InteriorBytes returns what the interior points of a Solver take at most on n examples, and what the factor of each
// kernel takes.
func InteriorBytes(n int) (solver, factor int64) {
	m := int64(n)
	rank := min(m, factorBytes/(8*m))
	factor = 8 * m * rank
	apart := int64(Apart(n, int(rank)))
	solver = 8*(rank*rank+apart*(apart+rank)+(stripRows+turnedRows)*rank+60*m) + solve.FactorBytes(int(apart)) +
		solve.FactorBytes(int(rank))
	return solver, factor
}
