package kernel

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A looProblem is the leave-one-out error of kernel ridge regression as a function of the kernel's bandwidths:
//
//	E(theta) = (1/n) sum_i e_i^2,   e_i = alpha_i / (M^-1)_ii,   M = K + n lambda I,   alpha = M^-1 y,
//	K_ab = exp(-sum_j gamma_j (x_aj - x_bj)^2),   gamma_j = exp(theta of j's group).
//
// e_i is the error at example i of the machine trained without it, in closed form. With
// q_i = 2 e_i / (n (M^-1)_ii) and S = diag(q_i e_i),
//
//	dE = <G, dK>,   G = M^-1 S M^-1 - sym(M^-1 q alpha'),
//
// and with H = G o K (elementwise), dE/dgamma_j = -sum_ab H_ab (x_aj - x_bj)^2 = 2 x_j'H x_j - 2 sum_a x_aj^2 sum_b H_ab.
type looProblem struct {
	ctx    context.Context
	err    error // of the last evaluation: the context's, or no factor
	n, d   int
	x      []float64
	y      []float64
	lambda float64
	group  []int // of each column: its bandwidth's position in theta

	gamma            []float64
	k, m, inv, other []float64 // n x n
	alpha, q, line   []float64
	hx               []float64
	solver           *factorizer
}

func newLOOProblem(x []float64, d int, group []int, lambda float64) *looProblem {
	n := len(x) / d
	p := &looProblem{n: n, d: d, x: x, group: group, lambda: lambda, gamma: make([]float64, d), solver: newFactorizer(n)}
	for _, a := range []*[]float64{&p.k, &p.m, &p.inv, &p.other} {
		*a = make([]float64, n*n)
	}
	p.alpha, p.q, p.line, p.hx = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n*d)
	return p
}

// solve makes K, factors M and solves for alpha.
func (p *looProblem) solve(theta []float64) error {
	for j, g := range p.group {
		p.line[0] = theta[g]
		vmath.Exp(p.line[:1], p.line[:1])
		p.gamma[j] = p.line[0]
	}
	scaled, squares := scaleRows(p.x, p.d, p.gamma)
	if err := square(p.ctx, p.k, scaled, squares, p.d); err != nil {
		return err
	}
	copy(p.m, p.k)
	for i := range p.n {
		p.m[i*p.n+i] += float64(p.n) * p.lambda
	}
	if err := p.solver.factor(p.ctx, p.m); err != nil {
		return err
	}
	copy(p.alpha, p.y)
	p.solver.solve(p.m, p.alpha)
	return nil
}

// value returns E and writes its gradient; E is infinite where M has no factor. After another
// error, kept in p.err, it returns E = 0 and gradient 0, which ends the search.
func (p *looProblem) value(theta, gradient []float64) float64 {
	clear(gradient)
	if p.err == nil {
		p.err = p.solve(theta)
	}
	if p.err == nil {
		p.err = p.solver.invert(p.ctx, p.inv, p.m)
	}
	if errors.Is(p.err, errNotPositive) {
		// A trial step too far: bandwidths that overflow. The search pulls back.
		p.err = nil
		return math.Inf(1)
	}
	if p.err != nil {
		return 0
	}
	n := p.n
	e := 0.0
	scaled := p.m // the factor is no longer needed
	for i := range n {
		d := p.inv[i*n+i]
		error := p.alpha[i] / d
		e += error * error / float64(n)
		p.q[i] = 2 * error / (float64(n) * d)
		row := scaled[i*n : (i+1)*n]
		copy(row, p.inv[i*n:(i+1)*n])
		floats.Scale(p.q[i]*error, row)
	}
	for lo := 0; lo < n; lo += rowsAtOnce {
		if p.err = p.ctx.Err(); p.err != nil {
			return 0
		}
		h := min(rowsAtOnce, n-lo)
		vmath.MatMul(p.other[lo*n:(lo+h)*n], p.inv[lo*n:(lo+h)*n], h, n, scaled, n)
	}
	vmath.MatVec(p.line, p.inv, n, n, p.q) // M^-1 q
	for a := range n {
		row := p.other[a*n : (a+1)*n]
		for b, k := range p.k[a*n : (a+1)*n] {
			row[b] = k * (row[b] - 0.5*(p.line[a]*p.alpha[b]+p.alpha[a]*p.line[b]))
		}
	}
	vmath.MatMul(p.hx, p.other, n, n, p.x, p.d)
	for a := range n {
		sum := floats.Sum(p.other[a*n : (a+1)*n])
		for j := range p.d {
			v := p.x[a*p.d+j]
			gradient[p.group[j]] += 2 * v * (p.hx[a*p.d+j] - v*sum) * p.gamma[j]
		}
	}
	return e
}
