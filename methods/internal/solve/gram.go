package solve

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

const (
	gramDepth = 384      // columns of a strip: so many that dst is seldom read and written
	gramWork  = 4 * work // multiply-adds between two looks at the context
)

// Gram sets dst (n x n) to a a' for the row-major n x k matrix a. It has the bits of vmath.Gram, but works strip by
// strip of the columns, and looks at the context. dst must not overlap a.
func Gram(ctx context.Context, dst, a []float64, n, k int) error {
	if n == 0 {
		return ctx.Err()
	}
	return gramRows(ctx, dst, func(from, _ int) ([]float64, int) { return a[from:], k }, n, k, n)
}

// gramRows is Gram for a dst that has all products without one of the first rows of a: it computes the others. strip
// returns the columns from .. to-1 of a, and how far apart their rows are.
func gramRows(ctx context.Context, dst []float64, strip func(from, to int) ([]float64, int), n, k, rows int) error {
	clear(dst[:rows*n])
	for from := 0; from < k; from += gramDepth {
		depth := min(gramDepth, k-from)
		a, ld := strip(from, from+depth)
		for lo := 0; lo < rows; {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(rows, lo+max(blockSize, gramWork/(depth*(n-lo))))
			vmath.GramAddPart(dst, n, a, ld, n, depth, lo, hi)
			lo = hi
		}
	}
	vmath.Mirror(dst, n)
	return nil
}
