package solve

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A Ridge is ridge regression: for features f (p x n) and K targets r (K x n),
//
//	min over S, s   (1/n) sum_i |r_i - S f_i - s|^2 + rho |S|^2.
//
// Without an intercept s is zero. With one, f and r are centred. Then the minimum is, in closed form,
//
//	S' = (f f' + n rho I)^-1 f r' = f (f'f + n rho I)^-1 r',   s = mean of r - S (mean of f),
//
// by the smaller of two matrices: p x p, the products of the features, or n x n, the products of the rows. Any number
// of penalties rho share it. The zero value is ready for Set.
type Ridge struct {
	p, n      int
	f, means  []float64
	rows      []float64 // f', where n < p
	intercept bool
	gram      []float64
	system    Shifted
}

// RidgeBytes is the memory of a Ridge, besides f and a transposed copy of f where n < p.
func RidgeBytes(p, n int) int64 {
	side := min(p, n)
	return 8*int64(2*side*side+p) + FactorBytes(side)
}

// Set takes the features, which it keeps and centres.
func (r *Ridge) Set(ctx context.Context, f []float64, p, n int, intercept bool) error {
	r.p, r.n, r.f, r.intercept, r.means = p, n, f, intercept, make([]float64, p)
	side := min(p, n)
	r.gram = slices.Grow(r.gram[:0], side*side)[:side*side]
	return r.Renew(ctx, p)
}

// Renew takes the first features again, of which there are count, since their values have changed. The products of the
// others among themselves stay.
func (r *Ridge) Renew(ctx context.Context, count int) error {
	p, n := r.p, r.n
	for j := range count {
		if r.intercept {
			r.means[j] = centre(r.f[j*n : (j+1)*n])
		}
	}
	if n >= p {
		return gramRows(ctx, r.gram, r.f, p, n, count)
	}
	r.rows = slices.Grow(r.rows[:0], p*n)[:p*n]
	vmath.Transpose(r.rows, p, r.f, n, count, n)
	return Gram(ctx, r.gram, r.rows, n, p)
}

// Solve returns S (K x p), s, and the fitted values S f_i + s (K x n).
func (r *Ridge) Solve(ctx context.Context, targets []float64, k int,
	rho float64) (weights, shift, fitted []float64, err error) {
	p, n, side := r.p, r.n, min(r.p, r.n)
	targets, shift = slices.Clone(targets), make([]float64, k)
	for c := range shift {
		if r.intercept {
			shift[c] = centre(targets[c*n : (c+1)*n])
		}
	}
	if err := r.system.Factor(ctx, r.gram, side, side, 0, rho*float64(n)); err != nil {
		return nil, nil, nil, err
	}
	weights, fitted = make([]float64, k*p), make([]float64, k*n)
	for c := range k { // one output after the other: a product of matrices would copy f first
		target, weight, values := targets[c*n:(c+1)*n], weights[c*p:(c+1)*p], fitted[c*n:(c+1)*n]
		if side == p {
			vmath.RowDots(weight, r.f, n, p, n, target)
			err = r.system.Solve(ctx, weight)
		} else {
			err = r.system.Solve(ctx, target)
			vmath.RowDots(weight, r.f, n, p, n, target)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		vmath.MatTVec(values, r.f, p, n, weight)
		for i := range values {
			values[i] += shift[c]
		}
		shift[c] -= vmath.Dot(weight, r.means)
	}
	return weights, shift, fitted, nil
}

// centre subtracts the mean of x and returns it.
func centre(x []float64) float64 {
	mean := vmath.Sum(x) / float64(len(x))
	for i := range x {
		x[i] -= mean
	}
	return mean
}

// A Shifted is the system (G + shift diag(0, .., 0, 1, .., 1)) x = b of symmetric matrices G, of any order one after
// the other, by Cholesky's factor. The zero value is ready to use.
type Shifted struct {
	factor []float64
	solver Factorizer
}

// Factor takes the lower triangle of G (n x n), whose rows are ld apart, and the number of zeros in front of the ones.
// It is cholesky.ErrNotPositive if the sum is not positive definite.
func (s *Shifted) Factor(ctx context.Context, g []float64, ld, n, zeros int, shift float64) error {
	s.factor = slices.Grow(s.factor[:0], n*n)[:n*n]
	for i := range n {
		copy(s.factor[i*n:i*n+i+1], g[i*ld:])
		if i >= zeros {
			s.factor[i*n+i] += shift
		}
	}
	s.solver.Resize(n)
	return s.solver.Factor(ctx, s.factor)
}

// Solve replaces b by x.
func (s *Shifted) Solve(ctx context.Context, b []float64) error {
	return s.solver.Solve(ctx, s.factor, b)
}
