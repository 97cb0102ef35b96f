package rfm

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// rowsAtOnce is the height of a strip of the kernel matrix.
const rowsAtOnce = 64

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

// kernel writes the kernel matrix of rows z with the rows r, which are k = exp(-|z-x|/bandwidth), and, unless slopes is
// nil, the slopes k / (bandwidth |z-x|), which are 0 for equal rows. Both are z.n x r.n.
func (r rows) kernel(k, slopes []float64, z rows, bandwidth float64) {
	vmath.MatMulT(k, z.x, z.n, r.d, r.turned, r.n)
	for i := range z.n {
		row, slope := k[i*r.n:(i+1)*r.n], []float64(nil)
		if slopes != nil {
			slope = slopes[i*r.n : (i+1)*r.n]
		}
		vmath.Laplace(row, slope, row, r.squares, z.squares[i], bandwidth)
	}
}

// fill writes the kernel matrix of the training rows to the lower triangle of f.k, without its diagonal, and, if slopes
// is set, their slopes to the upper triangle. Both matrices are symmetric, and the slopes' diagonal is zero.
func (f *fit) fill(ctx context.Context, slopes bool) error {
	n, k, s := f.n, make([]float64, rowsAtOnce*f.n), []float64(nil)
	if slopes {
		s = make([]float64, rowsAtOnce*n)
	}
	return fitting.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) {
		h := hi - lo
		f.rows.part(0, hi).kernel(k[:h*hi], s, f.rows.part(lo, hi), f.bandwidth)
		if slopes {
			vmath.Transpose(f.k[lo:], n, s, hi, h, hi)
		}
		for i := range h { // after the slopes, which go to the whole of the block on the diagonal
			copy(f.k[(lo+i)*n:(lo+i)*n+lo+i], k[i*hi:])
		}
	})
}

// gradients returns the gradients of f(z) = sum_i alpha_i k(x_i, z) at the training rows, for each output: with the
// slopes s,
//
//	grad f(z) = -sum_i alpha_i s(x_i, z) M (z - x_i).
//
// They are columns: the answer is d x (n outputs).
func (f *fit) gradients(ctx context.Context) ([]float64, error) {
	n, d, outputs := f.n, f.d, len(f.ys)
	wide := outputs * d
	weighted, out := make([]float64, n*wide), make([]float64, n*wide)
	for at, a := range f.alpha {
		c, i := at/n, at%n
		vmath.Axpy(a, f.rows.turned[i*d:(i+1)*d], weighted[i*wide+c*d:i*wide+(c+1)*d])
	}
	strip, product, sums := make([]float64, rowsAtOnce*n), make([]float64, rowsAtOnce*wide), make([]float64, rowsAtOnce)
	err := fitting.Blocks(ctx, n, rowsAtOnce, func(lo, hi int) {
		h := hi - lo
		f.slopes(strip, lo, hi)
		vmath.MatMul(product[:h*wide], strip[:h*n], h, n, weighted, wide)
		for c := range outputs {
			vmath.MatVec(sums[:h], strip[:h*n], h, n, f.alpha[c*n:(c+1)*n])
			for i := range h {
				gradient := product[i*wide+c*d : i*wide+(c+1)*d]
				vmath.Axpy(-sums[i], f.rows.turned[(lo+i)*d:(lo+i+1)*d], gradient)
				for q, v := range gradient {
					out[(q*outputs+c)*n+lo+i] = v
				}
			}
		}
	})
	return out, err
}

// slopes writes the rows lo .. hi-1 of the slopes, whose upper triangle is that of f.k, to strip.
func (f *fit) slopes(strip []float64, lo, hi int) {
	n := f.n
	vmath.Transpose(strip, n, f.k[lo:], n, hi, hi-lo)
	for i := lo; i < hi; i++ {
		row := strip[(i-lo)*n : (i-lo+1)*n]
		row[i] = 0
		copy(row[i+1:], f.k[i*n+i+1:(i+1)*n])
	}
}
