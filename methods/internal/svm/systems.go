package svm

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A system solves (1 + D K) v = b, the reduced Newton equations of interior.go, for the K of a mixture. Where weights
// are learned, K_j + k_j k_j' / w_j takes the place of each K_j (mixture.go).
type system interface {
	prepare(ctx context.Context, d []float64) error
	solve(ctx context.Context, v, kv, b []float64) error // kv = K v
}

// newSystem returns a lowRank if all kernels have factors and it is cheaper than dense. For more than a thousand
// examples a rank below n is enough, since lowRank is more accurate there. Otherwise newSystem returns a dense.
func newSystem(m *mixture, room *scratch) system {
	full := slices.ContainsFunc(m.parts.Whole, func(k []float64) bool { return k != nil })
	if !full && (4*m.rank < m.n || m.n > 1000 && m.rank < m.n) {
		return newLowRank(m, room)
	}
	return newDense(m, room)
}

func newDense(m *mixture, room *scratch) *dense {
	return &dense{m: m, a: room.take(m.n * m.n), stack: room.take(m.rank * m.n), root: room.take(m.n),
		f: solve.NewFactorizer(m.n)}
}

// dense is a system that factors the n x n matrix 1 + sqrt(D) K sqrt(D), whose eigenvalues are at least 1.
type dense struct {
	m       *mixture
	d, root []float64
	a       []float64
	stack   []float64 // n x R: see scaleFactors
	f       *solve.Factorizer
}

func (s *dense) prepare(ctx context.Context, d []float64) error {
	s.d = d
	n := s.m.n
	for i, v := range d {
		s.root[i] = math.Sqrt(v)
	}
	return positive(ctx, s.f, s.a, n, func() error {
		if err := s.sum(ctx); err != nil {
			return err
		}
		for i := range n {
			row, r := s.a[i*n:i*n+i+1], s.root[i]
			for q := range row {
				row[q] *= r * s.root[q]
			}
			row[i]++
		}
		return nil
	})
}

// positive factors the n x n matrix a that fill writes, the sum of 1 and a positive semidefinite matrix. Rounding can
// make it indefinite if equal or nearly equal examples have a large D. Then positive enlarges the diagonal by the share
// 1e-15, 1e-14 .. 1e-10, the least that is enough.
func positive(ctx context.Context, f *solve.Factorizer, a []float64, n int, fill func() error) error {
	for more := 0.0; ; more = max(1e-15, 10*more) {
		if err := fill(); err != nil {
			return err
		}
		for i := range n {
			a[i*n+i] *= 1 + more
		}
		if err := f.Factor(ctx, a); !errors.Is(err, solve.ErrNotPositive) || more > 1e-11 {
			return err
		}
	}
}

// sum writes K.
func (s *dense) sum(ctx context.Context) error {
	m, n := s.m, s.m.n
	if m.rank > 0 {
		if err := s.scaleFactors(ctx); err != nil {
			return err
		}
		if err := solve.Gram(ctx, s.a, s.stack, n, m.rank); err != nil {
			return err
		}
	} else {
		clear(s.a)
	}
	for j, whole := range m.parts.Whole {
		if whole == nil {
			continue
		}
		for i := range n {
			if i%lookRows == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			row := s.a[i*n : i*n+i+1]
			vmath.Axpy(m.d[j], whole[i*n:i*n+i+1], row)
			if m.learn {
				vmath.Axpy(m.d[j]/m.w[j]*m.k[j][i], m.k[j][:i+1], row)
			}
		}
	}
	return nil
}

// lookRows is the number of rows between two looks at the context.
const lookRows = 64

// scaleFactors writes V L for the symmetric root L_j of d_j (1 + p_j p_j' / w_j), p_j = V_j'beta: row i of block j is
// sqrt(d_j) (V_ji + gamma_j k_ji p_j).
func (s *dense) scaleFactors(ctx context.Context) error {
	m := s.m
	copy(s.stack, m.parts.Stack)
	at := 0
	for j, image := range m.image {
		if err := ctx.Err(); err != nil {
			return err
		}
		size, gamma := math.Sqrt(m.d[j]), 0.0
		if norm := vmath.Dot(image, image); m.learn && norm > 0 {
			gamma = (math.Sqrt(1+norm/m.w[j]) - 1) / norm
		}
		for i, k := range m.k[j] {
			row := s.stack[i*m.rank+at:][:len(image)]
			for r, p := range image {
				row[r] = size * (row[r] + float64(gamma*p*k))
			}
		}
		at += len(image)
	}
	return nil
}

func (s *dense) solve(ctx context.Context, v, kv, b []float64) error {
	for i, r := range s.root {
		v[i] = 0
		if r > 0 {
			v[i] = b[i] / r
		}
	}
	if err := s.f.Solve(ctx, s.a, v); err != nil {
		return err
	}
	for i, r := range s.root {
		v[i] *= r
		kv[i] = 0
		if r > 0 {
			kv[i] = (b[i] - v[i]) / s.d[i]
		}
	}
	return nil
}
