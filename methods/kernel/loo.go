package kernel

import (
	"context"
	"errors"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
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
// and with H = G o K (elementwise), dE/dgamma_j = -sum_ab H_ab (x_aj - x_bj)^2 = 2 x_j'H x_j - 2 sum_a x_aj^2 sum_b
// H_ab.
type looProblem struct {
	ctx    context.Context
	err    error // of the last evaluation: the context's, or cholesky.ErrNotPositive where M has no Cholesky factor
	n, d   int
	x      []float64
	y      []float64
	lambda float64
	group  []int // for each feature, the index of its coefficient in theta

	gamma            []float64
	k, m, inv, other []float64 // n x n, k and m lower triangles
	strip            []float64 // rowsAtOnce x n
	alpha, q, line   []float64
	hx               []float64
	solver           *solve.Factorizer
}

func newLOOProblem(ctx context.Context, x []float64, d int, group []int, lambda float64) (*looProblem, error) {
	n := len(x) / d
	p := &looProblem{ctx: ctx, n: n, d: d, x: x, group: group, lambda: lambda, gamma: make([]float64, d),
		alpha: make([]float64, n),
		q:     make([]float64, n), line: make([]float64, n), hx: make([]float64, rowsAtOnce*d),
		strip: make([]float64, rowsAtOnce*n), solver: solve.NewFactorizer(n)}
	for _, a := range []*[]float64{&p.k, &p.m, &p.inv, &p.other} {
		*a = make([]float64, n*n)
		if err := ctx.Err(); err != nil { // zeroing so much memory takes long
			return nil, err
		}
	}
	return p, nil
}

// value returns E and writes its gradient. Where M has no Cholesky factor, E is infinite. After another error, which
// p.err keeps, value returns E = 0 and the gradient 0, which ends the search.
func (p *looProblem) value(theta, gradient []float64) float64 {
	clear(gradient)
	if p.err == nil {
		p.err = p.solve(theta)
	}
	e := 0.0
	if p.err == nil {
		e, p.err = p.slope(gradient)
	}
	// coefficients overflow after too long a trial step: the line search shortens the step
	if errors.Is(p.err, solve.ErrNotPositive) {
		p.err = nil
		return math.Inf(1)
	}
	if p.err != nil {
		clear(gradient)
		return 0
	}
	return e
}

// solve makes the lower triangle of K, factors M and solves for alpha.
func (p *looProblem) solve(theta []float64) error {
	for j, g := range p.group {
		p.gamma[j] = vmath.ExpScalar(theta[g])
	}
	scaled, squares := scaleRows(p.x, p.d, p.gamma)
	err := fitting.Blocks(p.ctx, p.n, rowsAtOnce, func(lo, hi int) {
		strip := p.strip[:(hi-lo)*hi]
		gaussian(strip, scaled[lo*p.d:hi*p.d], squares[lo:hi], scaled[:hi*p.d], squares[:hi], p.d)
		for i := lo; i < hi; i++ {
			row := strip[(i-lo)*hi:][:i+1]
			copy(p.k[i*p.n:], row)
			copy(p.m[i*p.n:], row)
			p.m[i*p.n+i] += float64(float64(p.n) * p.lambda)
		}
	})
	if err != nil {
		return err
	}
	if err := p.solver.Factor(p.ctx, p.m); err != nil {
		return err
	}
	copy(p.alpha, p.y)
	return p.solver.Solve(p.ctx, p.m, p.alpha)
}

// slope returns E and writes its gradient, from the factor and alpha that solve has left.
func (p *looProblem) slope(gradient []float64) (float64, error) {
	n, e, root := p.n, 0.0, make([]float64, p.n)
	if err := p.solver.Invert(p.ctx, p.inv, p.m); err != nil {
		return 0, err
	}
	for i := range n {
		d := p.inv[i*n+i]
		error := p.alpha[i] / d
		e += error * error / float64(n)
		p.q[i] = 2 * error / (float64(n) * d)
		root[i] = math.Sqrt(p.q[i] * error)
	}
	scaled := p.m // the factor is no longer needed
	err := fitting.Blocks(p.ctx, n, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			floats.MulTo(scaled[i*n:(i+1)*n], p.inv[i*n:(i+1)*n], root)
		}
		vmath.MatVec(p.line[lo:hi], p.inv[lo*n:hi*n], hi-lo, n, p.q) // M^-1 q
	})
	if err != nil {
		return 0, err
	}
	if err := solve.Gram(p.ctx, p.other, scaled, n, n); err != nil {
		return 0, err
	}
	return e, p.contract(gradient)
}

// contract adds the gradient of E to the gradient, from M^-1 S M^-1 in other. It sums over the part of H below the
// diagonal, which counts twice: H is symmetric, and the distance of a row to itself is zero.
func (p *looProblem) contract(gradient []float64) error {
	n, d := p.n, p.d
	sums := make([]float64, n) // of the rows of H without its diagonal
	err := fitting.Blocks(p.ctx, n, rowsAtOnce, func(lo, hi int) {
		strip, hx := p.strip[:(hi-lo)*hi], p.hx[:(hi-lo)*d]
		for a := lo; a < hi; a++ {
			row, other := strip[(a-lo)*hi:(a-lo+1)*hi], p.other[a*n:]
			for b, k := range p.k[a*n : a*n+a] {
				row[b] = k * (other[b] - 0.5*(float64(p.line[a]*p.alpha[b])+float64(p.alpha[a]*p.line[b])))
			}
			clear(row[a:])
			sums[a] += vmath.Sum(row[:a])
			vmath.Axpy(1, row[:a], sums[:a])
		}
		vmath.MatMul(hx, strip, hi-lo, hi, p.x[:hi*d], d)
		for i, h := range hx {
			gradient[p.group[i%d]] += float64(4 * p.x[lo*d+i] * h * p.gamma[i%d])
		}
	})
	if err != nil {
		return err
	}
	for a, sum := range sums {
		for j := range d {
			v := p.x[a*d+j]
			gradient[p.group[j]] -= float64(2 * v * v * sum * p.gamma[j])
		}
	}
	return nil
}
