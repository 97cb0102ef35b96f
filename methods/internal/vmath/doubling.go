package vmath

import "math"

// Doublings is the number of kernel coefficients of AddGaussians.
const Doublings = 10

// AddGaussians evaluates ten machines with Gaussian kernels on the same n rows: for k < Doublings it adds to dst[k n +
// i] the sum over j of coefs[j Doublings + k] exp(-2^k g |x_i - z_j|^2). dots[j n + i] is x_i.z_j, rows[i] is x_i.x_i,
// and points[j] is z_j.z_j. Each kernel is the square of the kernel before, so a pair of rows takes one exponential. A
// kernel value below 1e-150 counts as 1e-150, and kernel k has an error of 2^k units in the last place. A distance that
// rounding makes negative counts as zero.
func AddGaussians(dst, dots, rows, points, coefs []float64, g float64) {
	sameLength("AddGaussians", "dst", len(dst), "rows", Doublings*len(rows))
	sameLength("AddGaussians", "dots", len(dots), "rows and points", len(rows)*len(points))
	sameLength("AddGaussians", "coefs", len(coefs), "points", Doublings*len(points))
	addGaussians(dst, dots, rows, points, coefs, g)
}

// faint is the least kernel value: squares of smaller values are subnormal, and slow.
const faint = 1e-150

func addGaussiansRef(dst, dots, rows, points, coefs []float64, g float64) {
	n := len(rows)
	for i, s := range rows {
		var sums [Doublings]float64
		for j, t := range points {
			q := math.FMA(-2, dots[j*n+i], s+t)
			if q < 0 {
				q = 0
			}
			x := -g * q
			if x < -700 {
				x = -700
			}
			e := expRef(x)
			for k, c := range coefs[j*Doublings : (j+1)*Doublings] {
				if e < faint {
					e = faint
				}
				sums[k] = math.FMA(c, e, sums[k])
				e *= e
			}
		}
		for k, v := range sums {
			dst[k*n+i] += v
		}
	}
}
