package linear

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A cholesky holds the factor of a symmetric positive definite matrix A = L L'. It
// works on column panels of width panelWidth, so that nearly all of the
// m^3/6 multiply-adds are matrix products.
type cholesky struct {
	m      int
	l      []float64 // m x m, row-major, lower triangle
	panel  []float64 // rows below a diagonal block, contiguous
	below  []float64 // the panel times the inverse of the block's factor
	square []float64 // outer products of the panel
	inv    [panelWidth * panelWidth]float64
}

const panelWidth = 16

// factor overwrites the m x m matrix a (row-major, lower triangle read) with its
// factor and keeps it; false means that a pivot was not positive.
func (c *cholesky) factor(a []float64, m int) bool {
	c.m, c.l = m, a
	c.panel = grow(c.panel, m*panelWidth)
	c.below = grow(c.below, m*panelWidth)
	c.square = grow(c.square, m*m)
	for k := 0; k < m; k += panelWidth {
		w := min(panelWidth, m-k)
		if !c.block(k, w) {
			return false
		}
		if rest := m - k - w; rest > 0 {
			c.update(k, w, rest)
		}
	}
	return true
}

// block factors the w x w diagonal block at k in place and inverts its factor,
// transposed, into inv.
func (c *cholesky) block(k, w int) bool {
	m := c.m
	for i := range w {
		row := c.l[(k+i)*m+k:][:i+1]
		for j := range i + 1 {
			other := c.l[(k+j)*m+k:][:j+1]
			s := row[j]
			for p := range j {
				s -= float64(row[p] * other[p])
			}
			if j < i {
				row[j] = s / other[j]
				continue
			}
			if !(s > 0) || math.IsInf(s, 1) {
				return false
			}
			row[j] = math.Sqrt(s)
		}
	}
	for j := range w { // column j of the inverse, as row j of inv
		inv := c.inv[j*w:][:w]
		clear(inv)
		inv[j] = 1 / c.l[(k+j)*m+k+j]
		for i := j + 1; i < w; i++ {
			row := c.l[(k+i)*m+k:][:i+1]
			s := 0.0
			for p := j; p < i; p++ {
				s += float64(row[p] * inv[p])
			}
			inv[i] = -s / row[i]
		}
	}
	return true
}

// update computes the rows below the block and subtracts their outer products.
func (c *cholesky) update(k, w, rest int) {
	m, from := c.m, k+w
	panel, below, square := c.panel[:rest*w], c.below[:rest*w], c.square[:rest*rest]
	for i := range rest {
		copy(panel[i*w:(i+1)*w], c.l[(from+i)*m+k:])
	}
	vmath.MatMul(below, panel, rest, w, c.inv[:w*w], w)
	vmath.Gram(square, below, rest, w)
	for i := range rest {
		copy(c.l[(from+i)*m+k:][:w], below[i*w:])
		row := c.l[(from+i)*m+from:][:i+1]
		for j, v := range square[i*rest:][:i+1] {
			row[j] -= v
		}
	}
}

// solve overwrites b with the solution of A x = b.
func (c *cholesky) solve(b []float64) {
	m := c.m
	for i := range m {
		row := c.l[i*m:][:i+1]
		s := b[i]
		for p, v := range row[:i] {
			s -= float64(v * b[p])
		}
		b[i] = s / row[i]
	}
	for i := m - 1; i >= 0; i-- {
		row := c.l[i*m:][:i+1]
		v := b[i] / row[i]
		b[i] = v
		for p, l := range row[:i] {
			b[p] -= float64(v * l)
		}
	}
}

// grow returns a slice of n elements, the memory of s if it is large enough.
func grow(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
