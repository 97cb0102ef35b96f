package kernel

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

const (
	// spectrumPowers is how many products with K turn the first rows of K to the eigenvectors.
	spectrumPowers = 8
	// spectrumTol is the cosine below which two rows count as orthogonal.
	spectrumTol = 1e-12
	// spectrumOwn is the part of a row's length below which the row counts as one in the span of others.
	spectrumOwn = 1e-8
	// spectrumSweeps bounds the sweeps of rotations; six are usual.
	spectrumSweeps = 30
)

// largestEigen returns the r largest eigenvalues of the symmetric positive semidefinite matrix k (s x s), largest
// first, and their unit vectors as the rows of an r x s matrix. It is orthogonal iteration from the first r rows of k,
// with `powers` products, and one last product whose rows Jacobi's rotations make orthogonal (the method of Hestenes):
// their lengths are the eigenvalues. The error of eigenvalue i falls with (lambda_{r+1} / lambda_i)^(2 powers), so the
// smallest are the least exact. It draws nothing.
func largestEigen(ctx context.Context, k []float64, s, r, powers int) (values, vectors []float64, err error) {
	v, w := slices.Clone(k[:r*s]), make([]float64, r*s)
	for range powers {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		orthonormal(v, s)
		vmath.MatMul(w, v, r, s, k, s)
		v, w = w, v
	}
	orthonormal(v, s)
	vmath.MatMul(w, v, r, s, k, s)
	if err := rotate(ctx, w, s); err != nil {
		return nil, nil, err
	}
	lengths := make([]float64, r)
	for i := range r {
		lengths[i] = norm(w[i*s : (i+1)*s])
	}
	order := fitting.Upto(r)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lengths[b], lengths[a]) })
	values = make([]float64, r)
	for to, from := range order {
		values[to] = lengths[from]
		copy(v[to*s:(to+1)*s], w[from*s:(from+1)*s])
		divide(v[to*s:(to+1)*s], lengths[from])
	}
	return values, v, nil
}

// orthonormal makes the rows of v, of s elements, orthonormal. A row in the span of the rows before it becomes a unit
// vector, or zero if this vector is in the span, too.
func orthonormal(v []float64, s int) {
	for i := range len(v) / s {
		row, before := v[i*s:(i+1)*s], v[:i*s]
		if !apart(row, before) {
			clear(row)
			row[i] = 1
			if !apart(row, before) {
				clear(row)
			}
		}
	}
}

// apart makes the row orthogonal to orthonormal rows, and its length 1, by two passes of Gram and Schmidt's method. It
// reports false if what is left of the row is mostly rounding.
func apart(row, rows []float64) bool {
	s := len(row)
	for range 2 {
		before := norm(row)
		for at := 0; at < len(rows); at += s {
			other := rows[at : at+s]
			vmath.Axpy(-vmath.Dot(row, other), other, row)
		}
		after := norm(row)
		if after <= spectrumOwn*before {
			return false
		}
		divide(row, after)
	}
	return true
}

// rotate makes the rows of w, of s elements, orthogonal by rotations of two rows at a time.
func rotate(ctx context.Context, w []float64, s int) error {
	r := len(w) / s
	squares := make([]float64, r)
	for range spectrumSweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range r {
			squares[i] = vmath.Dot(w[i*s:(i+1)*s], w[i*s:(i+1)*s])
		}
		turned := false
		for i := range r {
			for j := i + 1; j < r; j++ {
				x, y := w[i*s:(i+1)*s], w[j*s:(j+1)*s]
				product := vmath.Dot(x, y)
				if math.Abs(product) <= spectrumTol*math.Sqrt(squares[i]*squares[j]) {
					continue
				}
				turned = true
				zeta := (squares[j] - squares[i]) / (2 * product)
				tan := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Sqrt(1+float64(zeta*zeta)))
				cos := 1 / math.Sqrt(1+float64(tan*tan))
				sin := cos * tan
				for a, v := range x {
					x[a] = float64(cos*v) - float64(sin*y[a])
					y[a] = float64(sin*v) + float64(cos*y[a])
				}
				squares[i], squares[j] = vmath.Dot(x, x), vmath.Dot(y, y)
			}
		}
		if !turned {
			break
		}
	}
	return nil
}

func norm(x []float64) float64 { return math.Sqrt(vmath.Dot(x, x)) }

// divide divides x by its length, unless the length is zero.
func divide(x []float64, length float64) {
	for i := range x {
		if length > 0 {
			x[i] /= length
		}
	}
}
