package rffsvm

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A gfcStep is the objective of a greedy step. With the rows (f_i, s_i, c_i) of Phi, f the current
// fit, s_i = sin(w.x_i) and c_i = cos(w.x_i), ridge regression has the coefficients
//
//	a = K^-1 Phi'y / n,   K = Phi'Phi / n + e I,   e = rho^2 + 1e-10,
//
// and the objective in (w, rho) is its mean squared error without the penalty,
//
//	L = |u|^2 / n,   u = Phi a - y.
//
// L has no penalty, so a does not minimise L, and the derivative of L in a is not zero. With t = K^-1 Phi'u / n = -e
// K^-1 a and v = Phi t, the chain rule gives
//
//	dL/drho = -4 rho t.a
//	dL/dw   = (2/n) sum_i (u_i ((a_s - t_s) c_i - (a_c - t_c) s_i) - v_i (a_s c_i - a_c s_i)) x_i.
type gfcStep struct {
	x        *vmath.Packed
	y        []float64
	fit      []float64 // f_i
	sin, cos []float64 // s_i, c_i
	slope    []float64 // w.x_i, and then n/2 dL/d(w.x_i)
	fitFit   float64   // f.f / n
	fitY     float64   // f.y / n
}

const smallestPenalty = 1e-10

// newGFCStep starts with the mean label as the fit.
func newGFCStep(x *vmath.Packed, y []float64) *gfcStep {
	n := len(y)
	r := &gfcStep{
		x: x, y: y,
		fit: make([]float64, n), sin: make([]float64, n), cos: make([]float64, n), slope: make([]float64, n),
	}
	floats.AddConst(vmath.Sum(y)/float64(n), r.fit)
	r.setMoments()
	return r
}

func (r *gfcStep) setMoments() {
	n := float64(len(r.y))
	r.fitFit, r.fitY = vmath.Dot(r.fit, r.fit)/n, vmath.Dot(r.fit, r.y)/n
}

// A triple holds a number for each of the columns f, s, c.
type triple struct{ f, s, c float64 }

// regress computes s and c at theta = (w, rho) and returns a, K's factor and e.
func (r *gfcStep) regress(theta []float64) (a triple, k factor, e float64) {
	d := len(theta) - 1
	r.x.MatVec(r.slope, theta[:d])
	w := vmath.Wave(r.sin, r.cos, r.slope, r.fit, r.y)
	n := float64(len(r.y))
	e = float64(theta[d]*theta[d]) + smallestPenalty
	k = newFactor(r.fitFit+e, w.SF/n, w.SS/n+e, w.CF/n, w.CS/n, w.CC/n+e)
	return k.solve(triple{r.fitY, w.SY / n, w.CY / n}), k, e
}

// loss returns L and its gradient at theta.
func (r *gfcStep) loss(theta, gradient []float64) float64 {
	a, k, e := r.regress(theta)
	t := k.solve(a)
	t.f, t.s, t.c = -e*t.f, -e*t.s, -e*t.c
	sum := vmath.WaveSlope(r.slope, r.fit, r.sin, r.cos, r.y, [3]float64{a.f, a.s, a.c}, [3]float64{t.f, t.s, t.c})
	n, d := float64(len(r.y)), len(theta)-1
	r.x.MatTVec(gradient[:d], r.slope)
	floats.Scale(2/n, gradient[:d])
	gradient[d] = -4 * theta[d] * (float64(t.f*a.f) + float64(t.s*a.s) + float64(t.c*a.c))
	return sum / n
}

// advance makes the regression at theta the fit.
func (r *gfcStep) advance(theta []float64) {
	a, _, _ := r.regress(theta)
	floats.Scale(a.f, r.fit)
	vmath.Axpy(a.s, r.sin, r.fit)
	vmath.Axpy(a.c, r.cos, r.fit)
	r.setMoments()
}

// A factor is the lower triangle L of a positive definite 3 x 3 matrix L L', by rows.
type factor struct{ ff, sf, ss, cf, cs, cc float64 }

func newFactor(ff, sf, ss, cf, cs, cc float64) factor {
	var l factor
	l.ff = math.Sqrt(ff)
	l.sf = sf / l.ff
	l.cf = cf / l.ff
	l.ss = math.Sqrt(ss - float64(l.sf*l.sf))
	l.cs = (cs - float64(l.cf*l.sf)) / l.ss
	l.cc = math.Sqrt(cc - float64(l.cf*l.cf) - float64(l.cs*l.cs))
	return l
}

func (l factor) solve(b triple) triple {
	f := b.f / l.ff
	s := (b.s - float64(l.sf*f)) / l.ss
	c := (b.c - float64(l.cf*f) - float64(l.cs*s)) / l.cc
	c /= l.cc
	s = (s - float64(l.cs*c)) / l.ss
	f = (f - float64(l.sf*s) - float64(l.cf*c)) / l.ff
	return triple{f, s, c}
}
