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
// s is zero. ridge returns S (K x p), s and the fitted values S f_i + s (K x n). It centres f. gram is memory for the matrix.
func ridge(ctx context.Context, f []float64, p, n int, r []float64, k int, rho float64, intercept bool, gram []float64) (weights, shift, fitted []float64, err error) {
	r = slices.Clone(r)
	means, shift := make([]float64, p), make([]float64, k)
	if intercept {
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
	gram = gram[:side*side]
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
	fitted = make([]float64, k*n)
	for c := range k { // one output after the other: a product of matrices would copy f first
		target, weight, values := r[c*n:(c+1)*n], weights[c*p:(c+1)*p], fitted[c*n:(c+1)*n]
		if side == p {
			vmath.RowDots(weight, f, n, p, n, target)
			err = factor.Solve(ctx, gram, weight)
		} else {
			err = factor.Solve(ctx, gram, target)
			vmath.RowDots(weight, f, n, p, n, target)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		vmath.MatTVec(values, f, p, n, weight)
		for i := range values {
			values[i] += shift[c]
		}
		shift[c] -= vmath.Dot(weight, means)
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
