package solve

import "math"

const (
	maxEvaluations = 500
	sqrtEps        = 1.4832396974191326e-08 // sqrt(2.2e-16), as SciPy rounds it
	// After a trial that is no better than the three points, the parabola is the same, and its vertex is an end of the
	// interval. The vertex counts as inside, even if rounding puts it outside.
	tie = 1 + 1e-9
)

// golden is the square of the inverse golden ratio: the smaller part of a section.
var golden = 0.5 * (3 - math.Sqrt(5))

// Brent minimises a function of one variable on an interval.
//
// The problem is min f(x) over a <= x <= b for continuous f; a local minimum is
// found if f has several. Each step evaluates f at the vertex of the parabola
// through the three best points or, where that is not trustworthy, at the golden
// section of the larger part of the interval. The search stops when the minimiser is
// enclosed within tol/3 + |x| sqrt(eps) on both sides, or after 500 evaluations.
//
// R. P. Brent, Algorithms for Minimization without Derivatives (1973), chapter 5,
// in the form of Forsythe, Malcolm and Moler's FMIN, with the constants and the
// order of decisions of SciPy's fminbound: the published boosting experiments stop it
// early (tol of a hundredth of a turn), so that its path is part of their results.
//
// Brent returns the best point x found in [a, b], a <= b, and f(x). tol is the allowed absolute error of x. f is not
// evaluated closer than tol/3 to a point where its value is known. Brent allocates nothing.
func Brent(f func(float64) float64, a, b, tol float64) (x, fx float64) {
	x = a + float64(golden*(b-a)) // the best point so far
	fx = f(x)
	w, fw := x, fx           // the second best
	v, fv := x, fx           // the second best before w
	step, before := 0.0, 0.0 // the last step and the one before it
	for n := 1; n < maxEvaluations; n++ {
		middle := 0.5 * (a + b)
		least := float64(sqrtEps*math.Abs(x)) + tol/3
		if math.Abs(x-middle) <= 2*least-0.5*(b-a) {
			break
		}
		vertex, ok := parabola(x, w, v, fx, fw, fv)
		if ok = ok && math.Abs(before) > least; ok {
			ok = math.Abs(vertex) < 0.5*math.Abs(before) && vertex > (a-x)*tie && vertex < (b-x)*tie
		}
		switch {
		case !ok && x >= middle:
			before = a - x
			step = golden * before
		case !ok:
			before = b - x
			step = golden * before
		default:
			before, step = step, vertex
			if u := x + step; u-a < 2*least || b-u < 2*least {
				step = math.Copysign(least, middle-x)
			}
		}
		u := x + max(step, least)
		if step < 0 {
			u = x + min(step, -least)
		}
		fu := f(u)
		if fu <= fx {
			if u >= x {
				a = x
			} else {
				b = x
			}
			v, fv, w, fw, x, fx = w, fw, x, fx, u, fu
			continue
		}
		if u < x {
			a = u
		} else {
			b = u
		}
		if fu <= fw || w == x {
			v, fv, w, fw = w, fw, u, fu
		} else if fu <= fv || v == x || v == w {
			v, fv = u, fu
		}
	}
	return x, fx
}

// parabola returns the step from x to the vertex of the parabola through the
// points x, w, v; ok is false if they lie on a line.
func parabola(x, w, v, fx, fw, fv float64) (step float64, ok bool) {
	r := float64((x - w) * (fx - fv))
	q := float64((x - v) * (fx - fw))
	p := float64((x-v)*q) - float64((x-w)*r)
	q = 2 * (q - r)
	return -p / q, q != 0
}
