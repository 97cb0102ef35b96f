package svm

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// Several kernels at once.
//
// Problem: for kernels K_1 .. K_m on the same n examples, the package's dual problem with each of them,
//
//	min over beta in R^n  1/2 beta'K_k beta - target'beta + epsilon |beta|_1
//	subject to  sum beta = 0,  lower <= beta <= upper.
//
// Fit is K_k beta. The violation of example i is the amount by which its one-sided derivatives, at the current bias,
// violate the KKT conditions. It is negative where they satisfy the conditions.
//
// Algorithm: decomposition (Osuna, Freund and Girosi, CVPR 1997; Joachims, Making large-scale SVM learning practical,
// 1999). A pass over the kernels that are not solved yet
//
//  1. selects for each kernel a working set, the examples that violate the KKT conditions most (selectWorkingSet),
//  2. minimises over the working set by SMO with shrinking, with the other variables fixed (solveSubproblem); rows of
//     the kernel matrix then have only the columns of the working set, and cost little,
//  3. updates Fit on all examples by one product for all kernels (Family.Add), which makes several kernels cheaper
//     together than one after another.
//
// The most violating pair is always in the working set, so every pass lowers the objective. The working set may grow
// from pass to pass, so that passes do not undo each other.
//
// Stopping rule: that of Solve, for each kernel by itself: the gap over all n examples is below Tol. A kernel that
// takes too many steps or passes is left to Solve.
//
// The algorithm is for many thousands of examples of which few are support vectors.

// A Family is several kernels on the same n examples whose products with sparse vectors are cheap together.
type Family[F Float] interface {
	Kernels() []*Kernel[F]
	// Add adds K_k change[k] to fit[k] for each k whose change is not nil. The vectors have length n.
	Add(ctx context.Context, fit, change [][]float64) error
}

const (
	// firstWorkingSet is the size of the largest working set in the first pass. Without a bound, 25 rounds of BMKR on
	// occupancy take a fifth more processor time.
	firstWorkingSet = 2000
	// workingSetGrowth is the growth of that size from pass to pass. Without growth, one solution in fifty is left to
	// Solve, and the time is a tenth longer.
	workingSetGrowth = 1000
	// An example that satisfies the KKT conditions joins the working set if its violation is above minus the larger of
	// nearTol times the tolerance and nearGap times the gap. The steps of the subproblem would often make it violate
	// the conditions. With only one of the two bounds, the time is 3 % longer.
	nearTol = 20
	nearGap = 0.2
	// subproblemTol times the tolerance is the tolerance of a subproblem: below 1 since its float32 rows are not exact.
	subproblemTol = 0.9
	// subproblemGap times the gap over all examples is the tolerance of a subproblem if it is larger than subproblemTol
	// times the tolerance: an early working set is not worth an exact solution.
	subproblemGap = 0.02
	// subproblemShrinkEvery is the number of steps between two attempts at shrinking a working set.
	// subproblemShrinkShare is the share of the set that must be removable. Both are smaller than Solve's, since the
	// next pass finds an example that was shrunk too early without reconstructing a gradient. With Solve's values the
	// time is a tenth longer.
	subproblemShrinkEvery = 250
	subproblemShrinkShare = 0.1
	// maxPasses passes and a cost of maxSubproblemCost times n, in the units of stepCost, are the most for one kernel.
	// After that the kernel is left to Solve. No kernel of occupancy comes near these limits.
	maxPasses         = 30
	maxSubproblemCost = 20 * switchAfter
)

// A multikernel is one call of SolveFamily.
type multikernel[F Float] struct {
	s           *Solver[F]
	family      Family[F]
	p           Problem
	sols        []Solution
	tol         float64
	fit, change [][]float64 // of each kernel: K beta, and the change of beta since K beta was computed
	cost        []float64   // of each kernel: the steps so far, in the units of stepCost
}

// SolveFamily solves p for every kernel of the family, by the stopping rule of Solve. Element k of sols is the warm
// start of kernel k, and becomes its solution. MaxSteps has to be 0.
func (s *Solver[F]) SolveFamily(ctx context.Context, family Family[F], p Problem, sols []Solution) error {
	kernels := family.Kernels()
	m := multikernel[F]{s: s, family: family, p: p, sols: sols, tol: s.tolerance(),
		fit: make([][]float64, len(kernels)), change: make([][]float64, len(kernels)),
		cost: make([]float64, len(kernels))}
	open := make([]int, len(kernels))
	for k := range kernels {
		if err := p.check(kernels[k].n); err != nil {
			return err
		}
		open[k] = k
		sol := &sols[k]
		sol.prepare(p)
		sol.Steps, sol.Capped = 0, false
		m.fit[k], m.change[k] = sol.Fit, sol.change
		sol.change = nil
	}
	if err := family.Add(ctx, m.fit, m.change); err != nil {
		return err
	}
	m.dropWorseStarts()
	for pass := 0; len(open) > 0; pass++ {
		var err error
		if open, err = m.pass(ctx, pass, open); err != nil {
			return err
		}
	}
	return nil
}

// dropWorseStarts replaces a warm start by beta = 0 if its objective is above 0, the objective of beta = 0. Without
// this, 25 rounds of BMKR on occupancy take 30 % more time.
func (m *multikernel[F]) dropWorseStarts() {
	for k := range m.sols {
		sol := &m.sols[k]
		if sol.finish(m.p); sol.Objective > 0 {
			clear(sol.Beta)
			clear(sol.Fit)
		}
	}
}

// pass improves the solutions of the open kernels and returns the kernels that are not solved yet.
func (m *multikernel[F]) pass(ctx context.Context, pass int, open []int) ([]int, error) {
	var still []int
	clear(m.change)
	for _, k := range open {
		sol := &m.sols[k]
		if sol.finish(m.p); sol.Gap < m.tol {
			continue
		}
		if pass == maxPasses || m.cost[k] > maxSubproblemCost*float64(len(sol.Beta)) {
			if err := m.s.Solve(ctx, m.family.Kernels()[k], m.p, &m.sols[k]); err != nil {
				return nil, err
			}
			continue
		}
		before := slices.Clone(sol.Beta)
		if err := m.solveSubproblem(ctx, k, firstWorkingSet+workingSetGrowth*pass); err != nil {
			return nil, err
		}
		for i, b := range sol.Beta {
			before[i] = b - before[i]
		}
		m.change[k] = before
		still = append(still, k)
	}
	return still, m.family.Add(ctx, m.fit, m.change)
}

// solveSubproblem minimises over a working set of at most the given size for kernel k, with the other variables fixed.
// It changes Beta; pass then updates Fit.
func (m *multikernel[F]) solveSubproblem(ctx context.Context, k, size int) error {
	s, sol := m.s, &m.sols[k]
	s.kernel, s.problem, s.sol, s.subproblem = m.family.Kernels()[k], m.p, sol, true
	defer func() { s.kernel, s.problem, s.sol, s.subproblem, s.restricted = nil, Problem{}, nil, false, nil }()
	s.selectWorkingSet(max(nearTol*m.tol, nearGap*sol.Gap), size)
	s.activate()
	s.openRowCache()
	s.restricted = s.kernel.restrict(s.index)
	tol := max(subproblemTol*m.tol, subproblemGap*sol.Gap)
	s.cost, s.untilShrink = m.cost[k], subproblemShrinkEvery
	defer func() { m.cost[k] = s.cost }()
	for {
		st, err := s.advance(ctx, tol, hardLimit)
		switch {
		case err != nil:
			return err
		case st != budgetOut, s.cost > maxSubproblemCost*float64(len(sol.Beta)):
			s.writeBack()
			return nil
		case s.untilShrink <= 0:
			s.untilShrink = subproblemShrinkEvery
			if s.shrink(subproblemShrinkShare) {
				s.restricted = s.kernel.restrict(s.index)
			}
		}
	}
}

// selectWorkingSet makes the examples active whose violation is above -margin. If they are more than size, it takes the
// size largest violations; of equal violations the first examples win.
func (s *Solver[F]) selectWorkingSet(margin float64, size int) {
	p, sol := s.problem, s.sol
	s.violation = vmath.Room(s.violation, len(sol.Beta))
	s.index = s.index[:0]
	for i, b := range sol.Beta {
		g := sol.Fit[i] - p.Target[i] + sol.Bias
		up, down := tubeSlopes(b, p.Epsilon)
		v := math.Inf(-1)
		if b < p.Upper[i] {
			v = -(g + up)
		}
		if b > p.Lower[i] {
			v = max(v, g+down)
		}
		if s.violation[i] = v; v > -margin {
			s.index = append(s.index, i)
		}
	}
	s.index = largest(s.index, s.violation, size)
}

// largest returns, in ascending order, the at most size indices with the largest values. Of equal values the first
// index wins. The given indices are ascending and are overwritten.
func largest(indices []int, values []float64, size int) []int {
	if len(indices) <= size {
		return indices
	}
	slices.SortFunc(indices, func(a, b int) int {
		switch {
		case values[a] > values[b]:
			return -1
		case values[a] < values[b]:
			return 1
		}
		return a - b
	})
	slices.Sort(indices[:size])
	return indices[:size]
}
