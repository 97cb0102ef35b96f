package svm

import (
	"context"
	"sort"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
)

// Exact is a kernel matrix of n examples in float64, by rows. Solve makes a factor of it where two-variable steps
// crawl. A solver keeps the factor for the next problem; so one Exact serves one solver at a time.
type Exact struct {
	Diagonal []float64                  // k(x_i, x_i)
	Row      func(dst []float64, i int) // writes k(x_i, x_j) for all j

	vt   []float64 // rank x n, once made
	most int       // a rank that did not suffice
}

// factor returns V', rank x n, with K = V V' to rounding, or nil where that takes more than most rows.
func (e *Exact) factor(ctx context.Context, most int) ([]float64, error) {
	n := len(e.Diagonal)
	if e.vt != nil || most <= e.most {
		if len(e.vt) <= most*n {
			return e.vt, nil
		}
		return nil, nil
	}
	vt, err := cholesky.LowRank(ctx, e.Diagonal, e.Row, factorTol, most)
	if err == nil {
		e.vt, e.most = vt, most
	}
	return vt, err
}

// factorTol is how far a factor may be off, in units of the largest diagonal value.
const factorTol = 1e-13

// Work is counted in element operations of two-variable steps, a step costing stepCost beside its elements. Solve
// thinks of jumping after jumpAfter n of them, and each time they have doubled; it jumps if an interior point costs less
// than the steps so far, so that neither way can cost much more than the better one.
const (
	stepCost  = 100
	jumpAfter = 5000
)

// interiorWork is what an interior point of a kernel with the given rank costs.
func interiorWork(n, rank int) float64 {
	m, r, apart := float64(n), float64(rank), float64(min(n, max(rank, leastApart)))
	return float64(m*r*r) + float64(3000*m) + float64(apart*apart*(r+apart/3))
}

// affordable is the largest rank, up to n, of an interior point that costs no more than work, or -1.
func affordable(n int, work float64) int {
	return sort.Search(n+1, func(rank int) bool { return interiorWork(n, rank) > work }) - 1
}

// jump moves to where an interior point ends, if that is no worse than here. It reports whether it had the means to.
func (s *Solver[F]) jump(ctx context.Context, work, tol float64) (bool, error) {
	n, exact := s.kernel.Len(), s.kernel.Exact()
	most := affordable(n, work)
	if most < 0 {
		return false, nil
	}
	s.room.reset()
	part, err := exact.part(ctx, most, s.cache(), &s.room)
	if err != nil || (part.Factor == nil && part.Matrix == nil) {
		return false, err
	}
	in := newInterior(s.problem, newMixture(n, []Part{part}, false, &s.room), 0.5, &s.room)
	err = in.run(ctx, interiorSteps, func(mean, worst float64) bool { return mean <= 1e-7*tol*in.largest && worst <= 1e-3*tol })
	if err != nil {
		return true, err
	}
	if err := s.unshrink(ctx); err != nil {
		return true, err
	}
	s.sol.finish(s.problem)
	there := Solution{Beta: in.solution(), Steps: s.sol.Steps, exact: part.Factor != nil}
	there.prepare(s.problem)
	here := *s.sol
	*s.sol = there
	if s.sol.Fit == nil {
		s.sol.Fit = make([]float64, n)
	}
	if err := s.restoreFit(ctx); err != nil {
		return true, err
	}
	s.sol.finish(s.problem)
	if !(s.sol.Objective <= here.Objective) {
		*s.sol = here
	}
	s.activateAll()
	return true, nil
}

// factorBytes is what a factor may take: a path keeps one for each kernel.
const factorBytes = 16 << 20

// JumpBytes is what the interior points of a Solver with the given cache take at most, and each kernel's factor.
func JumpBytes(n int, cache int64) (solver, factor int64) {
	m := int64(n)
	rank := min(m, factorBytes/(8*m))
	factor = 8 * m * rank
	apart := min(m, max(rank, leastApart))
	solver = factor + 8*(rank*rank+apart*(apart+rank)+60*m) + cholesky.Bytes(int(apart)) + cholesky.Bytes(int(rank))
	if wholeBytes*m*m <= cache {
		solver = max(solver, 16*m*m+480*m+cholesky.Bytes(n))
	}
	return solver, factor
}

// wholeBytes is what an interior point of a whole kernel takes for each of its n x n elements.
const wholeBytes = 24

// part returns the kernel as an interior point takes it: by a factor of at most the given rank or, if that is n, whole; nothing
// where that does not do or a system of n x n takes more than the given memory.
func (e *Exact) part(ctx context.Context, most int, bytes int64, room *scratch) (Part, error) {
	n := len(e.Diagonal)
	vt, err := e.factor(ctx, min(most, int(factorBytes/int64(8*n))))
	if err != nil || vt != nil || most < n || wholeBytes*int64(n)*int64(n) > bytes {
		return Part{Factor: vt}, err
	}
	whole := room.take(n * n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return Part{}, err
		}
		e.Row(whole[i*n:(i+1)*n], i)
	}
	return Part{Matrix: whole}, nil
}
