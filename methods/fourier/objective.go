package fourier

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A problem is the data of the general learning model (5),
//
//	f(sigma, w) = sum_c loss(psi_sigma(X) w_c, y_c) + lambda sum_c nu(w_c) + rho eta(sigma),
//
// c = 1 .. outputs. The classes, one against the rest, share the embedding and its sigma, and so they are one problem.
type problem struct {
	*embedding
	n       int
	a       []float64 // n x inputs, mapped
	outputs int
	y       []float64 // outputs x n

	channels []*channel // of each part, from its first use on
}

// An objective is a choice of loss, penalties and their factors (Table 2).
type objective struct {
	loss          loss
	weights       penalty // nu
	lambda        float64
	inverseWidths penalty // eta
	rho           float64
	onlyProfile   bool // w minimises f at this sigma: the gradient in w is not computed
}

// ends are the ends of the blocks of columns.
func (e *embedding) ends() []int {
	ends := make([]int, len(e.parts))
	for j, p := range e.parts {
		ends[j] = p.at + p.count
	}
	return ends
}

// sigmaEnds are the ends of the blocks of sigma, each of which has one element.
func (e *embedding) sigmaEnds() []int {
	ends := make([]int, e.groups())
	for j := range ends {
		ends[j] = j + 1
	}
	return ends
}

// value returns f at sigma and w (outputs x width). It writes the gradient (6) in sigma to gs and, unless o.onlyProfile
// is set, the gradient (7) in w to gw. Where w minimises f, gs is also the gradient of the minimum over w: since df/dw
// = 0, no derivative of w enters (the envelope theorem).
func (p *problem) value(ctx context.Context, o objective, sigma, w, gs, gw []float64) (float64, error) {
	clear(gs)
	if o.onlyProfile {
		gw = nil
	}
	clear(gw)
	f, err := p.pass(ctx, o.loss, sigma, w, gs, gw)
	if err != nil {
		return 0, err
	}
	if gw == nil {
		gw = make([]float64, len(w))
	}
	f += float64(o.rho * o.inverseWidths.value(sigma, p.sigmaEnds(), o.rho, gs))
	ends := p.ends()
	for c := range p.outputs {
		at, to := c*p.width, (c+1)*p.width
		f += float64(o.lambda * o.weights.value(w[at:to], ends, o.lambda, gw[at:to]))
	}
	return f, nil
}

// pass goes through the rows once. It returns the loss, adds the gradient of the loss in sigma to gs and, unless gw is
// nil, the gradient in w to gw. With V = dl/df (outputs x n),
//
//	dl/dw = V psi',   dl/dsigma_j = - sum over inputs i of group j and rows r of x_ri (H' M)_ir,
//	M = (W'V) o sqrt(2/D) sin(angles),
//
// which is (6) with (11).
func (p *problem) pass(ctx context.Context, l loss, sigma, w, gs, gw []float64) (float64, error) {
	k, width := p.outputs, p.width
	block := p.newWork(p.n, true)
	high := min(p.n, rowsAtOnce)
	f, v, hm := make([]float64, k*high), make([]float64, k*high), make([]float64, p.inputs*high)
	m, part := make([]float64, width*high), make([]float64, k*width)
	turned := vmath.Transposed(w, k, width)
	total := 0.0
	err := fitting.Blocks(ctx, p.n, rowsAtOnce, func(lo, hi int) {
		h := hi - lo
		block.embed(p.a[lo*p.inputs:hi*p.inputs], sigma)
		psi := block.psi[:width*h]
		vmath.MatMul(f[:k*h], w, k, width, psi, h)
		for c := range k {
			y, fc := p.y[c*p.n+lo:c*p.n+hi], f[c*h:(c+1)*h]
			total += l.value(fc, y)
			l.derivative(v[c*h:(c+1)*h], fc, y)
		}
		if gw != nil {
			vmath.MatMulT(part, v[:k*h], k, h, psi, width)
			vmath.Axpy(1, part, gw)
		}
		vmath.MatMul(m[:width*h], turned, width, k, v[:k*h], h)
		block.addSlopes(gs, m[:width*h], hm)
	})
	return total, err
}
