package svm

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A system solves (1 + D K) v = b, the reduced Newton equations of interior.go, for the K of a mixture. Where weights are
// learned, K_j + k_j k_j' / w_j takes the place of each K_j (mixture.go).
type system interface {
	prepare(ctx context.Context, m *mixture, d []float64) error
	solve(ctx context.Context, v, kv, b []float64) error // kv = K v
}

// newSystem returns a lowRank if all kernels have factors and it is cheaper than dense. For more than a thousand examples a
// rank below n is enough, since lowRank is more accurate there. Otherwise newSystem returns a dense.
func newSystem(m *mixture, room *scratch) system {
	rank, full := 0, false
	for _, p := range m.parts {
		rank += len(p.Factor) / m.n
		full = full || p.Matrix != nil
	}
	if !full && (4*rank < m.n || m.n > 1000 && rank < m.n) {
		return newLowRank(m, rank, room)
	}
	return newDense(m, rank, room)
}

func newDense(m *mixture, rank int, room *scratch) *dense {
	return &dense{m: m, rank: rank, a: room.take(m.n * m.n), stack: room.take(rank * m.n), root: room.take(m.n), f: cholesky.New(m.n)}
}

// dense is a system that factors the n x n matrix 1 + sqrt(D) K sqrt(D), whose eigenvalues are at least 1.
type dense struct {
	m       *mixture
	rank    int // of the kernels with a factor
	d, root []float64
	a       []float64
	stack   []float64 // n x rank: see stackFactors
	f       *cholesky.Factorizer
}

func (s *dense) prepare(ctx context.Context, m *mixture, d []float64) error {
	s.d = d
	n := m.n
	for i, v := range d {
		s.root[i] = math.Sqrt(v)
	}
	return positive(ctx, s.f, s.a, n, func() error {
		if err := s.sum(ctx, m); err != nil {
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

// positive factors the n x n matrix a that fill writes, the sum of 1 and a positive semidefinite matrix. Rounding can make it
// indefinite if equal or nearly equal examples have a large D. Then positive enlarges the diagonal by the share 1e-15, 1e-14 ..
// 1e-10, the least that is enough.
func positive(ctx context.Context, f *cholesky.Factorizer, a []float64, n int, fill func() error) error {
	for more := 0.0; ; more = max(1e-15, 10*more) {
		if err := fill(); err != nil {
			return err
		}
		for i := range n {
			a[i*n+i] *= 1 + more
		}
		if err := f.Factor(ctx, a); !errors.Is(err, cholesky.ErrNotPositive) || more > 1e-11 {
			return err
		}
	}
}

// sum writes K.
func (s *dense) sum(ctx context.Context, m *mixture) error {
	n := m.n
	if s.rank > 0 {
		if err := s.stackFactors(ctx, m); err != nil {
			return err
		}
		if err := cholesky.Gram(ctx, s.a, s.stack, n, s.rank); err != nil {
			return err
		}
	} else {
		clear(s.a)
	}
	for j, p := range m.parts {
		if p.Matrix == nil {
			continue
		}
		for i := range n {
			if i%lookRows == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			row := s.a[i*n : i*n+i+1]
			vmath.Axpy(m.d[j], p.Matrix[i*n:i*n+i+1], row)
			if m.learn {
				vmath.Axpy(m.d[j]/m.w[j]*m.k[j][i], m.k[j][:i+1], row)
			}
		}
	}
	return nil
}

// lookRows is the number of rows between two looks at the context.
const lookRows = 64

// stackFactors writes V L for the symmetric root L_j of d_j (1 + p_j p_j' / w_j): row i of block j is sqrt(d_j) (V_ji + gamma_j
// k_ji p_j).
func (s *dense) stackFactors(ctx context.Context, m *mixture) error {
	for lo := 0; lo < m.n; lo += lookRows { // lookRows rows of the stack stay in the cache
		if err := ctx.Err(); err != nil {
			return err
		}
		hi, at := min(lo+lookRows, m.n), 0
		for j, p := range m.parts {
			if p.Matrix != nil {
				continue
			}
			size, image := math.Sqrt(m.d[j]), m.image[j]
			gamma := 0.0
			if norm := vmath.Dot(image, image); m.learn && norm > 0 {
				gamma = (math.Sqrt(1+norm/m.w[j]) - 1) / norm
			}
			for r, pr := range image {
				for i := lo; i < hi; i++ {
					s.stack[i*s.rank+at] = size * (p.Factor[r*m.n+i] + float64(gamma*pr*m.k[j][i]))
				}
				at++
			}
		}
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
