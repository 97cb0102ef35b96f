package svm

import (
	"context"
	"math"
	"slices"
)

// A Family is several kernels on the same n examples whose products with sparse vectors are cheap together.
type Family[F Float] interface {
	Kernels() []Kernel[F]
	// Add adds K_k change[k] to fit[k] for each k whose change is not nil. The vectors have length n.
	Add(ctx context.Context, fit, change [][]float64) error
}

// SolveTogether solves p for every kernel of the family, each from its element of sols: it leaves there what Solve would, to
// the same criterion on all examples. MaxSteps is not heeded.
//
// It is for many thousands of examples of which few are support vectors. A pass chooses for each kernel the examples that violate
// optimality, or nearly do, and takes two-variable steps on these alone, whose rows have so few columns that they cost little.
// Then one product for all kernels brings the values on the other examples up to date, and the criterion is checked on
// all. The pair that violates most is always chosen, so every pass lowers the objective; the number that may be chosen grows, so that
// passes do not undo each other. A kernel that takes too many steps or passes is left to Solve.
func (s *Solver[F]) SolveTogether(ctx context.Context, family Family[F], p Problem, sols []Solution) error {
	kernels := family.Kernels()
	n := len(p.Target)
	t := together[F]{s: s, family: family, p: p, sols: sols, tol: s.Tol,
		fit: make([][]float64, len(kernels)), change: make([][]float64, len(kernels)), work: make([]float64, len(kernels))}
	if t.tol == 0 {
		t.tol = DefaultTol
	}
	for k := range kernels {
		if err := p.check(kernels[k].Len()); err != nil {
			return err
		}
		sol := &sols[k]
		sol.prepare(p)
		sol.Steps, sol.Capped = 0, false
		if sol.Fit == nil {
			sol.Fit = make([]float64, n)
			t.change[k] = slices.Clone(sol.Beta)
		}
		t.fit[k] = sol.Fit
	}
	if err := family.Add(ctx, t.fit, t.change); err != nil {
		return err
	}
	open := make([]int, len(kernels))
	for k := range open {
		open[k] = k
	}
	for pass := 0; len(open) > 0; pass++ {
		var err error
		if open, err = t.pass(ctx, pass, open); err != nil {
			return err
		}
	}
	return nil
}

// A together is one call of SolveTogether.
type together[F Float] struct {
	s           *Solver[F]
	family      Family[F]
	p           Problem
	sols        []Solution
	tol         float64
	fit, change [][]float64 // of each kernel: K beta, and by how much beta has moved since
	work        []float64   // of each kernel: steps so far, in the units of stepCost
}

// A pass may choose firstActive examples, and each one moreActive more than the one before: those that violate optimality, or come
// nearer to it than nearTol times the tolerance, or nearGap times the gap. It ends at looseGap times the gap, or just below the tolerance, since
// the float32 rows of a part are not exact. It looks for elements to shrink after every partEvery steps, and drops partShare of them: what it loses there, the next
// pass finds. After maxPasses, or patience n units of work, Solve goes on.
const (
	firstActive = 2000
	moreActive  = 1000
	nearTol     = 20
	nearGap     = 0.2
	looseGap    = 0.02
	partTol     = 0.9
	maxPasses   = 30
	partEvery   = 250
	partShare   = 0.1
	patience    = 20 * jumpAfter
)

// pass improves the solutions of the open kernels and returns those that are not solved yet.
func (t *together[F]) pass(ctx context.Context, pass int, open []int) ([]int, error) {
	var still []int
	clear(t.change)
	for _, k := range open {
		sol := &t.sols[k]
		sol.finish(t.p)
		if pass == 0 && sol.Objective > 0 { // the last solution is a worse start than zero
			clear(sol.Beta)
			clear(sol.Fit)
			sol.finish(t.p)
		}
		if sol.Gap < t.tol {
			continue
		}
		if pass == maxPasses || t.work[k] > patience*float64(len(sol.Beta)) {
			if err := t.leave(ctx, k); err != nil {
				return nil, err
			}
			continue
		}
		before := slices.Clone(sol.Beta)
		if err := t.s.part(ctx, t, k, pass); err != nil {
			return nil, err
		}
		for i, b := range sol.Beta {
			before[i] = b - before[i]
		}
		t.change[k] = before
		still = append(still, k)
	}
	return still, t.family.Add(ctx, t.fit, t.change)
}

// leave solves kernel k by Solve.
func (t *together[F]) leave(ctx context.Context, k int) error {
	sol := &t.sols[k]
	steps, limit := sol.Steps, t.s.MaxSteps
	t.s.MaxSteps = 0
	err := t.s.Solve(ctx, t.family.Kernels()[k], t.p, sol)
	t.s.MaxSteps = limit
	sol.Steps += steps
	return err
}

// part minimises over some examples, the others fixed, for kernel k. It changes Beta, and leaves Fit to the product that
// follows.
func (s *Solver[F]) part(ctx context.Context, t *together[F], k, pass int) error {
	p, sol := t.p, &t.sols[k]
	s.kernel, s.problem, s.sol, s.partly = t.family.Kernels()[k], p, sol, true
	defer func() { s.kernel, s.problem, s.sol, s.partly, s.narrow = nil, Problem{}, nil, false, nil }()
	s.choose(max(nearTol*t.tol, nearGap*sol.Gap), firstActive+moreActive*pass)
	s.activate()
	s.openArena()
	s.narrowRows()
	tol := max(partTol*t.tol, looseGap*sol.Gap)
	untilShrink := partEvery
	for {
		active := padded(len(s.index))
		st, done, need, minUp, maxDown := steps(&s.w, active, p.Epsilon, tol, max(1, min(untilShrink, checkEvery/active)))
		sol.Steps += done
		untilShrink -= done
		t.work[k] += float64(done) * float64(active+stepCost)
		s.minUp, s.maxDown = minUp, maxDown
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case st == needRow:
			s.fetch(need)
		case st != budgetOut, t.work[k] > patience*float64(len(sol.Beta)):
			s.keep()
			return nil
		case untilShrink <= 0:
			untilShrink = partEvery
			before := len(s.index)
			if s.shrink(partShare); len(s.index) < before {
				s.narrowRows()
			}
		}
	}
}

// narrowRows prepares the kernel for rows of the active columns.
func (s *Solver[F]) narrowRows() {
	if narrower, ok := s.kernel.(Narrower[F]); ok {
		s.narrow = narrower.Narrow(s.index)
	}
}

// choose makes active the examples that violate optimality at the solution's bias, or would if it were off by the margin: at most the
// given number, of those that violate most.
func (s *Solver[F]) choose(margin float64, most int) {
	p, sol := s.problem, s.sol
	s.violation = resized(s.violation, len(sol.Beta))
	s.index = s.index[:0]
	for i, b := range sol.Beta {
		g := sol.Fit[i] - p.Target[i] + sol.Bias
		up, down := p.Epsilon, p.Epsilon
		if b < 0 {
			up = -up
		}
		if b <= 0 {
			down = -down
		}
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
	if len(s.index) <= most {
		return
	}
	sorted := make([]float64, len(s.index))
	for k, i := range s.index {
		sorted[k] = s.violation[i]
	}
	slices.Sort(sorted)
	least := sorted[len(sorted)-most]
	above, _ := slices.BinarySearchFunc(sorted, least, func(v, least float64) int {
		if v > least {
			return 1
		}
		return -1
	})
	ties := most - (len(sorted) - above) // of them the first
	s.index = slices.DeleteFunc(s.index, func(i int) bool {
		if s.violation[i] == least {
			ties--
			return ties < 0
		}
		return s.violation[i] < least
	})
}
