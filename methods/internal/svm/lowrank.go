package svm

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// lowRank solves (1 + D K) v = b through a system of the size of the rank of K = U U', U = V L, by Woodbury's formula (Fine and
// Scheinberg, JMLR 2001).
//
// The examples with the largest D_i K_ii are kept apart (index l), since for them the two terms of v = b - D U t are large and
// would cancel. The other examples (index s) are eliminated with A = 1 + U_s'D_s U_s = C C'. With W = U_l C^-T this leaves for
// the examples l
//
//	(1/D_l + W W') v_l = b_l / D_l - W C^-1 U_s'b_s.
//
// Scaling by sqrt(D_l) on both sides makes this matrix well conditioned. Then t = U'v = C^-T (C^-1 U_s'b_s + W'v_l), K v = U t,
// and v_s = b_s - D_s U_s t.
//
// Where weights are learned, L has a block L_j for each kernel, with L_j L_j' = d_j (1 + p_j p_j' / w_j) and p_j = V_j'beta.
// L_j is the product of sqrt(d_j), the Householder reflection that takes the first axis to p_j, and diag(sqrt(1 + |p_j|^2 /
// w_j), 1, .., 1). The first element of this diagonal can be 10^5. As a scaling it does not spoil the factorisation of A.
type lowRank struct {
	m    *mixture
	rank int
	d    []float64
	own  [][]float64 // of each kernel: the diagonal of K_j

	large       []int  // l, ascending
	isLarge     []bool // of each example: whether it is in large
	scaled      []float64
	small       []float64 // A, then C
	w, schur    []float64
	f, fs       *cholesky.Factorizer
	householder [][]float64 // of each kernel: the unit vector of its reflection, or zeros for no reflection
	firstRoot   []float64   // of each kernel: the root on the first axis
	size        []float64   // of each kernel: sqrt(d_j)
	most        int         // the most examples that are kept apart
	t, column   []float64   // rank
	pt, ul      []float64

	kv, rest, correction, diagonal []float64 // n
}

func newLowRank(m *mixture, rank int, room *scratch) *lowRank {
	n := m.n
	most := min(n, max(rank, leastApart))
	s := &lowRank{m: m, rank: rank, most: most, isLarge: make([]bool, n), f: cholesky.New(rank), fs: cholesky.New(0)}
	s.scaled, s.small, s.w, s.schur = room.take(rank*n), room.take(rank*rank), room.take(most*rank), room.take(most*most)
	s.t, s.pt, s.column, s.ul = room.take(rank), room.take(rank), room.take(rank), room.take(most)
	s.kv, s.rest, s.correction, s.diagonal = room.take(n), room.take(n), room.take(n), room.take(n)
	for j, p := range m.parts {
		own, kernel := room.take(n), len(p.Factor)/n
		for r := range kernel {
			for i, v := range p.Factor[r*n : (r+1)*n] {
				own[i] += float64(v * v)
			}
		}
		s.own, s.householder = append(s.own, own), append(s.householder, room.take(len(m.image[j])))
	}
	s.firstRoot, s.size = room.take(len(m.parts)), room.take(len(m.parts))
	return s
}

const (
	// apartFrom is the D_i K_ii above which an example may be kept apart.
	apartFrom = 100
	// leastApart examples may be kept apart even if the rank is less: at the optimum, more rows than the rank can be on the
	// margin, if rows are equal.
	leastApart = 256
	// refinements is how many times solve corrects a solution by its residual.
	refinements = 3
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

func (s *lowRank) prepare(ctx context.Context, m *mixture, d []float64) error {
	s.d = d
	s.setRoots()
	s.split()
	n, at := m.n, 0
	for _, p := range m.parts {
		for lo := 0; lo < len(p.Factor); lo += n {
			if err := ctx.Err(); err != nil {
				return err
			}
			for i, v := range p.Factor[lo : lo+n] {
				s.scaled[at*n+i] = 0
				if !s.isLarge[i] {
					s.scaled[at*n+i] = v * math.Sqrt(d[i])
				}
			}
			at++
		}
	}
	if err := cholesky.Gram(ctx, s.small, s.scaled, s.rank, n); err != nil {
		return err
	}
	for r := range s.rank {
		s.timesLT(s.small[r*s.rank : (r+1)*s.rank])
	}
	for c := range s.rank {
		if err := ctx.Err(); err != nil {
			return err
		}
		for r := range s.column {
			s.column[r] = s.small[r*s.rank+c]
		}
		s.timesLT(s.column)
		for r, v := range s.column {
			s.small[r*s.rank+c] = v
		}
	}
	for r := range s.rank {
		s.small[r*s.rank+r]++
	}
	if err := s.f.Factor(ctx, s.small); err != nil {
		return err
	}
	return s.prepareLarge(ctx)
}

// prepareLarge makes W and factors 1 + sqrt(D_l) W W' sqrt(D_l).
func (s *lowRank) prepareLarge(ctx context.Context) error {
	k, rank := len(s.large), s.rank
	s.w, s.schur, s.ul = s.w[:k*rank], s.schur[:k*k], s.ul[:k]
	at := 0
	for _, p := range s.m.parts {
		for lo := 0; lo < len(p.Factor); lo += s.m.n {
			for e, i := range s.large {
				s.w[e*rank+at] = p.Factor[lo+i]
			}
			at++
		}
	}
	for e, i := range s.large {
		row := s.w[e*rank : (e+1)*rank]
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

// factorLarge factors 1 + W W' for the scaled W. If positive enlarges the diagonal, the refinements of solve correct the error.
func (s *lowRank) factorLarge(ctx context.Context) error {
	k := len(s.large)
	return positive(ctx, s.fs, s.schur, k, func() error {
		if err := cholesky.Gram(ctx, s.schur, s.w, k, s.rank); err != nil {
			return err
		}
		for e := range k {
			s.schur[e*k+e]++
		}
		return nil
	})
}

// solve solves the system, with iterative refinement.
func (s *lowRank) solve(ctx context.Context, v, kv, b []float64) error {
	if err := s.once(ctx, v, kv, b); err != nil {
		return err
	}
	for range refinements {
		s.kernel(s.kv, v)
		for i, d := range s.d {
			s.rest[i] = 0
			if d > 0 {
				s.rest[i] = d * ((b[i]-v[i])/d - s.kv[i])
			}
		}
		if err := s.once(ctx, s.correction, s.kv, s.rest); err != nil {
			return err
		}
		vmath.Axpy(1, s.correction, v)
	}
	s.kernel(kv, v)
	return nil
}

// kernel writes K v.
func (s *lowRank) kernel(dst, v []float64) {
	s.image(s.t, v)
	s.values(dst, s.correction, s.t)
}

// once solves the system without refinement.
func (s *lowRank) once(ctx context.Context, v, kv, b []float64) error {
	copy(v, b)
	for _, i := range s.large {
		v[i] = 0
	}
	s.image(s.t, v)
	if err := s.f.Forward(ctx, s.small, s.t); err != nil {
		return err
	}
	vmath.MatVec(s.ul, s.w, len(s.large), s.rank, s.t)
	for e, i := range s.large {
		s.ul[e] = (b[i]/s.d[i] - s.ul[e]) * math.Sqrt(s.d[i])
	}
	if err := s.fs.Solve(ctx, s.schur, s.ul); err != nil {
		return err
	}
	for e, i := range s.large {
		s.ul[e] *= math.Sqrt(s.d[i])
	}
	vmath.MatTVec(s.pt, s.w, len(s.large), s.rank, s.ul)
	vmath.Axpy(1, s.pt, s.t)
	if err := s.f.Backward(ctx, s.small, s.t); err != nil {
		return err
	}
	s.values(kv, v, s.t)
	for i := range v {
		v[i] = b[i] - float64(s.d[i]*kv[i])
	}
	for e, i := range s.large {
		v[i], kv[i] = s.ul[e], (b[i]-s.ul[e])/s.d[i]
	}
	return nil
}

// image writes U'x.
func (s *lowRank) image(t, x []float64) {
	at := 0
	for _, p := range s.m.parts {
		rank := len(p.Factor) / s.m.n
		vmath.MatVec(t[at:at+rank], p.Factor, rank, s.m.n, x)
		at += rank
	}
	s.timesLT(t)
}

// values writes U t to dst, and overwrites t and scratch.
func (s *lowRank) values(dst, scratch, t []float64) {
	clear(dst)
	at := 0
	for j, p := range s.m.parts {
		x := t[at : at+len(s.householder[j])]
		if len(x) > 0 {
			x[0] *= s.firstRoot[j]
			s.reflectBlock(j, x)
			vmath.MatTVec(scratch, p.Factor, len(x), s.m.n, x)
			vmath.Axpy(1, scratch, dst)
		}
		at += len(x)
	}
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
