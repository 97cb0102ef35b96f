package mkl

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// A doubled is a family of Gaussian kernels for svm.SolveFamily. Each kernel coefficient gamma is twice the one before,
// so that a pair of rows takes one inner product and one exponential for all kernels.
type doubled[F svm.Float] struct {
	s       *sample
	kernels []*svm.Kernel[F]
	gamma   float64 // of the first

	points, squares, coefs []float64 // of the rows with a change: features, squared norm, changes
	dots, sums             []float64 // of a strip
}

func newDoubled[F svm.Float](s *sample, gaussians []*svm.Kernel[F], gamma float64) *doubled[F] {
	return &doubled[F]{s: s, kernels: gaussians, gamma: gamma, dots: make([]float64, tileRows*tilePoints),
		sums: make([]float64, vmath.Doublings*tileRows)}
}

// doubledBytes is the memory of a value of type doubled and of svm.SolveFamily.
func doubledBytes(s registry.Shape) int64 {
	return 8 * (int64(s.N)*int64(s.D+3*vmath.Doublings+4) + tileRows*(tilePoints+vmath.Doublings))
}

// Kernels returns the kernels, the widest first.
func (f *doubled[F]) Kernels() []*svm.Kernel[F] { return f.kernels }

// A strip of tileRows rows and at most tilePoints points has its inner products in the second-level cache.
const (
	tileRows   = 64
	tilePoints = 512
)

// Add adds K_k change[k] to fit[k].
func (f *doubled[F]) Add(ctx context.Context, fit, change [][]float64) error {
	n, d := f.s.n, f.s.d
	f.gather(change)
	m := len(f.squares)
	for lo := 0; lo < n; lo += tileRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := min(tileRows, n-lo)
		sums := f.sums[:vmath.Doublings*rows]
		clear(sums)
		for from := 0; from < m; from += tilePoints {
			to := min(from+tilePoints, m)
			dots := f.dots[:rows*(to-from)]
			vmath.MatMulT(dots, f.points[from*d:to*d], to-from, d, f.s.x[lo*d:(lo+rows)*d], rows)
			vmath.AddGaussians(sums, dots, f.s.squares[lo:lo+rows], f.squares[from:to],
				f.coefs[from*vmath.Doublings:to*vmath.Doublings], f.gamma)
		}
		for k := range fit {
			if change[k] != nil {
				vmath.Axpy(1, sums[k*rows:(k+1)*rows], fit[k][lo:lo+rows])
			}
		}
	}
	return nil
}

// gather collects the rows with a change.
func (f *doubled[F]) gather(change [][]float64) {
	f.points, f.squares, f.coefs = f.points[:0], f.squares[:0], f.coefs[:0]
	for i := range f.s.n {
		if !slices.ContainsFunc(change, func(c []float64) bool { return c != nil && c[i] != 0 }) {
			continue
		}
		f.points = append(f.points, f.s.row(i)...)
		f.squares = append(f.squares, f.s.squares[i])
		for k := range vmath.Doublings {
			v := 0.0
			if k < len(change) && change[k] != nil {
				v = change[k][i]
			}
			f.coefs = append(f.coefs, v)
		}
	}
}
