package kernel

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A preconditioner is c I + S K S, S = diag(s), with the Nystroem approximation C'M^-1 C in place of K. C (r x n) are r
// rows of K, and M (r x r) are the columns of C for the same r rows:
//
//	P = c I + S C'M^-1 C S,   P^-1 x = (x - S C'H^-1 C S x) / c,   H = c M + C S^2 C'
//
// (Cutajar, Osborne, Cunningham and Filippone, ICML 2016; P^-1 by the identity of Woodbury). Equal rows of K would make
// H singular, so a multiple of I is added to H. P changes by this, but stays positive definite. A preconditioner
// changes how many products a solution takes, and not the solution.
type preconditioner struct {
	n, r   int
	rows   []float64 // C
	inner  []float64 // M
	scaled []float64 // C S
	small  []float64 // r
	long   []float64 // n
	solver *solve.Factorizer

	largest float64   // max K_ii
	squares []float64 // of the scaled rows: see factorPositive
}

const (
	// rankFactor times sqrt(n) is r. H then takes n r^2/2 multiply-adds, as much as two products with K.
	rankFactor = 2
	// jitter times the trace of H is added to the diagonal of H. It is larger than the rounding of a Cholesky factor of
	// H.
	jitter = 1e-12
	// distanceRounding times the largest squared norm of the scaled rows bounds the rounding of a Gaussian kernel's
	// elements.
	distanceRounding = 0x1p-49
)

// factorPositive factors the n x n matrix that fill writes to a, and whose trace fill returns, plus a multiple of I.
// The multiple is jitter times the trace. Rows far from zero, such as those with a constant column of large values,
// lose digits in their distances. If this leaves no Cholesky factor, the multiple is that of the rounding of distances.
// squares are the squared norms of the scaled rows.
func factorPositive(ctx context.Context, solver *solve.Factorizer, a []float64, n int, squares []float64,
	fill func() (trace float64, err error)) error {
	shares := []float64{jitter}
	if more := distanceRounding * slices.Max(squares); more > jitter {
		shares = append(shares, more)
	}
	for _, share := range shares {
		trace, err := fill()
		if err != nil {
			return err
		}
		for i := range n {
			a[i*n+i] += float64(share * trace)
		}
		if err := solver.Factor(ctx, a); !errors.Is(err, solve.ErrNotPositive) {
			return err
		}
	}
	return solve.ErrNotPositive
}

// nystroemRank is the rank r of the preconditioner for n rows.
func nystroemRank(n int) int { return max(1, min(n/2, int(rankFactor*math.Sqrt(float64(n))))) }

// newPreconditioner returns a preconditioner from rows of K at even distances.
func newPreconditioner(ctx context.Context, k *operator) (*preconditioner, error) {
	n, r := k.n, nystroemRank(k.n)
	p := &preconditioner{n: n, r: r, rows: make([]float64, r*n), inner: make([]float64, r*r),
		scaled: make([]float64, r*n),
		small:  make([]float64, r), long: make([]float64, n), solver: solve.NewFactorizer(r), largest: k.largest(),
		squares: k.squares}
	at := make([]int, r)
	for i := range at {
		at[i] = (2*i + 1) * n / (2 * r)
	}
	err := fitting.Blocks(ctx, r, rowsAtOnce, func(lo, hi int) { k.rows(p.rows[lo*n:hi*n], at[lo:hi]) })
	for i := range r {
		for j, column := range at {
			p.inner[i*r+j] = p.rows[i*n+column]
		}
	}
	return p, err
}

// weigh sets h (r x r) to the factor of H.
func (p *preconditioner) weigh(ctx context.Context, h []float64, c float64, s []float64) error {
	err := fitting.Blocks(ctx, p.r, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			floats.MulTo(p.scaled[i*p.n:(i+1)*p.n], p.rows[i*p.n:(i+1)*p.n], s)
		}
	})
	if err != nil {
		return err
	}
	return factorPositive(ctx, p.solver, h, p.r, p.squares, func() (trace float64, err error) {
		if err := solve.Gram(ctx, h, p.scaled, p.r, p.n); err != nil {
			return 0, err
		}
		vmath.Axpy(c, p.inner, h)
		for i := range p.r {
			trace += h[i*p.r+i]
		}
		return trace, nil
	})
}

// solve sets dst to P^-1 x, from the h that weigh has made of c and s.
func (p *preconditioner) solve(ctx context.Context, dst, h []float64, c float64, s, x []float64) error {
	floats.MulTo(p.long, s, x)
	vmath.RowDots(p.small, p.rows, p.n, p.r, p.n, p.long)
	if err := p.solver.Solve(ctx, h, p.small); err != nil {
		return err
	}
	vmath.MatTVec(p.long, p.rows, p.r, p.n, p.small)
	for i, v := range p.long {
		dst[i] = (x[i] - float64(s[i]*v)) / c
	}
	return nil
}
