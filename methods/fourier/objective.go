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

// value returns f at sigma and w (outputs x width) with l2 penalties of both, where w minimises f. It writes the
// gradient (6) in sigma to gs, which is also the gradient of the minimum over w: since df/dw = 0, no derivative of w
// enters (the envelope theorem).
func (p *problem) value(ctx context.Context, l loss, lambda, rho float64, sigma, w, gs []float64) (float64, error) {
	clear(gs)
	f, err := p.pass(ctx, l, sigma, w, gs)
	vmath.Axpy(2*rho, sigma, gs)
	f += float64(rho * vmath.Dot(sigma, sigma))
	for c := range p.outputs {
		own := w[c*p.width : (c+1)*p.width]
		f += float64(lambda * vmath.Dot(own, own))
	}
	return f, err
}

// pass goes through the rows once. It returns the loss, and adds the gradient of the loss in sigma to gs. With
// V = dl/df (outputs x n),
//
//	dl/dsigma_j = - sum over inputs i of group j and rows r of x_ri (H' M)_ir,   M = (W'V) o sqrt(2/D) sin(angles),
//
// which is (6) with (11).
func (p *problem) pass(ctx context.Context, l loss, sigma, w, gs []float64) (float64, error) {
	k, width := p.outputs, p.width
	block := p.newWork(p.n, true)
	high := min(p.n, rowsAtOnce)
	f, v, hm := make([]float64, k*high), make([]float64, k*high), make([]float64, p.inputs*high)
	m, turned := make([]float64, width*high), vmath.Transposed(w, k, width)
	total := 0.0
	err := fitting.Blocks(ctx, p.n, rowsAtOnce, func(lo, hi int) {
		h := hi - lo
		block.embed(p.a[lo*p.inputs:hi*p.inputs], sigma)
		vmath.MatMul(f[:k*h], w, k, width, block.psi[:width*h], h)
		for c := range k {
			y, fc := p.y[c*p.n+lo:c*p.n+hi], f[c*h:(c+1)*h]
			total += l.value(fc, y)
			l.derivative(v[c*h:(c+1)*h], fc, y)
		}
		vmath.MatMul(m[:width*h], turned, width, k, v[:k*h], h)
		block.addSlopes(gs, m[:width*h], hm)
	})
	return total, err
}
