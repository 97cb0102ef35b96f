package kernel

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vector"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A solution is on its way to the minimum of
//
//	sum_i L(y_i, f_i) + c/2 alpha'K alpha,   f = K alpha + b,   sum alpha = 0,
//
// for the square loss L = (y-f)^2 / 2, c = n lambda, or the logistic loss, c = 2 n lambda; without an intercept b = 0 and the
// sum is free. That is the problem of a [trainer] with another scale. It needs K only in products K v, of which it asks for one at a time, so that several solutions share
// the elements of K. The minimum is where, with g = dL/df,
//
//	F = c alpha + g = 0.
//
// Newton's method: with W = S^2 the second derivatives and d alpha = S beta a step solves
//
//	(c I + S K S) beta + s db = -F / s,   s'beta = 0
//
// by conjugate gradients with the [preconditioner] for K, projected on s'beta = 0 (Gould, Hribar and Nocedal, SIAM J. Sci. Comput. 2001). They stop
// where the largest |F_i| that the step leaves by the linear model is a tenth of the present one, or below half of the tolerance.
// Newton's method stops at |F_i| <= tolerance, after which K alpha is made afresh, and the solution stands if with that |F_i| <= accept and the
// relative duality gap is at most gapAccept: an answer that the rank of the preconditioner does not change, but for how long it takes.
type solution struct {
	o    *operator
	pre  *preconditioner
	loss loss
	c    float64
	room []float64 // for weigh, shared

	alpha, f []float64
	b, mean  float64 // mean is what was subtracted from the targets
	err      error

	ask, product []float64 // the vector whose product with K is wanted, nil at the end; where it goes
	state        int
	steps, inner int

	value                    float64
	g, s, off                []float64 // L', S, F
	beta, kbeta, r, z, p, sp []float64 // conjugate gradients; kbeta = K S beta
	border                   []float64 // P^-1 s
	rz, db, bound, weight    float64   // weight = s'P^-1 s
	gap                      float64   // relative, of the result
}

const (
	opening = iota // K alpha of the first alpha
	inside         // K S p
	closing        // K alpha of the last
)

const (
	innerSteps = 1000
	gapAccept  = 1e-6
)

func newSolution(o *operator, pre *preconditioner, l loss, alpha []float64, b float64, room []float64) *solution {
	n := o.n
	s := &solution{o: o, pre: pre, loss: l, c: pre.c, room: room, alpha: alpha, b: b, f: make([]float64, n)}
	for _, v := range []*[]float64{&s.product, &s.g, &s.s, &s.off, &s.beta, &s.kbeta, &s.r, &s.z, &s.p, &s.sp, &s.border} {
		*v = make([]float64, n)
	}
	if l.intercept() {
		floats.AddConst(-vmath.Sum(alpha)/float64(n), alpha)
	}
	s.ask, s.state = s.alpha, opening
	return s
}

// take goes on with the product that was asked for.
func (s *solution) take(ctx context.Context) {
	switch s.state {
	case opening, closing:
		for i, v := range s.product {
			s.f[i] = v + s.b
		}
		if s.state == closing && s.certify() {
			s.end(nil)
			return
		}
		s.value = s.objective(s.f, s.alpha, s.b)
		s.newton(ctx)
	case inside:
		s.conjugate(ctx)
	}
}

func (s *solution) end(err error) { s.ask, s.err = nil, err }

func (s *solution) objective(f, alpha []float64, b float64) float64 {
	return s.loss.value(f) + float64(s.c/2*(vmath.Dot(alpha, f)-float64(b*vmath.Sum(alpha))))
}

// residual updates F and returns its largest element.
func (s *solution) residual() float64 {
	s.loss.slopes(s.f, s.g, s.s)
	for i, v := range s.g {
		s.off[i] = v + float64(s.c*s.alpha[i])
	}
	return vector.MaxAbs(s.off)
}

// certify checks the result with a product made afresh.
func (s *solution) certify() bool {
	if off := s.residual(); !(off <= s.loss.accept()) {
		return false
	}
	s.gap = s.loss.gap(s.f, s.alpha, s.c) / max(s.objective(s.f, s.alpha, s.b), math.SmallestNonzeroFloat64)
	return s.gap <= gapAccept
}

// newton starts a step, or asks for the last product.
func (s *solution) newton(ctx context.Context) {
	off := s.residual()
	if s.steps++; s.steps > newtonSteps || math.IsNaN(off) {
		s.end(fmt.Errorf("no convergence: Newton's method ends %.2g from a stationary point, above %.2g: raise lambda", off, s.loss.accept()))
		return
	}
	if off <= s.loss.tolerance() {
		s.ask, s.state = s.alpha, closing
		return
	}
	if s.stale() {
		if err := s.pre.weigh(ctx, s.s, s.room); err != nil {
			s.end(err)
			return
		}
	}
	if s.loss.intercept() { // the preconditioner's weights may be older than s
		if err := s.pre.solve(ctx, s.border, s.s); err != nil {
			s.end(err)
			return
		}
		s.weight = vmath.Dot(s.s, s.border)
	}
	clear(s.beta)
	clear(s.kbeta)
	for i, v := range s.off {
		s.r[i] = -v / s.s[i]
	}
	s.db, s.inner, s.bound = 0, 0, max(0.1*off, s.loss.tolerance()/2)
	s.direct(ctx, true)
}

// stale reports that the preconditioner's weights are not the present ones by a factor of two, where they count.
func (s *solution) stale() bool {
	largest := 0.0
	for _, v := range s.s {
		largest = max(largest, v)
	}
	for i, v := range s.s {
		if u := s.pre.s[i]; max(u, v) > 0.1*largest && (v > 1.5*u || u > 1.5*v) {
			return true
		}
	}
	return false
}

// direct preconditions the residual r, takes out its part along s, and asks for the product of the next direction, or ends the step.
func (s *solution) direct(ctx context.Context, first bool) {
	if err := s.pre.solve(ctx, s.z, s.r); err != nil {
		s.end(err)
		return
	}
	if s.loss.intercept() {
		mu := vmath.Dot(s.s, s.z) / s.weight
		vmath.Axpy(-mu, s.border, s.z)
		vmath.Axpy(-mu, s.s, s.r)
		s.db += mu
	}
	worst := 0.0
	for i, v := range s.r {
		worst = max(worst, math.Abs(v*s.s[i]))
	}
	rz := vmath.Dot(s.r, s.z)
	if worst <= s.bound || !(rz > 0) || s.inner >= innerSteps {
		s.step(ctx)
		return
	}
	turn := 0.0
	if !first {
		turn = rz / s.rz
	}
	s.rz = rz
	for i, v := range s.z {
		s.p[i] = v + float64(turn*s.p[i])
		s.sp[i] = s.s[i] * s.p[i]
	}
	s.inner++
	s.ask, s.state = s.sp, inside
}

// conjugate moves along p, whose product has come.
func (s *solution) conjugate(ctx context.Context) {
	curve := float64(s.c*vmath.Dot(s.p, s.p)) + vmath.Dot(s.sp, s.product)
	length := s.rz / curve
	vmath.Axpy(length, s.p, s.beta)
	vmath.Axpy(length, s.product, s.kbeta)
	for i, v := range s.p {
		s.r[i] -= float64(length * (float64(s.c*v) + float64(s.s[i]*s.product[i])))
	}
	s.direct(ctx, false)
}

// step ends a step of Newton's method: it is halved until the objective falls, or at least does not rise beyond rounding.
func (s *solution) step(ctx context.Context) {
	alpha, f := s.p, s.sp // free until the next step
	for i := range s.beta {
		s.z[i] = s.s[i] * s.beta[i]
		s.kbeta[i] += s.db
	}
	length := 1.0
	for range 40 {
		for i := range alpha {
			alpha[i] = s.alpha[i] + float64(length*s.z[i])
			f[i] = s.f[i] + float64(length*s.kbeta[i])
		}
		b := s.b + float64(length*s.db)
		if v := s.objective(f, alpha, b); v <= s.value+float64(1e-12*math.Abs(s.value)) {
			copy(s.alpha, alpha)
			copy(s.f, f)
			s.b, s.value = b, v
			s.newton(ctx)
			return
		}
		length /= 2
	}
	s.end(fmt.Errorf("no convergence: no step lowers the objective, %.2g from a stationary point, above %.2g: raise lambda",
		vector.MaxAbs(s.off), s.loss.accept()))
}
