package rfrboost

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// ridge solves, for features f (p x n) and K targets r (K x n),
//
//	min over S, s   (1/n) sum_i |r_i - S f_i - s|^2 + rho |S|^2,
//
// by the smaller of two matrices: p x p, the products of the features, or n x n, the products of the rows. Without an intercept
// s is zero. ridge returns S (K x p), s and the fitted values S f_i + s (K x n).
func ridge(ctx context.Context, f []float64, p, n int, r []float64, k int, rho float64, intercept bool) (weights, shift, fitted []float64, err error) {
	r = slices.Clone(r)
	means, shift := make([]float64, p), make([]float64, k)
	if intercept {
		f = slices.Clone(f)
		for j := range means {
			means[j] = centre(f[j*n : (j+1)*n])
		}
		for c := range shift {
			shift[c] = centre(r[c*n : (c+1)*n])
		}
	}
	weights = make([]float64, k*p)
	side, rows := p, f
	if n < p {
		side, rows = n, vmath.Transposed(f, p, n)
	}
	gram := make([]float64, side*side)
	if err := cholesky.Gram(ctx, gram, rows, side, max(n, p)); err != nil {
		return nil, nil, nil, err
	}
	for j := range side {
		gram[j*side+j] += float64(rho * float64(n))
	}
	factor := cholesky.New(side)
	if err := factor.Factor(ctx, gram); err != nil {
		return nil, nil, nil, err
	}
	right := r
	if side == p {
		vmath.MatMulT(weights, r, k, n, f, p)
		right = weights
	}
	for c := range k {
		if err := factor.Solve(ctx, gram, right[c*side:(c+1)*side]); err != nil {
			return nil, nil, nil, err
		}
	}
	if side != p {
		vmath.MatMulT(weights, r, k, n, f, p)
	}
	fitted = make([]float64, k*n)
	vmath.MatMul(fitted, weights, k, p, f, n)
	for c := range k {
		for i := range n {
			fitted[c*n+i] += shift[c]
		}
		shift[c] -= vmath.Dot(weights[c*p:(c+1)*p], means)
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
