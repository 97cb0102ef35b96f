package cholesky

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

const (
	gramDepth = 384      // columns of a strip: so many that dst is seldom read and written
	gramWork  = 4 * work // multiply-adds between two looks at the context
)

// Gram sets dst (n x n) to a a' for the row-major n x k matrix a. It has the bits of vmath.Gram, but works strip by strip of the
// columns, and looks at the context. dst must not overlap a.
func Gram(ctx context.Context, dst, a []float64, n, k int) error {
	clear(dst)
	for from := 0; from < k; from += gramDepth {
		depth := min(gramDepth, k-from)
		for lo := 0; lo < n; {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(n, lo+max(blockSize, gramWork/(depth*(n-lo))))
			vmath.GramAddPart(dst, a[from:], k, n, depth, lo, hi)
			lo = hi
		}
	}
	vmath.Mirror(dst, n)
	return nil
}

// Symmetric sets dst (n x n) to a b' for row-major n x k matrices whose product is symmetric. It computes the lower triangle and mirrors it.
// dst must not overlap a or b.
func Symmetric(ctx context.Context, dst, a, b []float64, n, k int) error {
	side := blockSize
	for side*side*k < work/2 && side < n {
		side += blockSize
	}
	wide := min(n, strip(k, min(side, n)))
	side = min(side, n)
	tile := make([]float64, side*wide)
	for lo := 0; lo < n; lo += side {
		h := min(side, n-lo)
		hi := lo + h
		for from := 0; from < hi; from += wide {
			if err := ctx.Err(); err != nil {
				return err
			}
			w := min(wide, hi-from)
			vmath.MatMulT(tile[:h*w], a[lo*k:hi*k], h, k, b[from*k:(from+w)*k], w)
			for i := range h {
				copy(dst[(lo+i)*n+from:(lo+i)*n+from+w], tile[i*w:(i+1)*w])
			}
		}
	}
	return mirror(ctx, dst, n)
}

// mirror copies the lower triangle of dst (n x n) to the upper.
func mirror(ctx context.Context, dst []float64, n int) error {
	for lo := 0; lo < n; lo += blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := lo; j < n; j++ {
			for i := lo; i < min(lo+blockSize, j); i++ {
				dst[i*n+j] = dst[j*n+i]
			}
		}
	}
	return nil
}
