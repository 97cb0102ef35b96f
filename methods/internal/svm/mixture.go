package svm

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// Parts are the kernels K_1 .. K_r of a mixture on n examples. Kernel j has a factor V_j, n x Ranks[j], with K_j = V_j
// V_j'. A kernel without a factor of low rank has the rank 0 and its matrix in Whole.
type Parts struct {
	Ranks []int
	Stack []float64   // n x R by rows, R the sum of Ranks: V_1 .. V_r side by side
	Whole [][]float64 // of each kernel: nil, or K_j, n x n
}

// Stacked returns the parts of kernels on n examples. Factor j is V_j', by rows, or nil where whole[j] is K_j. Stacked
// sets each factor to nil once it is copied, so that its memory can be used again.
func Stacked(n int, factors, whole [][]float64) Parts {
	p := Parts{Whole: whole}
	rank := 0
	for _, f := range factors {
		p.Ranks = append(p.Ranks, len(f)/n)
		rank += len(f) / n
	}
	p.Stack = make([]float64, n*rank)
	at := 0
	for j, f := range factors {
		if r := p.Ranks[j]; r > 0 {
			vmath.Transpose(p.Stack[at:], rank, f, n, r, n)
			at += r
		}
		factors[j] = nil
	}
	return p
}

// A sum of kernels in the interior point.
//
// Problem: with K(d) = sum_j d_j K_j and weights d >= 0 to be learned, the dual of multiple kernel learning with an l1
// norm on the weights is, in the symbols of interior.go and with slacks w,
//
//	min over z, w  c'z    subject to  1/2 z'S'K_j S z + w_j = 1 for all j,  s'z = 0,  0 <= z <= u,  w >= 0.
//
// The weights d_j are the multipliers of the constraints on the kernels. The KKT conditions also have d_j w_j = 0.
//
// Algorithm: the products d_j w_j count in mu and follow the central path too. Let k_j = K_j beta,
// r_j = 1 - 1/2 beta'K_j beta - w_j the residual, and t_j the target of the product d_j w_j. Eliminating the directions
// of w and d from Newton's system replaces its K by
//
//	sum_j d_j (K_j + k_j k_j' / w_j)
//
// and takes sum_j e_j k_j from its right side, e_j = (t_j - d_j (w_j + r_j)) / w_j.

// A mixture is K(d) = sum_j d_j K_j. If learn is false, all weights d_j are 1 and the steps do not change them.
type mixture struct {
	n     int
	rank  int // R
	parts Parts
	learn bool

	d, w, t  []float64   // of each kernel
	dd, dw   []float64   // of each kernel: the Newton direction of d and w
	residual []float64   // of each kernel: r
	images   []float64   // R: V'beta, V the stack of the factors
	image    [][]float64 // of each kernel: its part of images
	k        [][]float64 // of each kernel: K_j beta
	bends    [][]float64 // of each kernel: K_j delta, on a careful path
	all      []int       // the numbers of the examples
	sum      []float64   // n: workspace
	spare    []float64   // R: workspace
}

func newMixture(n int, parts Parts, learn bool, room *scratch) *mixture {
	m := &mixture{n: n, rank: len(parts.Stack) / n, parts: parts, learn: learn, all: fitting.Upto(n), sum: room.take(n)}
	for _, a := range []*[]float64{&m.d, &m.w, &m.dd, &m.dw, &m.t, &m.residual} {
		*a = room.take(len(parts.Ranks))
	}
	m.images, m.spare = room.take(m.rank), room.take(m.rank)
	at := 0
	for j, rank := range parts.Ranks {
		m.d[j], m.w[j] = 1, 1
		m.image = append(m.image, m.images[at:at+rank])
		m.k = append(m.k, room.take(n))
		at += rank
	}
	return m
}

// multiply writes V'x to images, and each K_j x to dst[j].
func (m *mixture) multiply(ctx context.Context, dst [][]float64, images, x []float64) error {
	clear(images)
	vmath.AddRows(images, m.parts.Stack, m.rank, m.all, x)
	err := fitting.Blocks(ctx, m.n, sweepRows(m.rank), func(lo, hi int) {
		at := 0
		for j, rank := range m.parts.Ranks {
			if rank > 0 {
				vmath.RowDots(dst[j][lo:hi], m.parts.Stack[lo*m.rank+at:], m.rank, hi-lo, rank, images[at:at+rank])
			}
			at += rank
		}
	})
	for j, whole := range m.parts.Whole {
		if whole != nil && err == nil {
			vmath.MatVec(dst[j], whole, m.n, m.n, x)
			err = ctx.Err()
		}
	}
	return err
}

// evaluate sets k, image and residual from beta, and fit to K(d) beta.
func (m *mixture) evaluate(ctx context.Context, fit, beta []float64) error {
	clear(fit)
	if err := m.multiply(ctx, m.k, m.images, beta); err != nil {
		return err
	}
	for j, k := range m.k {
		m.residual[j] = 1 - 0.5*vmath.Dot(beta, k) - m.w[j]
		vmath.Axpy(m.d[j], k, fit)
	}
	return nil
}

// learned is the number of weights to be learned.
func (m *mixture) learned() int {
	if !m.learn {
		return 0
	}
	return len(m.d)
}

// products is the sum of d_j w_j after a step along the direction.
func (m *mixture) products(step float64) float64 {
	sum := 0.0
	for j := range m.learned() {
		sum += float64((m.d[j] + float64(step*m.dd[j])) * (m.w[j] + float64(step*m.dw[j])))
	}
	return sum
}

// setTargets sets the targets of the products d_j w_j to t.
func (m *mixture) setTargets(t float64) {
	for j := range m.t {
		m.t[j] = t
	}
}

// setCorrectedTargets sets the targets to t less the second order terms of the last direction.
func (m *mixture) setCorrectedTargets(t float64) {
	for j := range m.t {
		m.t[j] = t - float64(m.dd[j]*m.dw[j])
	}
}

// rightSide returns sum_j e_j k_j, or nil where no weights are learned.
func (m *mixture) rightSide() []float64 {
	if !m.learn {
		return nil
	}
	clear(m.sum)
	for j, k := range m.k {
		vmath.Axpy((m.t[j]-float64(m.d[j]*(m.w[j]+m.residual[j])))/m.w[j], k, m.sum)
	}
	return m.sum
}

// setDirection sets the directions of w and d from the direction of beta.
func (m *mixture) setDirection(beta []float64) {
	for j := range m.learned() {
		m.dw[j] = m.residual[j] - vmath.Dot(m.k[j], beta)
		m.dd[j] = (m.t[j]-float64(m.d[j]*m.dw[j]))/m.w[j] - m.d[j]
	}
}

// longest returns the step that takes the given share of the way to the nearest bound of d and w, at most 1.
func (m *mixture) longest(share float64) float64 {
	step := 1.0
	for j := range m.learned() {
		if m.dd[j] < 0 {
			step = min(step, -share*m.d[j]/m.dd[j])
		}
		if m.dw[j] < 0 {
			step = min(step, -share*m.w[j]/m.dw[j])
		}
	}
	return step
}

// limitCurvature shortens a step along the direction delta of beta until its second order terms are small. The term 1/2
// step^2 delta'K_j delta in the constraint on kernel j is bounded by |r_j| or small. The term step^2 sum_j dd_j K_j
// delta in the residual of interior.go is bounded by worst or small. In each case the larger bound counts.
func (m *mixture) limitCurvature(ctx context.Context, step, worst float64, delta []float64) (float64, error) {
	const small = 0.1
	if m.bends == nil {
		for range m.k {
			m.bends = append(m.bends, make([]float64, m.n))
		}
	}
	if err := m.multiply(ctx, m.bends, m.spare, delta); err != nil {
		return 0, err
	}
	bend := 0.0
	for j, k := range m.bends {
		if c := vmath.Dot(delta, k); c > 0 {
			step = min(step, max(2*math.Abs(m.residual[j])/c, math.Sqrt(2*small/c)))
		}
		bend += float64(math.Abs(m.dd[j]) * max(floats.Max(k), -floats.Min(k)))
	}
	if bend > 0 {
		step = min(step, max(worst/bend, math.Sqrt(small/bend)))
	}
	return step, nil
}

// move takes the step along the direction of d and w.
func (m *mixture) move(step float64) {
	for j := range m.learned() {
		m.d[j] += float64(step * m.dd[j])
		m.w[j] += float64(step * m.dw[j])
	}
}
