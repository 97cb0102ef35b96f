// Dense symmetric positive definite matrices are row-major, in float64. Functions with a context look at it every few
// tens of milliseconds and return its error. There are no other factorisations.

package solve

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// ErrNotPositive says that a matrix has no Cholesky factor, and what a user can do: most matrices are products of
// features with a penalty lambda on the diagonal.
var ErrNotPositive = errors.New("the matrix with its penalty is not positive definite: " +
	"standardise the features, or raise lambda")

const (
	blockSize = 64
	// invertBlock is the number of rows of a triangle's inverse that are computed together.
	invertBlock = 96
	// work bounds the multiply-adds between two looks at the context: about 5 ms.
	work = 100_000_000
)

// A Factorizer holds the scratch memory of factorisations of n x n matrices. It is not safe for concurrent use.
type Factorizer struct {
	n            int
	panel, tail  []float64
	update, head []float64
}

// NewFactorizer returns a Factorizer of n x n matrices.
func NewFactorizer(n int) *Factorizer {
	f := new(Factorizer)
	f.Resize(n)
	return f
}

// Resize makes f a Factorizer of n x n matrices.
func (f *Factorizer) Resize(n int) { f.n = n }

// FactorBytes is the memory that Factor allocates, without the matrix.
func FactorBytes(n int) int64 { return 8 * int64(2*n*blockSize+blockSize*blockSize) }

// InvertBytes is the memory that Invert allocates, without its arguments and without the memory that Factor has
// allocated.
func InvertBytes(n int) int64 {
	return 8 * int64(n*invertBlock+invertBlock*invertBlock)
}

// strip returns a number of rows, a multiple of blockSize. The products of length k of so many rows with w other rows
// take at most `work` multiply-adds, unless blockSize rows take more.
func strip(k, w int) int {
	h := work / max(1, k*w)
	return max(blockSize, h-h%blockSize)
}

// Factor replaces the lower triangle of a by L with a = L L', and leaves the rest of a alone. It works on columns of
// blocks, from left to right. Almost all the work of a column is one product of two panels.
func (f *Factorizer) Factor(ctx context.Context, a []float64) error {
	n := f.n
	f.tail, f.update = vmath.Room(f.tail, n*blockSize), vmath.Room(f.update, n*blockSize)
	for k := 0; k < n; k += blockSize {
		w := min(blockSize, n-k)
		if err := f.reduce(ctx, a, k, w); err != nil {
			return err
		}
		if err := f.corner(a, k, w); err != nil {
			return err
		}
		if err := f.below(ctx, a, k, w); err != nil {
			return err
		}
	}
	return nil
}

// reduce subtracts from the columns k..k+w, from row k on, the products of the columns of L before them.
func (f *Factorizer) reduce(ctx context.Context, a []float64, k, w int) error {
	if k == 0 {
		return ctx.Err()
	}
	n := f.n
	first := f.tail[:w*k]
	for i := range w {
		copy(first[i*k:(i+1)*k], a[(k+i)*n:(k+i)*n+k])
	}
	vmath.Gram(f.update[:w*w], first, w, k)
	for i := range w { // what is right of the diagonal belongs to the caller
		vmath.Axpy(-1, f.update[i*w:i*w+i+1], a[(k+i)*n+k:(k+i)*n+k+i+1])
	}
	high := strip(k, w)
	for lo := k + w; lo < n; lo += high {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := min(high, n-lo)
		update := f.update[:h*w]
		vmath.MatMulTPart(update, a[lo*n:], n, h, k, first, w)
		for i := range h {
			vmath.Axpy(-1, update[i*w:(i+1)*w], a[(lo+i)*n+k:(lo+i)*n+k+w])
		}
	}
	return ctx.Err()
}

// below multiplies the rows below the block at k by the transpose of its inverse, head.
func (f *Factorizer) below(ctx context.Context, a []float64, k, w int) error {
	n := f.n
	high := strip(w, w)
	for lo := k + w; lo < n; lo += high {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := min(high, n-lo)
		update := f.update[:h*w]
		vmath.MatMulTPart(update, a[lo*n+k:], n, h, w, f.head[:w*w], w)
		for i := range h {
			copy(a[(lo+i)*n+k:(lo+i)*n+k+w], update[i*w:(i+1)*w])
		}
	}
	return nil
}

// corner factors the w x w block on the diagonal at k and leaves its inverse in head.
func (f *Factorizer) corner(a []float64, k, w int) error {
	n := f.n
	f.head = vmath.Room(f.head, blockSize*blockSize)
	clear(f.head)
	for i := range w {
		row := a[(k+i)*n+k : (k+i)*n+k+w]
		for j := range i {
			row[j] = (row[j] - dot(row[:j], a[(k+j)*n+k:(k+j)*n+k+j])) / a[(k+j)*n+k+j]
		}
		pivot := row[i] - dot(row[:i], row[:i])
		if !(pivot > 0) || math.IsInf(pivot, 0) {
			return ErrNotPositive
		}
		row[i] = math.Sqrt(pivot)
		inverse := f.head[i*w : i*w+i+1]
		inverse[i] = 1
		for j := range i {
			for q, v := range f.head[j*w : j*w+j+1] {
				inverse[q] -= float64(row[j] * v)
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
		sum += float64(v * y[i])
	}
	return sum
}

// Solve replaces b by the solution of L L' x = b.
func (f *Factorizer) Solve(ctx context.Context, l, b []float64) error {
	if err := f.Forward(ctx, l, b); err != nil {
		return err
	}
	return f.Backward(ctx, l, b)
}

// Forward replaces b by the solution of L x = b.
func (f *Factorizer) Forward(ctx context.Context, l, b []float64) error {
	n := f.n
	for i := range n {
		if i%blockSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b[i] = (b[i] - dot(l[i*n:i*n+i], b[:i])) / l[i*n+i]
	}
	return nil
}

// ForwardRows replaces each of the rows of b (count x n) by the solution of L x = row.
func (f *Factorizer) ForwardRows(ctx context.Context, l, b []float64, count int) error {
	n := f.n
	f.tail, f.update = vmath.Room(f.tail, n*blockSize), vmath.Room(f.update, max(n, blockSize)*blockSize)
	for k := 0; k < n; k += blockSize {
		w := min(blockSize, n-k)
		for i := range w {
			copy(f.tail[i*k:(i+1)*k], l[(k+i)*n:(k+i)*n+k])
		}
		high := min(strip(max(1, k), blockSize), len(f.update)/blockSize)
		for lo := 0; lo < count; lo += high {
			if err := ctx.Err(); err != nil {
				return err
			}
			h := min(high, count-lo)
			if k > 0 {
				vmath.MatMulTPart(f.update[:h*w], b[lo*n:], n, h, k, f.tail[:w*k], w)
			}
			for i := range h {
				row := b[(lo+i)*n+k : (lo+i)*n+k+w]
				if k > 0 {
					vmath.Axpy(-1, f.update[i*w:(i+1)*w], row)
				}
				for j := range row {
					at := (k + j) * n
					row[j] = (row[j] - dot(l[at+k:at+k+j], row[:j])) / l[at+k+j]
				}
			}
		}
	}
	return nil
}

// Backward replaces b by the solution of L' x = b.
func (f *Factorizer) Backward(ctx context.Context, l, b []float64) error {
	n := f.n
	for i := n - 1; i >= 0; i-- {
		if i%blockSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b[i] /= l[i*n+i]
		vmath.Axpy(-b[i], l[i*n:i*n+i], b[:i])
	}
	return nil
}

// Invert writes (L L')^-1 to dst from the factor l. dst must not overlap l.
//
// It makes R = L^-1 by blocks of rows. Let B be a block of L on the diagonal, A the part of L left of B, and R the rows
// of L^-1 above. Then the rows of L^-1 at B are -B^-1 A R left of the diagonal block, and B^-1 in it. dst gathers -A R
// for all rows below, block by block.
func (f *Factorizer) Invert(ctx context.Context, dst, l []float64) error {
	n := f.n
	f.head, f.panel = vmath.Room(f.head, invertBlock*invertBlock), vmath.Room(f.panel, n*invertBlock)
	clear(dst)
	for k := 0; k < n; k += invertBlock {
		w := min(invertBlock, n-k)
		end := k + w
		corner, rows := f.head[:w*w], f.panel[:w*end]
		lowerInverse(corner, l[k*n+k:], w, n)
		clear(rows)
		for lo := 0; lo < w; lo += invertBlock / 2 { // the upper half needs the left half of the triangle alone
			hi := min(lo+invertBlock/2, w)
			vmath.MatMulAdd(rows[lo*end:], end, corner[lo*w:], w, hi-lo, hi, dst[k*n:], n, k)
		}
		for i := range w {
			copy(rows[i*end+k:(i+1)*end], corner[i*w:(i+1)*w])
			copy(dst[(k+i)*n:(k+i)*n+end], rows[i*end:(i+1)*end])
		}
		floats.Scale(-1, rows)
		high := strip(w, end)
		for lo := end; lo < n; lo += high {
			if err := ctx.Err(); err != nil {
				return err
			}
			vmath.MatMulAdd(dst[lo*n:], n, l[lo*n+k:], n, min(high, n-lo), w, rows, end, end)
		}
	}
	return f.squareLower(ctx, dst)
}

// lowerInverse sets dst (w x w) to the inverse of the lower triangle at the start of l, whose rows are n apart.
func lowerInverse(dst, l []float64, w, n int) {
	clear(dst)
	var left [8 * invertBlock]float64
	for lo := 0; lo < w; lo += 8 { // eight rows at a time are multiplied by what is above them
		h := min(8, w-lo)
		for i := range h {
			for j, v := range l[(lo+i)*n : (lo+i)*n+lo] {
				left[i*lo+j] = -v
			}
		}
		vmath.MatMulAdd(dst[lo*w:], w, left[:], lo, h, lo, dst, w, lo)
		for i := lo; i < lo+h; i++ {
			row := dst[i*w : i*w+i+1]
			row[i] = 1
			for j := lo; j < i; j++ {
				vmath.Axpy(-l[i*n+j], dst[j*w:j*w+j+1], row[:j+1])
			}
			for j := range row {
				row[j] /= l[i*n+i]
			}
		}
	}
}

// squareLower replaces the lower triangle R in dst by R'R, the sum of B'B over the blocks B of rows of R. The sum over
// the first k rows of R fills only the first k rows of dst, so that it can overwrite the rows that are done.
func (f *Factorizer) squareLower(ctx context.Context, dst []float64) error {
	n := f.n
	for k := 0; k < n; k += invertBlock {
		w := min(invertBlock, n-k)
		end := k + w
		turned := f.panel[:end*w]
		vmath.Transpose(turned, w, dst[k*n:], n, w, end)
		for i := range w {
			clear(dst[(k+i)*n : (k+i)*n+end])
		}
		high := strip(w, end)
		for lo := 0; lo < end; lo += high {
			if err := ctx.Err(); err != nil {
				return err
			}
			vmath.GramAddPart(dst, n, turned, w, end, w, lo, min(lo+high, end))
		}
	}
	vmath.Mirror(dst, n)
	return nil
}
