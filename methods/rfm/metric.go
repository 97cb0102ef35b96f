package rfm

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// rowsAtOnce is the height of a strip of the kernel matrix.
const rowsAtOnce = 64

// equal is the squared distance, relative to the squared norms of two rows, below which the rows count as equal: smaller
// distances are rounding, since they are differences of inner products.
const equal = 1e-13

// rows are n rows x of d features under a metric M.
type rows struct {
	n, d    int
	x       []float64 // n x d
	turned  []float64 // xM, n x d
	squares []float64 // x'Mx of each row
}

// under returns rows under a metric.
func under(x []float64, d int, metric []float64) rows {
	n := len(x) / d
	r := rows{n, d, x, make([]float64, n*d), make([]float64, n)}
	vmath.MatMul(r.turned, x, n, d, metric, d)
	for i := range n {
		r.squares[i] = vmath.Dot(x[i*d:(i+1)*d], r.turned[i*d:(i+1)*d])
	}
	return r
}

// part returns the rows lo .. hi-1.
func (r rows) part(lo, hi int) rows {
	return rows{hi - lo, r.d, r.x[lo*r.d : hi*r.d], r.turned[lo*r.d : hi*r.d], r.squares[lo:hi]}
}

// kernel writes the kernel matrix of rows z with the rows r, which are k = exp(-|z-x|/bandwidth), and, unless slopes is nil, the
// slopes k / (bandwidth |z-x|), which are 0 for equal rows. Both are z.n x r.n.
func (r rows) kernel(k, slopes []float64, z rows, bandwidth float64) {
	vmath.MatMulT(k, z.x, z.n, r.d, r.turned, r.n)
	for i := range z.n {
		row := k[i*r.n : (i+1)*r.n]
		for j, dot := range row {
			sum := z.squares[i] + r.squares[j]
			row[j] = 0
			if square := sum - 2*dot; square > equal*sum {
				row[j] = -math.Sqrt(square) / bandwidth
			}
		}
		if slopes == nil {
			vmath.Exp(row, row)
			continue
		}
		slope := slopes[i*r.n : (i+1)*r.n]
		copy(slope, row)
		vmath.Exp(row, row)
		for j, v := range slope {
			if v != 0 {
				slope[j] = row[j] / (-v * bandwidth * bandwidth)
			}
		}
	}
}

// gradients returns the gradients (n x d) of f(z) = sum_i alpha_i k(x_i, z) at the rows: with the slopes s,
//
//	grad f(z) = -sum_i alpha_i s(x_i, z) M (z - x_i).
func (r rows) gradients(ctx context.Context, slopes, alpha []float64) ([]float64, error) {
	weighted, out, sums := make([]float64, r.n*r.d), make([]float64, r.n*r.d), make([]float64, r.n)
	for i, a := range alpha {
		vmath.Axpy(a, r.turned[i*r.d:(i+1)*r.d], weighted[i*r.d:(i+1)*r.d])
	}
	err := fitting.Blocks(ctx, r.n, rowsAtOnce, func(lo, hi int) {
		strip := slopes[lo*r.n : hi*r.n]
		vmath.MatMul(out[lo*r.d:hi*r.d], strip, hi-lo, r.n, weighted, r.d)
		vmath.MatVec(sums[lo:hi], strip, hi-lo, r.n, alpha)
		for i := lo; i < hi; i++ {
			vmath.Axpy(-sums[i], r.turned[i*r.d:(i+1)*r.d], out[i*r.d:(i+1)*r.d])
		}
	})
	return out, err
}
