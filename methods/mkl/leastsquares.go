package mkl

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A hyperplanes is an orthonormal basis of the functions w.x + b on a training set. One product with the basis tells
// how near a machine with the linear kernel can come to given targets.
type hyperplanes struct {
	q     []float64 // m orthonormal vectors of length n
	m, n  int
	coefs []float64
}

// newHyperplanes orthonormalises the constant and the columns of s, each twice because of rounding. It leaves out
// columns that depend on the columns before them. The error is the context's.
func newHyperplanes(ctx context.Context, s *sample) (*hyperplanes, error) {
	h := &hyperplanes{n: s.n, q: make([]float64, 0, (s.d+1)*s.n), coefs: make([]float64, s.d+1)}
	for j := -1; j < s.d && h.m < s.n; j++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v := h.q[h.m*s.n : (h.m+1)*s.n]
		for i := range v {
			v[i] = 1
			if j >= 0 {
				v[i] = s.x[i*s.d+j]
			}
		}
		whole := math.Sqrt(vmath.Dot(v, v))
		for range 2 {
			for k := range h.m {
				u := h.q[k*s.n : (k+1)*s.n]
				vmath.Axpy(-vmath.Dot(u, v), u, v)
			}
		}
		left := math.Sqrt(vmath.Dot(v, v))
		if !(left > 1e-9*whole) {
			continue
		}
		for i := range v {
			v[i] /= left
		}
		h.m++
		h.q = h.q[:h.m*s.n]
	}
	return h, nil
}

// residual returns the least sum of squares of r - w.x - b over all w and b, minus a margin for rounding.
func (h *hyperplanes) residual(r []float64) float64 {
	whole := vmath.Dot(r, r)
	c := h.coefs[:h.m]
	vmath.MatVec(c, h.q[:h.m*h.n], h.m, h.n, r)
	return whole - vmath.Dot(c, c) - float64(1e-7*whole)
}
