package svm

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A Part is one kernel of a mixture: a factor V', rank x n, with K = V V', or the matrix itself, n x n, if there is no
// factor of low rank.
type Part struct {
	Factor []float64
	Matrix []float64
}

// times writes K x to dst, and V'x to image, of as many elements as the rank.
func (p Part) times(dst, image, x []float64) {
	if p.Matrix != nil {
		vmath.MatVec(dst, p.Matrix, len(x), len(x), x)
		return
	}
	vmath.MatVec(image, p.Factor, len(image), len(x), x)
	vmath.MatTVec(dst, p.Factor, len(image), len(x), image)
}

// A mixture is K(d) = sum_j d_j K_j. With d to be learned it belongs to
//
//	min over z  c'z    subject to  1/2 z'S'K_j S z + w_j = 1 for all j, s'z = 0, 0 <= z <= u, w >= 0
//
// whose multipliers are d >= 0: the dual of MKL with l1 on the weights. The products d_j w_j follow the path with the others.
// Eliminating the slacks w and d from Newton's system turns its K into
//
//	sum_j d_j (K_j + k_j k_j' / w_j),   k_j = K_j beta,
//
// and adds sum_j e_j k_j to its right side, e_j = (t_j - d_j (w_j + r_j)) / w_j with r_j = 1 - 1/2 beta'K_j beta - w_j and t_j what the product
// is to be.
type mixture struct {
	n     int
	parts []Part
	learn bool

	d, w      []float64
	dd, dw, t []float64
	short     []float64   // r
	image     [][]float64 // of each kernel: V'beta
	k         [][]float64 // of each kernel: K_j beta
	sum       []float64
	spare     []float64 // of the largest rank
}

func newMixture(n int, parts []Part, learn bool, room *scratch) *mixture {
	m := &mixture{n: n, parts: parts, learn: learn, sum: room.take(n)}
	for _, a := range []*[]float64{&m.d, &m.w, &m.dd, &m.dw, &m.t, &m.short} {
		*a = room.take(len(parts))
	}
	most := 0
	for j, p := range parts {
		m.d[j], m.w[j] = 1, 1
		rank := len(p.Factor) / n
		most = max(most, rank)
		m.image = append(m.image, room.take(rank))
		m.k = append(m.k, room.take(n))
	}
	m.spare = room.take(most)
	return m
}

// evaluate sets what depends on beta, and fit to K(d) beta.
func (m *mixture) evaluate(ctx context.Context, fit, beta []float64) error {
	clear(fit)
	for j, p := range m.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.times(m.k[j], m.image[j], beta)
		m.short[j] = 1 - 0.5*vmath.Dot(beta, m.k[j]) - m.w[j]
		vmath.Axpy(m.d[j], m.k[j], fit)
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

// products is the sum of d_j w_j.
func (m *mixture) products() float64 { return m.productsAfter(0) }

func (m *mixture) productsAfter(step float64) float64 {
	sum := 0.0
	for j := range m.learned() {
		sum += float64((m.d[j] + float64(step*m.dd[j])) * (m.w[j] + float64(step*m.dw[j])))
	}
	return sum
}

// aim says what the products d_j w_j are to be.
func (m *mixture) aim(t float64) {
	for j := range m.t {
		m.t[j] = t
	}
}

// correct is aim with the curvature of the last direction.
func (m *mixture) correct(t float64) {
	for j := range m.t {
		m.t[j] = t - float64(m.dd[j]*m.dw[j])
	}
}

// pull returns sum_j e_j k_j, or nil.
func (m *mixture) pull() []float64 {
	if !m.learn {
		return nil
	}
	clear(m.sum)
	for j, k := range m.k {
		vmath.Axpy((m.t[j]-float64(m.d[j]*(m.w[j]+m.short[j])))/m.w[j], k, m.sum)
	}
	return m.sum
}

// follow sets the directions of w and d to those that go with the direction of beta.
func (m *mixture) follow(beta []float64) {
	for j := range m.learned() {
		m.dw[j] = m.short[j] - vmath.Dot(m.k[j], beta)
		m.dd[j] = (m.t[j]-float64(m.d[j]*m.dw[j]))/m.w[j] - m.d[j]
	}
}

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

// straight shortens a step along the direction of beta until its second order terms, 1/2 step^2 delta'K_j delta in the
// constraints and step^2 sum_j dd_j K_j delta in the stationarity, are no larger than the residuals of these, r_j and worst, or than
// a tenth.
func (m *mixture) straight(ctx context.Context, step, worst float64, delta []float64) (float64, error) {
	const small = 0.1
	bend := 0.0
	for j, p := range m.parts {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		p.times(m.sum, m.spare[:len(m.image[j])], delta)
		if c := vmath.Dot(delta, m.sum); c > 0 {
			step = min(step, max(2*math.Abs(m.short[j])/c, math.Sqrt(2*small/c)))
		}
		bend += float64(math.Abs(m.dd[j]) * max(floats.Max(m.sum), -floats.Min(m.sum)))
	}
	if bend > 0 {
		step = min(step, max(worst/bend, math.Sqrt(small/bend)))
	}
	return step, nil
}

func (m *mixture) move(step float64) {
	for j := range m.learned() {
		m.d[j] += float64(step * m.dd[j])
		m.w[j] += float64(step * m.dw[j])
	}
}
