package mfga

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A ridge solves, for the active columns A = [1 Phi] and theta = (b, theta_1, .., theta_k),
//
//	min over theta   (1/n) |A theta - y|^2 + lambda sum_{j>=1} theta_j^2,
//
// by the Cholesky factor of A'A + n lambda diag(0, 1, .., 1). A'A grows with the active set: a step computes the
// products of the new columns with all columns. Grid points with the same first columns share the products of these
// columns.
type ridge struct {
	*design
	y          []float64
	gram       []float64 // A'A of the known columns: lower triangle, rows ld apart
	right      []float64 // A'y of the known columns
	multiplied int
	solution   []float64
	residual   []float64 // f - y
	system     solve.Shifted
}

func newRidge(d *design, y []float64) *ridge {
	return &ridge{design: d, y: y, gram: make([]float64, d.ld*d.ld), right: make([]float64, d.ld),
		residual: make([]float64, d.n)}
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
	if err := r.system.Factor(ctx, r.gram, r.ld, cols, r.lead, float64(r.n)*lambda); err != nil {
		return fmt.Errorf("lambda=%v: %w", lambda, err)
	}
	r.solution = append(r.solution[:0], r.right[:cols]...)
	if err := r.system.Solve(ctx, r.solution); err != nil {
		return err
	}
	return fitting.Blocks(ctx, r.n, blockRows, func(lo, hi int) {
		f := r.residual[lo:hi]
		vmath.RowDots(f, r.strip(lo, hi), r.ld, hi-lo, cols, r.solution)
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
		block := r.strip(lo, hi)
		vmath.Outer(sum, m, block, r.ld, hi-lo, from, vmath.Add)
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
