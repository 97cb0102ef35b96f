package kernel

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// errNotPositive says that a matrix has no Cholesky factor.
var errNotPositive = errors.New("the kernel matrix with its penalty is not positive definite: raise lambda")

const blockSize = 64

// A factorizer holds the scratch memory of factorisations of n x n matrices.
type factorizer struct {
	n            int
	panel, tail  []float64
	update, head []float64
}

func newFactorizer(n int) *factorizer { return &factorizer{n: n} }

// factorBytes is what a factorizer allocates: panels of the matrix beside it.
func factorBytes(n int64) int64 { return 8 * (n*n/4 + 2*n*blockSize) }

func grown(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// factor replaces the lower triangle of a by L with a = L L'. It goes by columns of blocks, left to
// right: almost all the work is one product of two panels per block.
func (f *factorizer) factor(ctx context.Context, a []float64) error {
	n := f.n
	for k := 0; k < n; k += blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := min(blockSize, n-k)
		if k > 0 {
			f.panel, f.update = grown(f.panel, (n-k)*k), grown(f.update, (n-k)*w)
			for i := k; i < n; i++ {
				copy(f.panel[(i-k)*k:(i-k+1)*k], a[i*n:i*n+k])
			}
			vmath.MatMulT(f.update, f.panel, n-k, k, f.panel[:w*k], w)
			for i := k; i < n; i++ {
				vmath.Axpy(-1, f.update[(i-k)*w:(i-k+1)*w], a[i*n+k:i*n+k+w])
			}
		}
		if err := f.corner(a, k, w); err != nil {
			return err
		}
		if h := n - k - w; h > 0 { // the rows below, times the transposed inverse of the block
			f.panel, f.update = grown(f.panel, h*w), grown(f.update, h*w)
			for i := range h {
				copy(f.panel[i*w:(i+1)*w], a[(k+w+i)*n+k:(k+w+i)*n+k+w])
			}
			vmath.MatMulT(f.update, f.panel, h, w, f.head[:w*w], w)
			for i := range h {
				copy(a[(k+w+i)*n+k:(k+w+i)*n+k+w], f.update[i*w:(i+1)*w])
			}
		}
	}
	return nil
}

// corner factors the w x w block on the diagonal at k and leaves its inverse in head.
func (f *factorizer) corner(a []float64, k, w int) error {
	n := f.n
	f.head = grown(f.head, blockSize*blockSize)
	clear(f.head)
	for i := range w {
		row := a[(k+i)*n+k : (k+i)*n+k+w]
		for j := range i {
			row[j] = (row[j] - dot(row[:j], a[(k+j)*n+k:(k+j)*n+k+j])) / a[(k+j)*n+k+j]
		}
		pivot := row[i] - dot(row[:i], row[:i])
		if !(pivot > 0) || math.IsInf(pivot, 0) {
			return errNotPositive
		}
		row[i] = math.Sqrt(pivot)
		inverse := f.head[i*w : i*w+i+1]
		inverse[i] = 1
		for j := range i {
			for q, v := range f.head[j*w : j*w+j+1] {
				inverse[q] -= row[j] * v
			}
		}
		for q := range inverse {
			inverse[q] /= row[i]
		}
	}
	return nil
}

// dot sums short vectors; vmath's is for long ones.
func dot(x, y []float64) float64 {
	if len(x) >= 32 {
		return vmath.Dot(x, y)
	}
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// solve replaces b by the solution of L L' x = b.
func (f *factorizer) solve(l, b []float64) {
	n := f.n
	for i := range n {
		b[i] = (b[i] - dot(l[i*n:i*n+i], b[:i])) / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		b[i] /= l[i*n+i]
		vmath.Axpy(-b[i], l[i*n:i*n+i], b[:i])
	}
}

// invert writes (L L')^-1 to dst from the factor l. dst must not overlap l.
func (f *factorizer) invert(ctx context.Context, dst, l []float64) error {
	n := f.n
	clear(dst)
	// Row i of L^-1, from the rows above it, gathered by blocks of rows.
	for k := 0; k < n; k += blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := min(blockSize, n-k)
		if k > 0 {
			f.head, f.tail, f.update = grown(f.head, w*k), grown(f.tail, k*k), grown(f.update, w*k)
			for i := range w {
				copy(f.head[i*k:(i+1)*k], l[(k+i)*n:(k+i)*n+k])
			}
			for i := range k {
				copy(f.tail[i*k:(i+1)*k], dst[i*n:i*n+k])
			}
			vmath.MatMul(f.update, f.head, w, k, f.tail, k)
			for i := range w {
				row := dst[(k+i)*n : (k+i)*n+k]
				vmath.Axpy(-1, f.update[i*k:(i+1)*k], row)
			}
		}
		for i := k; i < k+w; i++ {
			row := dst[i*n : i*n+i+1]
			row[i] = 1
			for j := k; j < i; j++ {
				vmath.Axpy(-l[i*n+j], dst[j*n:j*n+j+1], row[:j+1])
			}
			for j := range row {
				row[j] /= l[i*n+i]
			}
		}
	}
	return f.transposeTimes(ctx, dst)
}

// transposeTimes replaces the lower triangular a by a'a.
func (f *factorizer) transposeTimes(ctx context.Context, a []float64) error {
	n := f.n
	f.tail = grown(f.tail, n*n)
	for i := range n {
		for j := range n {
			f.tail[j*n+i] = a[i*n+j]
		}
	}
	for k := 0; k < n; k += 4 * blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		w := min(4*blockSize, n-k)
		vmath.MatMulT(a[k*n:(k+w)*n], f.tail[k*n:(k+w)*n], w, n, f.tail, n)
	}
	return nil
}
