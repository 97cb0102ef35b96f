package svm

import "math"

// The SMO steps of the package comment: Fan, Chen and Lin's second-order working set selection, and the exact
// minimisation over the chosen pair. run defines the steps; smo.h computes the same bits in vector registers.

// status says why run returned.
type status int

const (
	converged status = iota // the gap is below the tolerance
	budgetOut               // the budget of steps is used up
	needRow                 // a row of the kernel has to be fetched first
	stuck                   // rounding left no pair that gains
)

// tiny replaces the curvature of a direction along which the objective is flat to rounding, as in libsvm.
const tiny = 1e-12

// work is the state of SMO steps on the active set. The length of its arrays over elements is a multiple of 8. The
// padding elements can move neither up nor down.
type work[F Float] struct {
	rows   []F     // stored rows of the kernel, stride apart
	slot   []int32 // of each element: the row's number in rows, or -1
	used   []int64 // of each stored row: clock when it was last used
	clock  int64
	stride int

	g        []float64 // gradient of the smooth part: K beta - target
	up, down []float64 // derivative of the l1 term for a move up or down; +Inf and -Inf where a bound forbids the move
	beta     []float64
	lo, hi   []float64
	diag     []float64
}

// limits sets up and down of element k from its beta.
func (w *work[F]) limits(k int, epsilon float64) {
	w.up[k], w.down[k] = tubeSlopes(w.beta[k], epsilon)
	if !(w.beta[k] < w.hi[k]) {
		w.up[k] = math.Inf(1)
	}
	if !(w.beta[k] > w.lo[k]) {
		w.down[k] = math.Inf(-1)
	}
}

// run takes SMO steps on the first n elements until max(g+down) - min(g+up) < tol, budget steps are done, or the row of
// element need is missing. The C code computes the same bits: sums are not fused, gains are compared in float32, and
// the lowest index wins a tie.
func run[F Float](w *work[F], n int, epsilon, tol float64,
	budget int) (s status, done, need int, minUp, maxDown float64) {
	i, minUp, maxDown := w.scan(n)
	for {
		switch {
		case !(maxDown-minUp >= tol):
			return converged, done, need, minUp, maxDown
		case done == budget:
			return budgetOut, done, need, minUp, maxDown
		case w.slot[i] < 0:
			return needRow, done, i, minUp, maxDown
		}
		ki := w.row(i)
		w.clock++
		w.used[w.slot[i]] = w.clock
		j := w.partner(ki, i, minUp, n)
		if w.slot[j] < 0 {
			return needRow, done, j, minUp, maxDown
		}
		w.used[w.slot[j]] = w.clock
		slope := w.g[j] + w.down[j] - minUp
		if !(slope > 0) {
			return stuck, done, need, minUp, maxDown
		}
		bi, bj := w.beta[i], w.beta[j]
		w.step(i, j, w.diag[i]+w.diag[j]-2*float64(ki[j]), slope, epsilon)
		w.move(ki, w.row(j), w.beta[i]-bi, w.beta[j]-bj, n)
		i, minUp, maxDown = w.scan(n)
		done++
	}
}

func (w *work[F]) row(k int) []F { return w.rows[int(w.slot[k])*w.stride:] }

// scan returns the element with the least derivative for a move up, this derivative, and the largest derivative of an
// element that can move down.
func (w *work[F]) scan(n int) (i int, minUp, maxDown float64) {
	minUp, maxDown = math.Inf(1), math.Inf(-1)
	for k, g := range w.g[:n] {
		if a := g + w.up[k]; a < minUp {
			minUp, i = a, k
		}
		if b := g + w.down[k]; b > maxDown {
			maxDown = b
		}
	}
	return i, minUp, maxDown
}

// partner returns the element with the largest gain slope^2 / curvature if it moves down while element i moves up (Fan,
// Chen and Lin 2005, WSS 2).
func (w *work[F]) partner(ki []F, i int, minUp float64, n int) int {
	at, best := 0, float32(-1)
	for k := range n {
		slope := float32(w.g[k] + w.down[k] - minUp)
		if !(slope > 0) {
			continue
		}
		kk := float64(ki[k])
		curvature := max(float32(w.diag[i]+w.diag[k]-(kk+kk)), tiny)
		if gain := float32(slope*slope) / curvature; gain > best {
			at, best = k, gain
		}
	}
	return at
}

// step minimises the objective along beta_i + t, beta_j - t, t >= 0. The objective is quadratic in t with the given
// curvature and the derivative -slope at t = 0. The derivative jumps by 2 epsilon where beta_i or beta_j passes zero.
func (w *work[F]) step(i, j int, curvature, slope, epsilon float64) {
	if !(curvature > tiny) {
		curvature = tiny
	}
	bi, bj := w.beta[i], w.beta[j]
	t := slope / curvature
	if epsilon > 0 {
		first, second := math.Inf(1), math.Inf(1)
		if bi < 0 {
			first = -bi
		}
		if bj > 0 {
			second = bj
		}
		for _, kink := range [2]float64{min(first, second), max(first, second)} {
			if t > kink {
				slope -= 2 * epsilon
				t = max(slope/curvature, kink)
			}
		}
	}
	roomi, roomj := w.hi[i]-bi, bj-w.lo[j]
	t = min(t, roomi, roomj)
	w.beta[i], w.beta[j] = bi+t, bj-t
	if t == roomi {
		w.beta[i] = w.hi[i]
	}
	if t == roomj {
		w.beta[j] = w.lo[j]
	}
	w.limits(i, epsilon)
	w.limits(j, epsilon)
}

// move adds di ki + dj kj to the gradient.
func (w *work[F]) move(ki, kj []F, di, dj float64, n int) {
	for k := range n {
		w.g[k] += float64(di*float64(ki[k])) + float64(dj*float64(kj[k]))
	}
}

// addFourRef adds four rows of the kernel to fit, each times its factor of by.
func addFourRef[F Float](fit []float64, rows *[4][]F, by *[4]float64) {
	n := len(fit)
	a, b, c, d := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	for i := range fit {
		fit[i] += (float64(by[0]*float64(a[i])) + float64(by[1]*float64(b[i]))) +
			(float64(by[2]*float64(c[i])) + float64(by[3]*float64(d[i])))
	}
}
