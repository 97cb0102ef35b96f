package svm

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// lowRank solves (1 + D K) v = b through a system of the size of the rank of K = U U', U = V L, by Woodbury's formula
// (Fine and Scheinberg, JMLR 2001).
//
// The examples with the largest D_i K_ii are kept apart (index l), since for them the two terms of v = b - D U t are
// large and would cancel. The other examples (index s) are eliminated with A = 1 + U_s'D_s U_s = C C'. With W = U_l
// C^-T this leaves for the examples l
//
//	(1/D_l + W W') v_l = b_l / D_l - W C^-1 U_s'b_s.
//
// Scaling by sqrt(D_l) on both sides makes this matrix well conditioned. Then t = U'v = C^-T (C^-1 U_s'b_s + W'v_l), K
// v = U t, and v_s = b_s - D_s U_s t.
//
// Where weights are learned, L has a block L_j for each kernel, with L_j L_j' = d_j (1 + p_j p_j' / w_j) and p_j =
// V_j'beta. L_j is the product of sqrt(d_j), the Householder reflection that takes the first axis to p_j, and
// diag(sqrt(1 + |p_j|^2 / w_j), 1, .., 1). The first element of this diagonal can be 10^5. As a scaling it does not
// spoil the factorisation of A.
//
// Speed: passes over V take most of the time. V is read in strips of rows that stay in the cache, so that one pass
// multiplies V with one vector and V' with the next (sweep).
type lowRank struct {
	m   *mixture
	d   []float64
	own [][]float64 // of each kernel: the diagonal of K_j

	large       []int     // l, ascending
	isLarge     []bool    // of each example: whether it is in large
	root        []float64 // n: sqrt(D), 0 for the examples l
	strip       []float64 // stripRows x wide: rows of V, scaled
	turned      []float64 // turnedRows x R
	wide        int       // R, rounded up to a multiple of eight for vmath.Outer
	small       []float64 // wide x wide: A, then C, both R x R
	w, schur    []float64
	f, fs       *solve.Factorizer
	householder [][]float64 // of each kernel: the unit vector of its reflection, or zeros for no reflection
	firstRoot   []float64   // of each kernel: the root on the first axis
	size        []float64   // of each kernel: sqrt(d_j)
	most        int         // the most examples that are kept apart
	t, sum      []float64   // R
	part        []float64   // R: workspace
	ul          []float64   // of the examples l

	apart    []float64 // n: v_l, at the examples l
	kv       []float64 // n: K v
	rest     []float64 // n: the right side less (1 + D K) v
	near     []float64 // n: rest, 0 for the examples l
	diagonal []float64 // n
}

func newLowRank(m *mixture, room *scratch) *lowRank {
	n, rank, wide := m.n, m.rank, (m.rank+7)&^7
	most := Apart(n, rank)
	s := &lowRank{m: m, wide: wide, most: most, isLarge: make([]bool, n), f: solve.NewFactorizer(rank),
		fs: solve.NewFactorizer(0)}
	s.strip, s.turned = room.take(wide*stripRows), room.take(rank*turnedRows)
	s.small, s.w, s.schur = room.take(wide*wide), room.take(most*rank), room.take(most*most)
	s.t, s.sum, s.part, s.ul = room.take(rank), room.take(rank), room.take(rank), room.take(most)
	for _, a := range []*[]float64{&s.root, &s.apart, &s.kv, &s.rest, &s.near, &s.diagonal} {
		*a = room.take(n)
	}
	at := 0
	for _, rank := range m.parts.Ranks {
		own := room.take(n)
		for i := range own {
			for _, v := range m.parts.Stack[i*m.rank+at:][:rank] {
				own[i] += float64(v * v)
			}
		}
		s.own, s.householder = append(s.own, own), append(s.householder, room.take(rank))
		at += rank
	}
	s.firstRoot, s.size = room.take(len(m.parts.Ranks)), room.take(len(m.parts.Ranks))
	return s
}

// Apart returns how many of n examples an interior point on a factor of the given rank keeps apart at most.
func Apart(n, rank int) int { return min(n, max(rank, leastApart)) }

const (
	// apartFrom is the D_i K_ii above which an example may be kept apart.
	apartFrom = 100
	// leastApart examples may be kept apart even if the rank is less: at the optimum, more rows than the rank can be on
	// the margin, if rows are equal.
	leastApart = 256
	// refinements is how many times solve corrects a solution by its residual at most.
	refinements = 3
	// refined is the size of the residual at which a solution needs no correction, as a share of the right side.
	refined = 1e-10
	// stripRows is the number of rows of V whose products are added to A at once.
	stripRows = 128
	// sweepValues is the number of elements of V that a sweep takes at once.
	sweepValues = 1 << 16
	// turnedRows is the number of columns of A that are multiplied by L' at once.
	turnedRows = 64
)

// split chooses the examples that are kept apart.
func (s *lowRank) split() {
	size := s.diagonal
	clear(size)
	for j, own := range s.own {
		vmath.Axpy(s.m.d[j], own, size)
	}
	s.large = s.large[:0]
	for i := range size {
		size[i] *= s.d[i]
		s.isLarge[i] = false
		if size[i] > apartFrom {
			s.large = append(s.large, i)
		}
	}
	s.large = largest(s.large, size, s.most)
	for _, i := range s.large {
		s.isLarge[i] = true
	}
}

func (s *lowRank) prepare(ctx context.Context, d []float64) error {
	s.d = d
	s.setRoots()
	s.split()
	for i, v := range d {
		s.root[i] = math.Sqrt(v)
		if s.isLarge[i] {
			s.root[i] = 0
		}
	}
	if err := s.gram(ctx); err != nil {
		return err
	}
	rank := s.m.rank
	for r := range rank {
		s.timesLT(s.small[r*rank : (r+1)*rank])
	}
	for lo := 0; lo < rank; lo += turnedRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := min(turnedRows, rank-lo)
		vmath.Transpose(s.turned, rank, s.small[lo:], rank, rank, h)
		for r := range h {
			s.timesLT(s.turned[r*rank : (r+1)*rank])
		}
		vmath.Transpose(s.small[lo:], rank, s.turned, rank, h, rank)
	}
	for r := range rank {
		s.small[r*rank+r]++
	}
	if err := s.f.Factor(ctx, s.small); err != nil {
		return err
	}
	return s.prepareLarge(ctx)
}

// gram writes V_s'D_s V_s to small.
func (s *lowRank) gram(ctx context.Context) error {
	rank, wide := s.m.rank, s.wide
	clear(s.small)
	err := fitting.Blocks(ctx, s.m.n, stripRows, func(lo, hi int) {
		vmath.ScaleRows(s.strip, wide, s.m.parts.Stack[lo*rank:], rank, hi-lo, rank, s.root[lo:hi])
		vmath.Outer(s.small, wide, s.strip, wide, hi-lo, 0, vmath.Add)
	})
	vmath.Mirror(s.small, wide)
	for r := range rank {
		copy(s.small[r*rank:(r+1)*rank], s.small[r*wide:])
	}
	return err
}

// prepareLarge makes W and factors 1 + sqrt(D_l) W W' sqrt(D_l).
func (s *lowRank) prepareLarge(ctx context.Context) error {
	k, rank := len(s.large), s.m.rank
	s.w, s.schur, s.ul = s.w[:k*rank], s.schur[:k*k], s.ul[:k]
	for e, i := range s.large {
		row := s.w[e*rank : (e+1)*rank]
		copy(row, s.m.parts.Stack[i*rank:])
		s.timesLT(row)
		floats.Scale(math.Sqrt(s.d[i]), row)
	}
	if err := s.f.ForwardRows(ctx, s.small, s.w, k); err != nil {
		return err
	}
	s.fs.Resize(k)
	if err := s.factorLarge(ctx); err != nil {
		return err
	}
	for e, i := range s.large {
		floats.Scale(1/math.Sqrt(s.d[i]), s.w[e*rank:(e+1)*rank])
	}
	return nil
}

// factorLarge factors 1 + W W' for the scaled W. If positive enlarges the diagonal, the refinements of solve correct
// the error.
func (s *lowRank) factorLarge(ctx context.Context) error {
	k := len(s.large)
	return positive(ctx, s.fs, s.schur, k, func() error {
		if err := solve.Gram(ctx, s.schur, s.w, k, s.m.rank); err != nil {
			return err
		}
		for e := range k {
			s.schur[e*k+e]++
		}
		return nil
	})
}

// solve solves the system, with iterative refinement. The residual of a solution v is measured as that of the symmetric
// system with the right side b / sqrt(D), whose matrix has no eigenvalue below 1. Where no weights are learned, solve
// always makes all refinements. The methods that switch from SMO have stored results of that kind, which this keeps to
// the bit.
func (s *lowRank) solve(ctx context.Context, v, kv, b []float64) error {
	for i, x := range b {
		s.rest[i] = x
		if s.isLarge[i] {
			s.rest[i] = 0
		}
	}
	clear(s.t)
	vmath.AddRows(s.t, s.m.parts.Stack, s.m.rank, s.m.all, s.rest)
	if err := s.reduced(ctx, b); err != nil {
		return err
	}
	s.sweep(kv, v, func(i int) { v[i], kv[i] = s.example(i, b[i], kv[i]) })
	for range refinements {
		s.timesLT(s.t)
		s.timesL(s.t)
		left, right := 0.0, 0.0
		s.sweep(s.kv, s.near, func(i int) {
			s.rest[i], s.near[i] = 0, 0
			if d := s.d[i]; d > 0 {
				e := (b[i]-v[i])/d - s.kv[i]
				s.rest[i] = d * e
				left += float64(s.rest[i] * e)
				right += float64(b[i] / d * b[i])
			}
			if !s.isLarge[i] {
				s.near[i] = s.rest[i]
			}
		})
		if s.m.learn && left <= refined*refined*right {
			copy(kv, s.kv)
			return nil
		}
		if err := s.reduced(ctx, s.rest); err != nil {
			return err
		}
		s.sweep(kv, v, func(i int) {
			change, _ := s.example(i, s.rest[i], kv[i])
			v[i] += change
		})
	}
	s.timesLT(s.t)
	s.timesL(s.t)
	vmath.RowDots(kv, s.m.parts.Stack, s.m.rank, s.m.n, s.m.rank, s.t)
	return nil
}

// sweepRows is the number of rows of V that stay in the cache.
func sweepRows(rank int) int { return max(8, sweepValues/max(rank, 1)&^7) }

// sweep writes V t to dst, and then V'x to t. It calls each with i once dst[i] is known, for x[i] to be set.
func (s *lowRank) sweep(dst, x []float64, each func(i int)) {
	n, rank := s.m.n, s.m.rank
	rows := sweepRows(rank)
	clear(s.sum)
	for lo := 0; lo < n; lo += rows {
		hi := min(lo+rows, n)
		strip := s.m.parts.Stack[lo*rank : hi*rank]
		vmath.RowDots(dst[lo:hi], strip, rank, hi-lo, rank, s.t)
		for i := lo; i < hi; i++ {
			each(i)
		}
		vmath.AddRows(s.sum, strip, rank, s.m.all[:hi-lo], x[lo:hi])
	}
	copy(s.t, s.sum)
}

// reduced solves the system of the size of the rank for the right side b, from t = V_s'b_s. It leaves v_l in apart, and
// in t the vector with K v = V t.
func (s *lowRank) reduced(ctx context.Context, b []float64) error {
	s.timesLT(s.t)
	if err := s.f.Forward(ctx, s.small, s.t); err != nil {
		return err
	}
	vmath.MatVec(s.ul, s.w, len(s.large), s.m.rank, s.t)
	for e, i := range s.large {
		s.ul[e] = (b[i]/s.d[i] - s.ul[e]) * math.Sqrt(s.d[i])
	}
	if err := s.fs.Solve(ctx, s.schur, s.ul); err != nil {
		return err
	}
	for e, i := range s.large {
		s.ul[e] *= math.Sqrt(s.d[i])
		s.apart[i] = s.ul[e]
	}
	vmath.MatTVec(s.part, s.w, len(s.large), s.m.rank, s.ul)
	vmath.Axpy(1, s.part, s.t)
	if err := s.f.Backward(ctx, s.small, s.t); err != nil {
		return err
	}
	s.timesL(s.t)
	return nil
}

// example returns elements i of v and K v, for the right side b, from element i of V t.
func (s *lowRank) example(i int, b, vt float64) (v, kv float64) {
	if s.isLarge[i] {
		return s.apart[i], (b - s.apart[i]) / s.d[i]
	}
	return b - float64(s.d[i]*vt), vt
}

// setRoots sets the blocks of L.
func (s *lowRank) setRoots() {
	for j, p := range s.m.image {
		u := s.householder[j]
		clear(u)
		s.firstRoot[j], s.size[j] = 1, math.Sqrt(s.m.d[j])
		if norm := vmath.Dot(p, p); s.m.learn && norm > 0 {
			s.firstRoot[j] = math.Sqrt(1 + norm/s.m.w[j])
			copy(u, p)
			u[0] += math.Copysign(math.Sqrt(norm), p[0])
			floats.Scale(1/math.Sqrt(vmath.Dot(u, u)), u)
		}
	}
}

// timesLT multiplies x by L'.
func (s *lowRank) timesLT(x []float64) {
	at := 0
	for j, u := range s.householder {
		if len(u) > 0 {
			s.reflectBlock(j, x[at:at+len(u)])
			x[at] *= s.firstRoot[j]
		}
		at += len(u)
	}
}

// timesL multiplies x by L.
func (s *lowRank) timesL(x []float64) {
	at := 0
	for j, u := range s.householder {
		if len(u) > 0 {
			x[at] *= s.firstRoot[j]
			s.reflectBlock(j, x[at:at+len(u)])
		}
		at += len(u)
	}
}

// reflectBlock multiplies x by the reflection and the size of block j.
func (s *lowRank) reflectBlock(j int, x []float64) {
	u, size := s.householder[j], s.size[j]
	twice := 0.0
	for i, v := range x {
		twice += float64(2 * v * u[i])
	}
	for i := range x {
		x[i] = size * (x[i] - float64(twice*u[i]))
	}
}
