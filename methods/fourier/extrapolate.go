package fourier

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A past holds what the last sweeps of a group lasso left, to extrapolate from.
type past struct {
	*lasso
	points []point // history + 1, the first kept ones in use
	kept   int
}

func (l *lasso) newPast(p *point) *past {
	h := &past{lasso: l, points: make([]point, history+1)}
	for i := range h.points {
		h.points[i] = point{w: make([]float64, len(p.w)), image: make([]float64, len(p.image))}
	}
	h.restart(p)
	return h
}

// restart forgets all but p.
func (h *past) restart(p *point) {
	h.points[0].copyFrom(p)
	h.kept = 1
}

func (p *point) copyFrom(q *point) {
	copy(p.w, q.w)
	copy(p.image, q.image)
}

// keep adds a sweep, and when there are enough of them tries the extrapolation of each of the outputs.
func (h *past) keep(p *point, which []int, lambda float64) {
	h.points[h.kept].copyFrom(p)
	h.kept++
	if h.kept <= history {
		return
	}
	for _, c := range which {
		h.extrapolate(p, c, lambda)
	}
	h.restart(p)
}

// extrapolate replaces the weights of output c by sum_i c_i w^(i+1), where c minimises |sum_i c_i (w^(i+1) - w^(i))| with sum_i c_i = 1,
// if P is less there. The image, which is affine in the weights, follows in the same way.
func (h *past) extrapolate(p *point, c int, lambda float64) {
	coef, ok := h.coefficients(c)
	if !ok {
		return
	}
	w, image := make([]float64, h.width), make([]float64, h.side.images())
	for i, v := range coef {
		next := &h.points[i+1]
		vmath.Axpy(v, next.w[c*h.width:(c+1)*h.width], w)
		vmath.Axpy(v, h.imageOf(next, c), image)
	}
	own := p.w[c*h.width : (c+1)*h.width]
	if h.primal(c, w, image, lambda) < h.primal(c, own, h.imageOf(p, c), lambda) {
		copy(own, w)
		copy(h.imageOf(p, c), image)
		h.side.moved(p, c)
	}
}

// coefficients solves the normal equations D'D c = 1, with a little added to their diagonal, by Gauss's elimination, and scales c to
// the sum 1.
func (h *past) coefficients(c int) ([]float64, bool) {
	var d [history][]float64
	for i := range d {
		d[i] = make([]float64, h.width)
		a, b := h.points[i].w[c*h.width:(c+1)*h.width], h.points[i+1].w[c*h.width:(c+1)*h.width]
		for k := range d[i] {
			d[i][k] = b[k] - a[k]
		}
	}
	var m [history][history + 1]float64
	trace := 0.0
	for i := range d {
		for j := range d {
			m[i][j] = vmath.Dot(d[i], d[j])
		}
		trace += m[i][i]
	}
	for i := range m {
		m[i][i] += float64(1e-12 * trace)
		m[i][history] = 1
	}
	for k := range m {
		if !(m[k][k] > 0) {
			return nil, false
		}
		for i := range m {
			if i == k {
				continue
			}
			f := m[i][k] / m[k][k]
			for j := k; j <= history; j++ {
				m[i][j] -= float64(f * m[k][j])
			}
		}
	}
	coef, sum := make([]float64, history), 0.0
	for i := range m {
		coef[i] = m[i][history] / m[i][i]
		sum += coef[i]
	}
	for i := range coef {
		coef[i] /= sum
		if math.IsNaN(coef[i]) || math.IsInf(coef[i], 0) {
			return nil, false
		}
	}
	return coef, true
}
