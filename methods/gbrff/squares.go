package gbrff

import (
	"iter"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// rowsAtOnce is the number of rows whose cosines and sines are worked on at a time, so that they stay in a core's
// cache.
const rowsAtOnce = 256

// squares searches the weak learners sum_j q_j cos(omega_j.(l - x)) of Gautheron et al. 2019, for K given frequencies
// omega_j and for the residuals r of several grid points at once:
//
//	landmark  min over l in R^d of  mean (r_i - (1/K) sum_j cos(omega_j.(l - x_i)))^2       (5)
//	weights   q_j proportional to exp(-beta mean (r_i - cos(omega_j.(l - x_i)))^2)          (7)
//
// (The paper's second line of (7) lacks the minus sign of its first.) Let row i of P be (cos omega_j.x_i, sin
// omega_j.x_i), j = 1..K, and let v = (cos u, sin u) for u_j = omega_j.l. Then cos(omega_j.(l - x_i)) is the sum of two
// products of elements of P and v, and both means are quadratic forms in v:
//
//	landmark  mean r_i^2 - 2 b.v / K + v.A v / K^2     with A = P'P/n and b = P'r/n
//
// A does not depend on the residuals. It is computed once a round for all grid points, and a search for a landmark
// never looks at the rows. A grid point makes two passes over the rows: one for b, and one for the values of its
// learner. The search is L-BFGS from the origin and stops after landmarkIterations. The searches of all grid points run
// side by side, so that their products with A are one product of matrices.
type squares struct {
	x        rows
	k        int
	searched bool // whether landmarks are searched, which needs A whole

	omega    []float64   // K x d, of this round
	kept     bool        // whether each block of trig has memory of its own
	trig     [][]float64 // P' by blocks of rows: 2K x h
	residual [][]float64 // r by blocks of rows: grid points x h
	values   [][]float64 // the learners' values on the training rows, in the same form
	a        []float64   // 2K x 2K: A; without searches only elements of a feature's own cosine and sine
	b        []float64   // grid points x 2K: b
	mixture  []float64   // grid points x 2K: the learners as combinations of the columns of P

	searches []search
	u        []float64 // K: omega_j.l
	v, av    []float64 // grid points x 2K: (cos u, sin u)/K of the searches that go on, and its products with A
	free     int       // the next row of v that a search may write
	slopes   []float64 // K: the loss's derivatives in u_j
	part     []float64 // room for the products of a block
}

// A search is that of one grid point for its landmark.
type search struct {
	optimum  solve.LBFGS
	energy   float64   // mean r_i^2
	landmark []float64 // d
}

// newSquares starts with the residuals y - h0 at each of count grid points.
func newSquares(x rows, k, count int, searched bool, y []float64, h0 float64) *squares {
	w := &squares{
		x: x, k: k, searched: searched, searches: make([]search, count),
		a: make([]float64, 4*k*k), b: make([]float64, count*2*k), mixture: make([]float64, count*2*k),
		u: make([]float64, k), v: make([]float64, count*2*k), av: make([]float64, count*2*k),
		slopes: make([]float64, k),
		part:   make([]float64, max(count*2*k, rowsAtOnce*k)),
	}
	for i := range w.searches {
		w.searches[i].optimum.MaxIter = landmarkIterations
		w.searches[i].landmark = make([]float64, x.d)
	}
	w.kept = fitting.Held(x.n, x.d, 2*k, rowsAtOnce, fitting.Few) == x.n
	var trig []float64
	for lo := 0; lo < x.n; lo += rowsAtOnce {
		h := min(rowsAtOnce, x.n-lo)
		start := slices.Clone(y[lo : lo+h])
		floats.AddConst(-h0, start)
		if w.kept || lo == 0 {
			trig = make([]float64, 2*k*h)
		}
		w.trig = append(w.trig, trig[:2*k*h])
		w.residual = append(w.residual, slices.Repeat(start, count))
		w.values = append(w.values, make([]float64, count*h))
	}
	return w
}

// height returns the number of rows of a block, and where they begin.
func (w *squares) height(block int) (h, lo int) {
	return len(w.trig[block]) / (2 * w.k), block * rowsAtOnce
}

// setFrequencies starts a round with the K x d frequencies omega: it computes P, A, and b of each grid point.
func (w *squares) setFrequencies(omega []float64) {
	w.omega = omega
	k, n := w.k, float64(w.x.n)
	count := len(w.searches)
	clear(w.a)
	clear(w.b)
	for i, trig := range w.trig {
		h := w.turn(i)
		if w.searched {
			vmath.GramAdd(w.a, trig, 2*k, h, 0, 2*k)
		} else {
			w.addPairs(trig, h)
		}
		part := w.part[:len(w.b)]
		vmath.MatMulT(part, w.residual[i], count, h, trig, 2*k)
		floats.Add(w.b, part)
	}
	if w.searched {
		vmath.Mirror(w.a, 2*k)
	}
	floats.Scale(1/n, w.a)
	floats.Scale(1/n, w.b)
}

// turn computes P' of a block, and returns the number of its rows.
func (w *squares) turn(block int) int {
	h, lo := w.height(block)
	angles, trig := w.part[:w.k*h], w.trig[block]
	vmath.MatMulT(angles, w.omega, w.k, w.x.d, w.x.slice(lo, lo+h), h)
	vmath.SinCos(trig[w.k*h:], trig[:w.k*h], angles)
	return h
}

// addPairs adds, for each feature, the products of its cosines and sines over a block of h rows.
func (w *squares) addPairs(trig []float64, h int) {
	k := w.k
	for j := range k {
		cos, sin := trig[j*h:(j+1)*h], trig[(k+j)*h:(k+j+1)*h]
		w.a[j*2*k+j] += vmath.Dot(cos, cos)
		w.a[j*2*k+k+j] += vmath.Dot(cos, sin)
		w.a[(k+j)*2*k+k+j] += vmath.Dot(sin, sin)
	}
}

// search finds the landmarks of all grid points. Each search is a coroutine. It writes a vector to a
// row of v, pauses, and then reads the product of A and this vector from the same row of av.
func (w *squares) search() {
	var going []func() (struct{}, bool)
	for at := range w.searches {
		s := &w.searches[at]
		s.energy = 0
		for i := range w.residual {
			r := w.row(w.residual[i], at)
			s.energy += vmath.Dot(r, r)
		}
		s.energy /= float64(w.x.n)
		clear(s.landmark)
		next, stop := iter.Pull(func(pause func(struct{}) bool) {
			s.optimum.Minimize(s.landmark, func(l, gradient []float64) float64 {
				return w.loss(at, l, gradient, func() { pause(struct{}{}) })
			})
		})
		defer stop()
		going = append(going, next)
	}
	for len(going) > 0 {
		w.free = 0
		for _, next := range going {
			if _, more := next(); more { // it has read its old row, which is not above the free one
				going[w.free] = next
				w.free++
			}
		}
		going = going[:w.free]
		w.multiply(len(going))
	}
}

// multiply sets the first rows of av to the products of those of v with A.
func (w *squares) multiply(rows int) {
	vmath.MatMul(w.av[:rows*2*w.k], w.v[:rows*2*w.k], rows, 2*w.k, w.a, 2*w.k)
}

// loss is the loss of a grid point at the landmark l. In v = (cos u, sin u)/K its gradient is 2 (A v - b), the
// derivatives of cos u_j and sin u_j are -sin u_j and cos u_j, and the gradient in l is sum_j (slope in u_j) omega_j.
// It calls product once, between writing the next free row of v and reading this row of av.
func (w *squares) loss(at int, l, gradient []float64, product func()) float64 {
	k := w.k
	v, av, b := w.v[w.free*2*k:][:2*k], w.av[w.free*2*k:][:2*k], w.b[at*2*k:][:2*k]
	w.turnTo(l, v)
	floats.Scale(1/float64(k), v)
	product()
	value := w.searches[at].energy + vmath.Dot(av, v) - float64(2*vmath.Dot(b, v))
	vmath.Axpy(-1, b, av)
	for j := range k {
		w.slopes[j] = 2 * (float64(v[j]*av[k+j]) - float64(v[k+j]*av[j]))
	}
	vmath.MatTVec(gradient, w.omega, k, w.x.d, w.slopes)
	return value
}

// turnTo computes the phases u_j = omega_j.l, with cos(omega_j.(l - x)) = cos(omega_j.x - u_j), and sets v to their
// cosines and sines.
func (w *squares) turnTo(l, v []float64) []float64 {
	vmath.MatVec(w.u, w.omega, w.k, w.x.d, l)
	vmath.SinCos(v[w.k:], v[:w.k], w.u)
	return w.u
}

// place gives the next learners the landmark l and returns its phases.
func (w *squares) place(l []float64) []float64 { return w.turnTo(l, w.v[:2*w.k]) }

// row returns the part of a grid point in a block.
func (w *squares) row(block []float64, at int) []float64 {
	h := len(block) / len(w.searches)
	return block[at*h : (at+1)*h]
}

// weigh writes the K weights of a grid point at the landmark of place to q, and keeps its learner. The mean r_i^2 in
// the losses of all features is the same and cancels.
func (w *squares) weigh(q []float64, at int, beta float64) {
	k, b := w.k, w.b[at*2*w.k:]
	cos, sin := w.v[:k], w.v[k:2*k]
	for j := range q {
		c, s := cos[j], sin[j]
		cc, cs, ss := w.a[j*2*k+j], w.a[j*2*k+k+j], w.a[(k+j)*2*k+k+j]
		along := float64(c*b[j]) + float64(s*b[k+j])
		square := float64(cc*float64(c*c)) + float64(2*float64(cs*float64(c*s))) + float64(ss*float64(s*s))
		q[j] = -beta * (square - float64(2*along))
	}
	vmath.Softmax(q, q)
	mixture := w.mixture[at*2*k:][:2*k]
	floats.MulTo(mixture[:k], cos, q)
	floats.MulTo(mixture[k:], sin, q)
}

// evaluate computes the values of the learners of all grid points on the training rows.
func (w *squares) evaluate() {
	for i, trig := range w.trig {
		h, _ := w.height(i)
		if !w.kept {
			w.turn(i)
		}
		vmath.MatMul(w.values[i], w.mixture, len(w.searches), 2*w.k, trig, h)
	}
}

// step returns the alpha that minimises sum (r_i - alpha h_i)^2 for the learner of a grid point, equation (8). It is 0
// if the learner is zero everywhere.
func (w *squares) step(at int) float64 {
	rh, hh := 0.0, 0.0
	for i := range w.values {
		r, h := w.row(w.residual[i], at), w.row(w.values[i], at)
		rh += vmath.Dot(r, h)
		hh += vmath.Dot(h, h)
	}
	if hh == 0 {
		return 0
	}
	return rh / hh
}

// subtract takes alpha times the learner of a grid point from its residuals.
func (w *squares) subtract(at int, alpha float64) {
	for i := range w.values {
		vmath.Axpy(-alpha, w.row(w.values[i], at), w.row(w.residual[i], at))
	}
}
