package mfga

import (
	"context"
	"errors"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A ridge solves, for the active columns A = [1 Phi] and theta = (b, theta_1, .., theta_k),
//
//	min over theta   (1/n) |A theta - y|^2 + lambda sum_{j>=1} theta_j^2,
//
// by the Cholesky factor of A'A + n lambda diag(0, 1, .., 1). A'A grows with the active set: a step computes the products of
// the new columns with all columns. Grid points with the same first columns share the products of these columns.
type ridge struct {
	*design
	y          []float64
	gram       []float64 // A'A of the known columns: lower triangle, rows ld apart
	right      []float64 // A'y of the known columns
	multiplied int
	solution   []float64
	residual   []float64 // f - y
	sizeable
}

func newRidge(d *design, y []float64) *ridge {
	return &ridge{design: d, y: y, gram: make([]float64, d.ld*d.ld), right: make([]float64, d.ld), residual: make([]float64, d.n)}
}

func (r *ridge) theta() []float64 { return r.solution }
func (r *ridge) slope() []float64 { return r.residual }
func (r *ridge) open() float64    { return 0 }

func (r *ridge) start() error {
	r.solution = make([]float64, r.lead)
	if r.lead == 1 {
		r.solution[0] = vmath.Sum(r.y) / float64(r.n)
	}
	for i, y := range r.y {
		r.residual[i] = -y
		if r.lead == 1 {
			r.residual[i] = r.solution[0] - y
		}
	}
	return nil
}

func (r *ridge) solve(ctx context.Context, k int, lambda float64) error {
	cols := r.lead + k
	if err := r.products(ctx, cols); err != nil {
		return err
	}
	a := r.resize(cols)
	for j := range cols {
		copy(a[j*cols:j*cols+j+1], r.gram[j*r.ld:])
		if j >= r.lead {
			a[j*cols+j] += float64(float64(r.n) * lambda)
		}
	}
	if err := r.factor(ctx, lambda); err != nil {
		return err
	}
	r.solution = append(r.solution[:0], r.right[:cols]...)
	if err := r.backsolve(ctx, r.solution); err != nil {
		return err
	}
	return fitting.Blocks(ctx, r.n, blockRows, func(lo, hi int) {
		f := r.residual[lo:hi]
		vmath.RowDots(f, r.rows[lo*r.ld:hi*r.ld], r.ld, hi-lo, cols, r.solution)
		for i, y := range r.y[lo:hi] {
			f[i] -= y
		}
	})
}

// products extends the lower triangle of A'A, and A'y, to cols columns.
func (r *ridge) products(ctx context.Context, cols int) error {
	r.multiplied = min(r.multiplied, r.lead+r.unchanged)
	r.unchanged = len(r.computed)
	if r.multiplied >= cols {
		return nil
	}
	from, m := r.multiplied&^7, (cols+7)&^7
	sum, right, part := make([]float64, m*m), make([]float64, cols), make([]float64, cols)
	err := fitting.Blocks(ctx, r.n, blockRows, func(lo, hi int) {
		block := r.rows[lo*r.ld : hi*r.ld]
		vmath.Outer(sum, m, block, r.ld, hi-lo, from, vmath.Gain)
		vmath.StridedMatTVec(part, block, r.ld, hi-lo, cols, r.y[lo:hi])
		vmath.Axpy(1, part, right)
	})
	if err != nil {
		return err
	}
	for j := r.multiplied; j < cols; j++ {
		for i := range j + 1 {
			r.gram[j*r.ld+i] = sum[i*m+j]
		}
		r.right[j] = right[j]
	}
	r.multiplied = cols
	return nil
}

// A sizeable is the memory of a system of equations whose size changes.
type sizeable struct {
	equations int
	system    []float64 // equations x equations; the lower triangle holds the matrix, and after factor its Cholesky factor
	solver    *cholesky.Factorizer
}

// resize returns the matrix of n equations, which the caller writes.
func (s *sizeable) resize(n int) []float64 {
	if s.equations != n || s.solver == nil {
		s.equations, s.system, s.solver = n, make([]float64, n*n), cholesky.New(n)
	}
	return s.system
}

func (s *sizeable) factor(ctx context.Context, lambda float64) error {
	err := s.solver.Factor(ctx, s.system)
	if errors.Is(err, cholesky.ErrNotPositive) {
		return fmt.Errorf("lambda=%v: the products of %d columns with their penalty are not positive definite: raise lambda", lambda, s.equations)
	}
	return err
}

func (s *sizeable) backsolve(ctx context.Context, b []float64) error {
	return s.solver.Solve(ctx, s.system, b)
}
