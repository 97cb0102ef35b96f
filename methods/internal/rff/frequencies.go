package rff

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// The draws of How.
const (
	Orthogonal = "orthogonal"
	Structured = "structured"
)

// How holds the parameters of methods on random Fourier features cos(w_m.x + b_m) that say how the frequencies w_m are
// drawn: independently, with orthogonal rows (ORF), or by Hadamard matrices (SORF), both of Yu, Suresh, Choromanski,
// Holtmann-Rice and Kumar (NeurIPS 2016, "Orthogonal Random Features"). All three have the Gaussian kernel as their
// mean; the orthogonal draws estimate it with a smaller variance. How draws nothing itself: normals, uniforms and
// phases are the callers'. The zero value is the usual draw, which settings leave out, so that keys of stored cells
// stay.
type How struct {
	Draw  string `json:"draw,omitempty" absent:"independent" range:"independent|orthogonal|structured" means:"how frequencies are drawn: each for itself, in blocks of orthogonal rows, or by Hadamard matrices; the last two are for the Gaussian kernel"`
	Pairs bool   `json:"pairs,omitempty" absent:"false" means:"whether columns are pairs of the cosine and the sine of one frequency, in place of cosines with random phases"`
}

// Distinct is the number of frequencies of count columns.
func (h How) Distinct(count int) int {
	if h.Pairs {
		return (count + 1) / 2
	}
	return count
}

// Place writes the frequencies of the Gaussian kernel exp(-|x|^2/2) for count columns to the first d elements of each
// row of w (count x ld), and leaves the rest of a row. normals fills a row with normal draws, uniform draws from [0,
// 1). The usual draw calls normals alone, row by row.
func (h How) Place(w []float64, count, d, ld int, normals func(row []float64), uniform func() float64) {
	n := h.Distinct(count)
	if h.Draw == Structured {
		hadamard(w, n, d, ld, uniform)
	} else {
		for m := range n {
			normals(w[m*ld : m*ld+d])
		}
	}
	if h.Draw == Orthogonal {
		orthogonalise(w, n, d, ld)
	}
	if h.Pairs { // from the last to the first, since frequency m moves to the columns 2m and 2m+1
		for k := count - 1; k > 0; k-- {
			copy(w[k*ld:k*ld+d], w[k/2*ld:k/2*ld+d])
		}
	}
}

// Phase returns the phase of column k: 0 for a cosine and -pi/2 for a sine, where columns are pairs, and else 2 pi
// times a draw of uniform.
func (h How) Phase(k int, uniform func() float64) float64 {
	switch {
	case !h.Pairs:
		return 2 * math.Pi * uniform()
	case k%2 == 1:
		return -math.Pi / 2
	}
	return 0
}

// orthogonalise makes the rows of each block of d rows of w (n x ld) orthogonal to one another, in their first d
// elements, and keeps their lengths (Yu et al., eq. (3)): the lengths of normal rows do not depend on the directions.
// It is the method of Gram and Schmidt, twice over for each row.
func orthogonalise(w []float64, n, d, ld int) {
	q := make([]float64, d*d)
	for from := 0; from < n; from += d {
		for i := from; i < min(from+d, n); i++ {
			row, unit := w[i*ld:i*ld+d], q[(i-from)*d:(i-from+1)*d]
			length := math.Sqrt(vmath.Dot(row, row))
			copy(unit, row)
			for range 2 {
				for j := range i - from {
					before := q[j*d : (j+1)*d]
					vmath.Axpy(-vmath.Dot(before, unit), before, unit)
				}
				norm := math.Sqrt(vmath.Dot(unit, unit))
				for k := range unit {
					unit[k] /= norm
				}
			}
			for k, v := range unit {
				row[k] = length * v
			}
		}
	}
}

// hadamard writes the first d elements of the rows of sqrt(p) H D1 H D2 H D3 (Yu et al., eq. (6)) to n rows of w, block
// after block: p is the smallest power of two from d on, H the normalised Walsh-Hadamard matrix (p x p), and each D a
// diagonal of signs, which are negative where a uniform draw is below 1/2.
func hadamard(w []float64, n, d, ld int, uniform func() float64) {
	p := 1
	for p < d {
		p *= 2
	}
	row, signs := make([]float64, p), make([]float64, 3*p)
	for from := 0; from < n; from += p {
		for j := range signs {
			signs[j] = 1
			if uniform() < 0.5 {
				signs[j] = -1
			}
		}
		for i := from; i < min(from+p, n); i++ {
			clear(row)
			row[i-from] = math.Sqrt(float64(p))
			for k := range 3 {
				walsh(row)
				for j := range row {
					row[j] *= signs[k*p+j]
				}
			}
			copy(w[i*ld:i*ld+d], row)
		}
	}
}

// walsh multiplies x, whose length p is a power of two, by the normalised Walsh-Hadamard matrix in p log p additions.
func walsh(x []float64) {
	for h := 1; h < len(x); h *= 2 {
		for i := 0; i < len(x); i += 2 * h {
			for j := i; j < i+h; j++ {
				x[j], x[j+h] = x[j]+x[j+h], x[j]-x[j+h]
			}
		}
	}
	scale := 1 / math.Sqrt(float64(len(x)))
	for i := range x {
		x[i] *= scale
	}
}
