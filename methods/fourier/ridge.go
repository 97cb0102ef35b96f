package fourier

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A ridge solves, at a given sigma,
//
//	min over w  sum_c 1/2 |Psi w_c - y_c|^2 + lambda |w_c|^2
//
// in closed form. Psi is the n x width matrix of embedded rows. Because of the 1/2 in the paper's (9), (10) has 2
// lambda here:
//
//	w_c = (Psi'Psi + 2 lambda I)^-1 Psi'y_c = Psi'(Psi Psi' + 2 lambda I)^-1 y_c.
//
// The first (primal) form is used where there are at least as many rows as columns. Then rows are embedded in blocks,
// and Psi is never whole in memory. The second form is called dual. Any number of lambdas share the product Psi'Psi or
// Psi Psi'. Another matrix with the same rows can stand for Psi.
type ridge struct {
	*problem
	width  int // columns of the matrix
	dual   bool
	order  int       // of the linear system: min(n, width)
	gram   []float64 // order x order
	psi    []float64 // dual: n x width
	right  []float64 // primal: outputs x width, Psi'y
	system solve.Shifted
}

func newRidge(p *problem, width int) *ridge {
	r := &ridge{problem: p, width: width, dual: p.n < width, order: min(p.n, width)}
	r.gram = make([]float64, r.order*r.order)
	if r.dual {
		r.psi = make([]float64, p.n*width)
	} else {
		r.right = make([]float64, p.outputs*width)
	}
	return r
}

// ridgeBytes is what newRidge and its use allocate.
func ridgeBytes(n, width, outputs int) int64 {
	order := min(n, width)
	kept := outputs * width
	if n < width {
		kept = n * width
	}
	return 8*int64(2*order*order+kept+rowsAtOnce*(order+panelSlack)) + solve.FactorBytes(order)
}

// panelSlack is how many rows vmath adds at most to a matrix that it packs into panels.
const panelSlack = 24

// embedded returns a function that embeds the rows lo .. hi-1 at sigma, column by column: width x (hi-lo).
func (p *problem) embedded(sigma []float64) func(lo, hi int) []float64 {
	block := p.newWork(p.n, false)
	return func(lo, hi int) []float64 {
		block.embed(p.a[lo*p.inputs:hi*p.inputs], sigma)
		return block.psi[:p.width*(hi-lo)]
	}
}

// prepare computes the products of a matrix, whose rows lo .. hi-1 are rows(lo, hi), width x (hi-lo).
func (r *ridge) prepare(ctx context.Context, rows func(lo, hi int) []float64) error {
	if r.dual {
		return r.prepareDual(ctx, rows)
	}
	clear(r.gram)
	clear(r.right)
	part, y := make([]float64, r.outputs*r.width), make([]float64, r.outputs*min(r.n, rowsAtOnce))
	err := fitting.Blocks(ctx, r.n, rowsAtOnce, func(lo, hi int) {
		h, psi := hi-lo, rows(lo, hi)
		for c := range r.outputs {
			copy(y[c*h:(c+1)*h], r.y[c*r.n+lo:c*r.n+hi])
		}
		vmath.MatMulT(part, y[:r.outputs*h], r.outputs, h, psi, r.width)
		vmath.Axpy(1, part, r.right)
		gramAdd(ctx, r.gram, psi, r.width, h)
	})
	vmath.Mirror(r.gram, r.order)
	return err
}

// gramWork bounds the multiply-adds between two looks at the context to some 50 ms.
const gramWork = 1_000_000_000

// gramAdd calls vmath.GramAdd for all rows, in strips, and looks at the context before each strip. It returns no error:
// once the context is done, the caller's fitting.Blocks returns the context's error.
func gramAdd(ctx context.Context, dst, a []float64, n, k int) {
	_ = fitting.Blocks(ctx, n, max(rowsAtOnce, gramWork/(n*k)),
		func(from, to int) { vmath.GramAdd(dst, a, n, k, from, to) })
}

func (r *ridge) prepareDual(ctx context.Context, rows func(lo, hi int) []float64) error {
	err := fitting.Blocks(ctx, r.n, rowsAtOnce, func(lo, hi int) {
		vmath.Transpose(r.psi[lo*r.width:], r.width, rows(lo, hi), hi-lo, r.width, hi-lo)
	})
	if err != nil {
		return err
	}
	return solve.Gram(ctx, r.gram, r.psi, r.n, r.width)
}

// solve returns w (outputs x width) for a lambda and the matrix that was prepared.
func (r *ridge) solve(ctx context.Context, lambda float64) ([]float64, error) {
	if err := r.system.Factor(ctx, r.gram, r.order, r.order, 0, 2*lambda); err != nil {
		return nil, fmt.Errorf("lambda=%v: %w", lambda, err)
	}
	right := r.right
	if r.dual {
		right = r.y
	}
	x := append([]float64(nil), right...)
	for c := range r.outputs {
		if err := r.system.Solve(ctx, x[c*r.order:(c+1)*r.order]); err != nil {
			return nil, err
		}
	}
	if !r.dual {
		return x, nil
	}
	w := make([]float64, r.outputs*r.width)
	for c := range r.outputs {
		vmath.MatTVec(w[c*r.width:(c+1)*r.width], r.psi, r.n, r.width, x[c*r.n:(c+1)*r.n])
	}
	return w, nil
}

// profile returns the value of (9) at the best w, and this w. It writes the gradient of the value in sigma to gs.
func (r *ridge) profile(ctx context.Context, lambda, rho float64, sigma, gs []float64) (float64, []float64, error) {
	if err := r.prepare(ctx, r.embedded(sigma)); err != nil {
		return 0, nil, err
	}
	w, err := r.solve(ctx, lambda)
	if err != nil {
		return 0, nil, err
	}
	f, err := r.value(ctx, square{factor: 0.5}, lambda, rho, sigma, w, gs)
	return f, w, err
}
