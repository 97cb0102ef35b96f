package kernel

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A looProblem is the leave-one-out error of kernel ridge regression as a function of the kernel coefficients gamma:
//
//	E(theta) = (1/n) sum_i e_i^2,   e_i = alpha_i / (M^-1)_ii,   M = K + n lambda I,   alpha = M^-1 y,
//	K_ab = exp(-sum_j gamma_j (x_aj - x_bj)^2),   gamma_j = exp(theta_g), g = group_j.
//
// e_i is the error at example i of the machine trained without it, in closed form. With
// q_i = 2 e_i / (n (M^-1)_ii) and S = diag(q_i e_i),
//
//	dE = <G, dK>,   G = M^-1 S M^-1 - sym(M^-1 q alpha'),
//
// and with H = G o K (elementwise), dE/dgamma_j = -sum_ab H_ab (x_aj - x_bj)^2 = 2 x_j'H x_j - 2 sum_a x_aj^2 sum_b H_ab.
type looProblem struct {
	ctx    context.Context
	err    error // of the last evaluation: the context's, or errNotPositive where M has no Cholesky factor
	n, d   int
	x      []float64
	y      []float64
	lambda float64
	group  []int // for each feature, the index of its coefficient in theta

	gamma            []float64
	k, m, inv, other []float64 // n x n
	alpha, q, line   []float64
	hx               []float64
	solver           *cholesky.Factorizer
}

func newLOOProblem(ctx context.Context, x []float64, d int, group []int, lambda float64) (*looProblem, error) {
	n := len(x) / d
	p := &looProblem{ctx: ctx, n: n, d: d, x: x, group: group, lambda: lambda, gamma: make([]float64, d), alpha: make([]float64, n),
		q: make([]float64, n), line: make([]float64, n), hx: make([]float64, n*d), solver: cholesky.New(n)}
	for _, a := range []*[]float64{&p.k, &p.m, &p.inv, &p.other} {
		if err := ctx.Err(); err != nil { // zeroing so much memory takes long
			return nil, err
		}
		*a = make([]float64, n*n)
	}
	return p, nil
}

// value returns E and writes its gradient. Where M has no Cholesky factor, E is infinite. After another error, which p.err
// keeps, value returns E = 0 and the gradient 0, which ends the search.
func (p *looProblem) value(theta, gradient []float64) float64 {
	clear(gradient)
	if p.err == nil {
		p.err = p.solve(theta)
	}
	e := 0.0
	if p.err == nil {
		e, p.err = p.slope(gradient)
	}
	if errors.Is(p.err, errNotPositive) { // coefficients overflow after too long a trial step: the line search shortens the step
		p.err = nil
		return math.Inf(1)
	}
	if p.err != nil {
		clear(gradient)
		return 0
	}
	return e
}

// solve makes K, factors M and solves for alpha.
func (p *looProblem) solve(theta []float64) error {
	for j, g := range p.group {
		p.gamma[j] = vmath.ExpScalar(theta[g])
	}
	scaled, squares := scaleRows(p.x, p.d, p.gamma)
	if err := square(p.ctx, p.k, scaled, squares, p.d); err != nil {
		return err
	}
	err := fitting.Blocks(p.ctx, p.n, rowsAtOnce, func(lo, hi int) {
		copy(p.m[lo*p.n:hi*p.n], p.k[lo*p.n:hi*p.n])
		for i := lo; i < hi; i++ {
			p.m[i*p.n+i] += float64(float64(p.n) * p.lambda)
		}
	})
	if err != nil {
		return err
	}
	if err := factor(p.ctx, p.solver, p.m); err != nil {
		return err
	}
	copy(p.alpha, p.y)
	return p.solver.Solve(p.ctx, p.m, p.alpha)
}

// slope returns E and writes its gradient, from the factor and alpha that solve has left.
func (p *looProblem) slope(gradient []float64) (float64, error) {
	n, e := p.n, 0.0
	if err := p.solver.Invert(p.ctx, p.inv, p.m); err != nil {
		return 0, err
	}
	for i := range n {
		d := p.inv[i*n+i]
		error := p.alpha[i] / d
		e += error * error / float64(n)
		p.q[i] = 2 * error / (float64(n) * d)
		p.hx[i] = p.q[i] * error
	}
	scaled := p.m // the factor is no longer needed
	err := fitting.Blocks(p.ctx, n, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			floats.MulTo(scaled[i*n:(i+1)*n], p.inv[i*n:(i+1)*n], p.hx[:n])
		}
		vmath.MatVec(p.line[lo:hi], p.inv[lo*n:hi*n], hi-lo, n, p.q) // M^-1 q
	})
	if err != nil {
		return 0, err
	}
	if err := cholesky.Symmetric(p.ctx, p.other, p.inv, scaled, n, n); err != nil {
		return 0, err
	}
	err = fitting.Blocks(p.ctx, n, rowsAtOnce, func(lo, hi int) {
		for a := lo; a < hi; a++ {
			row := p.other[a*n : (a+1)*n]
			for b, k := range p.k[a*n : (a+1)*n] {
				row[b] = k * (row[b] - 0.5*(float64(p.line[a]*p.alpha[b])+float64(p.alpha[a]*p.line[b])))
			}
		}
		vmath.MatMul(p.hx[lo*p.d:hi*p.d], p.other[lo*n:hi*n], hi-lo, n, p.x, p.d)
		for a := lo; a < hi; a++ {
			sum := vmath.Sum(p.other[a*n : (a+1)*n])
			for j := range p.d {
				v := p.x[a*p.d+j]
				gradient[p.group[j]] += float64(2 * v * (p.hx[a*p.d+j] - float64(v*sum)) * p.gamma[j])
			}
		}
	})
	return e, err
}
