package mkl

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/mat"
)

// A kernel is a kernel function: exp(-Gamma ||x-x'||^2) if Power is 0, and else (x.x')^Power.
type kernel struct {
	Gamma float64
	Power int
}

// gaussians returns the Gaussian kernels with gamma = 2^from .. 2^to.
func gaussians(from, to int) []kernel {
	var ks []kernel
	for e := from; e <= to; e++ {
		ks = append(ks, kernel{Gamma: math.Ldexp(1, e)})
	}
	return ks
}

// largestPower bounds the power of a saved kernel, since the time of a kernel value grows with its power.
const largestPower = 16

func (k kernel) String() string {
	if k.Power == 0 {
		return fmt.Sprintf("exp(-%v |x-x'|^2)", k.Gamma)
	}
	return fmt.Sprintf("(x.x')^%d", k.Power)
}

// values writes k(x, x_j) to dst from dots[j] = x.x_j, squares[j] = x_j.x_j and square = x.x. dst may be
// dots.
func (k kernel) values(dst, dots, squares []float64, square float64) {
	switch k.Power {
	case 0:
		vmath.Gaussian(dst, dots, squares, square, k.Gamma)
	case 1:
		copy(dst, dots)
	default:
		for j, v := range dots {
			p := v
			for range k.Power - 1 {
				p *= v
			}
			dst[j] = p
		}
	}
}

// A sample is a training set with the squared norms of its rows.
type sample struct {
	n, d    int
	x       []float64 // n x d
	squares []float64 // x_i.x_i, summed in the order of vmath's products
}

func newSample(x *mat.Dense) *sample {
	n, d := x.Dims()
	s := &sample{n: n, d: d, x: make([]float64, n*d), squares: make([]float64, n)}
	for i := range n {
		row := s.x[i*d : (i+1)*d]
		copy(row, x.RawRowView(i))
		s.squares[i] = square(row)
	}
	return s
}

func (s *sample) row(i int) []float64 { return s.x[i*s.d : (i+1)*s.d] }

// square returns x.x as vmath.MatVec sums it, so that equal rows have distance zero exactly.
func square(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum = math.FMA(v, v, sum)
	}
	return sum
}

// memoryValues is the number of values up to which all kernel matrices of a training set are kept in memory: 1 GiB of
// float32, or 2 GiB of float64.
const memoryValues = 1 << 28

// allInMemory reports whether the matrices of n examples are kept.
func allInMemory(n, kernels int) bool { return int64(kernels)*svm.GramBytes(n, 1) <= memoryValues }

// gramBytes is the memory of the matrices, with values of the given size, and of a solver's copy of active rows. If the
// matrices are not kept, it is that of the cached rows, and, for each kernel, of one row and the index of kept rows.
func gramBytes(n, kernels, size int) int64 {
	one := svm.GramBytes(n, size)
	if allInMemory(n, kernels) {
		return int64(kernels)*one + min(one, svm.CacheBytes)
	}
	return min(one, svm.CacheBytes) + int64(kernels)*int64(48+size)*int64(n)
}

// rowsAtOnce is the height of a strip of inner products.
const rowsAtOnce = 64

// grams returns the matrices of the kernels on s, float32 or float64: in memory if all fit together, and else by rows
// on demand.
func grams[F svm.Float](ctx context.Context, s *sample, ks []kernel) ([]*svm.Kernel[F], error) {
	out := make([]*svm.Kernel[F], len(ks))
	if !allInMemory(s.n, len(ks)) {
		for k := range ks {
			out[k] = svm.NewDemanded[F](s.exact(ks[k]), 0)
		}
		return out, nil
	}
	for k := range ks {
		if err := ctx.Err(); err != nil { // zeroing this much memory takes long
			return nil, err
		}
		out[k] = svm.NewGram[F](s.n, s.exact(ks[k]))
	}
	dots, line := make([]float64, rowsAtOnce*s.n), make([]float64, s.n)
	for lo := 0; lo < s.n; lo += rowsAtOnce {
		hi, width := min(lo+rowsAtOnce, s.n), s.n-lo // the columns before lo are known from earlier strips, by symmetry
		strip := dots[:(hi-lo)*width]
		vmath.MatMulT(strip, s.x[lo*s.d:hi*s.d], hi-lo, s.d, s.x[lo*s.d:], width)
		for k := range ks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i := lo; i < hi; i++ {
				ks[k].values(line[:width], strip[(i-lo)*width:(i-lo+1)*width], s.squares[lo:], s.squares[i])
				row := out[k].At(i)[lo:]
				for j, v := range line[:width] {
					row[j] = F(v)
				}
			}
			for j := hi; j < s.n; j++ {
				row := out[k].At(j)
				for i := lo; i < hi; i++ {
					row[i] = out[k].At(i)[j]
				}
			}
		}
	}
	return out, nil
}

// exact is the kernel k on s in float64.
func (s *sample) exact(k kernel) *svm.Exact {
	e := &svm.Exact{Diagonal: make([]float64, s.n), Row: func(dst []float64, i int) {
		vmath.MatVec(dst, s.x, s.n, s.d, s.row(i))
		k.values(dst, dst, s.squares, s.squares[i])
	}}
	for i := range s.n {
		k.values(e.Diagonal[i:i+1], s.squares[i:i+1], s.squares[i:i+1], s.squares[i])
	}
	var rows, squares []float64 // of the columns
	e.Restrict = func(columns []int) func(dst []float64, i int) {
		rows, squares = rows[:0], squares[:0]
		for _, j := range columns {
			rows, squares = append(rows, s.row(j)...), append(squares, s.squares[j])
		}
		return func(dst []float64, i int) {
			vmath.MatVec(dst, rows, len(columns), s.d, s.row(i))
			k.values(dst, dst, squares, s.squares[i])
		}
	}
	return e
}
