package svm

import (
	"context"
	"math"
	"slices"
)

// Several kernels at once.
//
// Problem: for kernels K_1 .. K_m on the same n examples, the package's dual problem with each of them,
//
//	min over beta in R^n  1/2 beta'K_k beta - target'beta + epsilon |beta|_1   subject to  sum beta = 0,  lower <= beta <= upper.
//
// Fit is K_k beta. The violation of example i is by how much its one-sided derivatives, at the current bias, miss the KKT conditions; it
// is negative by how far they are from missing them.
//
// Algorithm: decomposition (Osuna, Freund and Girosi, CVPR 1997; Joachims, Making large-scale SVM learning practical, 1999). A
// pass over the kernels that are not solved yet
//
//  1. selects for each kernel a working set, the examples that violate the KKT conditions most (selectWorkingSet),
//  2. minimises over the working set by SMO with shrinking, the other variables fixed (solveSubproblem), where rows of the kernel
//     matrix have the columns of the working set alone and so cost little,
//  3. brings Fit up to date on all examples by one product for all kernels (Family.Add), which is what makes several kernels
//     cheaper than one after another.
//
// The most violating pair is always in the working set, so every pass lowers the objective. The working set may grow from pass to
// pass, so that passes do not undo each other.
//
// Stopping rule: that of Solve, for each kernel by itself: the gap over all n examples is below Tol. A kernel that takes too many steps or
// passes is left to Solve.
//
// The algorithm is for many thousands of examples of which few are support vectors.

// A Family is several kernels on the same n examples whose products with sparse vectors are cheap together.
type Family[F Float] interface {
	Kernels() []Kernel[F]
	// Add adds K_k change[k] to fit[k] for each k whose change is not nil. The vectors have length n.
	Add(ctx context.Context, fit, change [][]float64) error
}

const (
	// firstWorkingSet is the size of the largest working set in the first pass. Without a bound, 25 rounds of BMKR on occupancy take a
	// fifth more processor time.
	firstWorkingSet = 2000
	// workingSetGrowth is by how much that size grows from pass to pass. Without growth, one solution in fifty is left to Solve, and a tenth
	// more time is taken.
	workingSetGrowth = 1000
	// nearTol times the tolerance, or nearGap times the gap if that is more, is how close to a violation an example that satisfies the
	// KKT conditions joins the working set: the steps of the subproblem would make it violate them. Either alone takes 3 % more time.
	nearTol = 20
	nearGap = 0.2
	// subproblemTol times the tolerance is the tolerance of a subproblem: below 1 since its float32 rows are not exact.
	subproblemTol = 0.9
	// subproblemGap times the gap over all examples is the tolerance of a subproblem where that is more: an early working set is not worth
	// an exact solution.
	subproblemGap = 0.02
	// subproblemShrinkEvery is the number of steps between two attempts at shrinking a working set, and subproblemShrinkShare the
	// part of it that must be removable. Both are smaller than Solve's, since an example that is shrunk too early is found by the
	// next pass, and no gradient is reconstructed for it. With Solve's values a tenth more time is taken.
	subproblemShrinkEvery = 250
	subproblemShrinkShare = 0.1
	// maxPasses and maxSubproblemCost times n, in the units of stepCost, are what one kernel may take before it is left to Solve. No
	// kernel of occupancy comes near.
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
	fit, change [][]float64 // of each kernel: K beta, and by how much beta has moved since that was computed
	cost        []float64   // of each kernel: the steps so far, in the units of stepCost
}

// SolveFamily solves p for every kernel of the family, each with a warm start from its element of sols, where it leaves what Solve would,
// to the same criterion. MaxSteps is not heeded.
func (s *Solver[F]) SolveFamily(ctx context.Context, family Family[F], p Problem, sols []Solution) error {
	kernels := family.Kernels()
	m := multikernel[F]{s: s, family: family, p: p, sols: sols, tol: s.tolerance(),
		fit: make([][]float64, len(kernels)), change: make([][]float64, len(kernels)), cost: make([]float64, len(kernels))}
	open := make([]int, len(kernels))
	for k := range kernels {
		if err := p.check(kernels[k].Len()); err != nil {
			return err
		}
		open[k] = k
		sol := &sols[k]
		sol.prepare(p)
		sol.Steps, sol.Capped = 0, false
		if sol.Fit == nil {
			sol.Fit = make([]float64, len(p.Target))
			m.change[k] = slices.Clone(sol.Beta)
		}
		m.fit[k] = sol.Fit
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

// dropWorseStarts replaces warm starts that have a larger objective than beta = 0, whose objective is 0, by a cold start. Without that, 25
// rounds of BMKR on occupancy take 30 % more time.
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
			if err := m.leaveToSolve(ctx, k); err != nil {
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

// leaveToSolve solves the problem of kernel k by Solve.
func (m *multikernel[F]) leaveToSolve(ctx context.Context, k int) error {
	sol := &m.sols[k]
	steps, limit := sol.Steps, m.s.MaxSteps
	m.s.MaxSteps = 0
	err := m.s.Solve(ctx, m.family.Kernels()[k], m.p, sol)
	m.s.MaxSteps = limit
	sol.Steps += steps
	return err
}

// solveSubproblem minimises over a working set of at most the given size for kernel k, the other variables fixed. It changes Beta and
// leaves Fit to the product that follows.
func (m *multikernel[F]) solveSubproblem(ctx context.Context, k, size int) error {
	s, sol := m.s, &m.sols[k]
	s.kernel, s.problem, s.sol, s.subproblem = m.family.Kernels()[k], m.p, sol, true
	defer func() { s.kernel, s.problem, s.sol, s.subproblem, s.restricted = nil, Problem{}, nil, false, nil }()
	s.selectWorkingSet(max(nearTol*m.tol, nearGap*sol.Gap), size)
	s.activate()
	s.openRowCache()
	s.restrictRows()
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
				s.restrictRows()
			}
		}
	}
}

// restrictRows prepares the kernel for rows of the active columns.
func (s *Solver[F]) restrictRows() {
	if k, ok := s.kernel.(Restricter[F]); ok {
		s.restricted = k.Restrict(s.index)
	}
}

// selectWorkingSet makes active the examples whose violation is above -margin, at most size of them, those of the largest violation, and
// of equal violations the first examples.
func (s *Solver[F]) selectWorkingSet(margin float64, size int) {
	p, sol := s.problem, s.sol
	s.violation = resized(s.violation, len(sol.Beta))
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

// largest returns, in ascending order, those of the ascending indices whose values are largest, at most size of them, and of equal
// values the first. It overwrites the indices.
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
