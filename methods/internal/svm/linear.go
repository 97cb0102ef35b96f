package svm

import (
	"context"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// The linear kernel in the primal.
//
// Problem: the package's dual with K_ij = x_i.x_j for n rows of d features, d much less than n, solved by way of its
// primal
//
//	min over w in R^d, b  1/2 |w|^2 + sum_i [ upper_i h(e_i - epsilon) - lower_i h(-e_i - epsilon) ],
//	e_i = target_i - w.x_i - b,
//
// with the hinge h(a) = max(0, a).
//
// Algorithm: Newton's method with a line search on the primal with a smoothed hinge (Chapelle, Training a support
// vector machine in the primal, Neural Computation 2007, with his Huber loss). The slope h' rises from 0 to 1 over an
// interval of some width around the kink. At the minimum
//
//	beta_i = upper_i h'(e_i - epsilon) + lower_i h'(-e_i - epsilon),  w = sum_i beta_i x_i,  sum_i beta_i = 0,
//
// which is a feasible point of the dual. An example strictly between its bounds has a residual within half a width of
// the tube's edge. The other examples violate the KKT conditions by no more than that, so the gap is at most the width.
// The width shrinks from step to step, and each width starts from the point of the one before. A Newton step takes a
// few products with the rows, and the outer products of the rows that lie in a kink, the interval around the tube's
// edge.
//
// Stopping rule: the width is endWidth times the tolerance, and the gradient moves no value of the machine by more than
// flatGradient times the tolerance. Then the gap is below the tolerance, which is libsvm's criterion. Rounding may end
// the method earlier. Then Solve closes the gap.

// A Linear solves problems of the linear kernel on given rows. It is not safe for concurrent use.
type Linear struct {
	n, columns int       // columns is d + 1: the features, and a one for b
	x          []float64 // n x columns
	radius     float64   // norm of the largest row

	p     Problem
	width float64 // of the interval over which h' rises from 0 to 1

	point, grad, step []float64 // columns: (w, b), the gradient, the Newton direction
	e, move, beta     []float64 // n: residuals; their change by a whole step; the point of the dual
	hessian, part     []float64 // columns x columns
	kinks             []float64 // columns x kinkRows: rows in a kink, each times the root of its second derivative
	f                 *solve.Factorizer
}

const (
	// kinkRows is how many rows' outer products are summed between two looks at the context.
	kinkRows = 64
	// startWidth times the gap of the start is the first width.
	startWidth = 0.3
	// narrower times the width is the next width, after a step of at least half a Newton step. Factors of 0.1 and 0.4
	// were no faster.
	narrower = 0.2
	// endWidth times the tolerance is the last width. It leaves room for flatGradient.
	endWidth = 0.9
	// flatGradient times the tolerance bounds, at the end, the change of any value of the machine by a step of minus
	// the gradient.
	flatGradient = 0.02
	// newtonSteps is the number of steps after which Improve gives up.
	newtonSteps = 200
	// lineShare: a line search ends where the derivative is still negative, with at most this share of its size at the
	// start.
	lineShare = 0.1
	// lineRounding: a line search also ends where the derivative of either sign has at most this share of its size at
	// the start.
	lineRounding = 1e-6
	// lineSteps bounds the points of a line search.
	lineSteps = 60
)

// NewLinear returns a Linear for n rows of d features, of which it makes a copy.
func NewLinear(rows []float64, n, d int) *Linear {
	m := d + 1
	l := &Linear{n: n, columns: m, x: make([]float64, n*m), f: solve.NewFactorizer(m)}
	for i := range n {
		row := l.x[i*m : (i+1)*m]
		copy(row, rows[i*d:(i+1)*d])
		row[d] = 1
		l.radius = max(l.radius, math.Sqrt(vmath.Dot(row, row)))
	}
	for _, a := range []*[]float64{&l.point, &l.grad, &l.step} {
		*a = make([]float64, m)
	}
	for _, a := range []*[]float64{&l.e, &l.move, &l.beta} {
		*a = make([]float64, n)
	}
	l.hessian, l.part, l.kinks = make([]float64, m*m), make([]float64, m*m), make([]float64, m*kinkRows)
	return l
}

// LinearBytes is what a Linear takes.
func LinearBytes(n, d int) int64 {
	m := int64(d + 1)
	return 8*(int64(n)*(m+6)+2*m*m+m*(kinkRows+3)) + solve.FactorBytes(int(m))
}

// Improve replaces sol, a warm start as for Solve, by a solution with a gap below tol. If rounding prevents that, sol
// becomes the better one of the start and the last point. sol.Gap is then at least tol, and Solve can continue from
// sol. Improve returns an error for an invalid problem, and the context's error.
func (l *Linear) Improve(ctx context.Context, p Problem, tol float64, sol *Solution) error {
	if err := p.check(l.n); err != nil {
		return err
	}
	sol.prepare(p)
	l.p, sol.Steps, sol.Capped = p, 0, false
	if sol.change != nil {
		l.fit(sol)
	}
	sol.finish(p)
	if sol.Gap < tol {
		return nil
	}
	if err := l.newton(ctx, tol, sol); err != nil {
		return err
	}
	there := Solution{Beta: slices.Clone(l.beta), exact: true}
	there.prepare(p)
	l.fit(&there)
	there.finish(p)
	if there.Gap < tol || there.Objective <= sol.Objective {
		*sol = there
	}
	return nil
}

// newton minimises the smoothed primal from sol, while the width shrinks.
func (l *Linear) newton(ctx context.Context, tol float64, sol *Solution) error {
	l.start(sol)
	l.width = max(endWidth*tol, startWidth*sol.Gap)
	for range newtonSteps {
		off, last := l.evaluate(), l.width <= endWidth*tol
		if last && off <= flatGradient*tol {
			return nil
		}
		if err := l.direction(ctx); err != nil {
			return ctx.Err() // rounding left no Cholesky factor of the Hessian
		}
		if well := l.search(); well && !last {
			l.width = max(endWidth*tol, narrower*l.width)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	l.evaluate()
	return nil
}

// fit sets Fit to K beta.
func (l *Linear) fit(sol *Solution) {
	sol.Fit, sol.change = make([]float64, l.n), nil
	w := l.step
	vmath.MatTVec(w, l.x, l.n, l.columns, sol.Beta)
	w[l.columns-1] = 0
	vmath.MatVec(sol.Fit, l.x, l.n, l.columns, w)
}

// start sets the point (w, b) to that of the solution, or to zero if the primal is less at zero.
func (l *Linear) start(sol *Solution) {
	vmath.MatTVec(l.point, l.x, l.n, l.columns, sol.Beta)
	w := l.point[:l.columns-1]
	here, zero := 0.5*vmath.Dot(w, w), 0.0
	for i, t := range l.p.Target {
		l.e[i] = t - sol.Fit[i] - sol.Bias
		here += l.loss(i, l.e[i])
		zero += l.loss(i, t)
	}
	l.point[l.columns-1] = sol.Bias
	if zero < here {
		clear(l.point)
		copy(l.e, l.p.Target)
	}
}

// loss is the loss of example i with residual e and the hinge that is not smoothed.
func (l *Linear) loss(i int, e float64) float64 {
	return float64(l.p.Upper[i]*max(0, e-l.p.Epsilon)) - float64(l.p.Lower[i]*max(0, -e-l.p.Epsilon))
}

// dual is beta_i for the residual e.
func (l *Linear) dual(i int, e float64) float64 {
	a, b := (e-l.p.Epsilon)/l.width+0.5, (-e-l.p.Epsilon)/l.width+0.5
	return float64(l.p.Upper[i]*min(1, max(0, a))) + float64(l.p.Lower[i]*min(1, max(0, b)))
}

// evaluate sets beta and the gradient. It returns a bound on the change of any value of the machine by a step of minus
// the gradient.
func (l *Linear) evaluate() float64 {
	for i, e := range l.e {
		l.beta[i] = l.dual(i, e)
	}
	vmath.MatTVec(l.grad, l.x, l.n, l.columns, l.beta)
	d := l.columns - 1
	for j, w := range l.point[:d] {
		l.grad[j] = w - l.grad[j]
	}
	l.grad[d] = -l.grad[d]
	return float64(l.radius*math.Sqrt(vmath.Dot(l.grad[:d], l.grad[:d]))) +
		float64(l.radius*l.radius*math.Abs(l.grad[d]))
}

// direction sets step to the inverse Hessian times the gradient. search moves the point by a multiple of -step.
func (l *Linear) direction(ctx context.Context) error {
	if err := l.curvature(ctx); err != nil {
		return err
	}
	if err := l.f.Factor(ctx, l.hessian); err != nil {
		return err
	}
	copy(l.step, l.grad)
	return l.f.Solve(ctx, l.hessian, l.step)
}

// curvature sets hessian to diag(1, .., 1, 0) plus, for each row in a kink, the outer product of the row times its
// bound over the width. If no row is in a kink, the second derivative in b is zero, and curvature sets it to 1.
func (l *Linear) curvature(ctx context.Context) error {
	m, p := l.columns, &l.p
	clear(l.hessian)
	clear(l.kinks)
	have, flat := 0, true
	half := 0.5 * l.width
	for i, e := range l.e {
		c := 0.0
		if math.Abs(e-p.Epsilon) < half {
			c = p.Upper[i]
		}
		if math.Abs(e+p.Epsilon) < half {
			c -= p.Lower[i]
		}
		if c == 0 {
			continue
		}
		flat = false
		root := math.Sqrt(c / l.width)
		for j, v := range l.x[i*m : (i+1)*m] {
			l.kinks[j*kinkRows+have] = root * v
		}
		if have++; have == kinkRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			l.addKinks()
			have = 0
		}
	}
	if have > 0 {
		l.addKinks()
	}
	for j := range m - 1 {
		l.hessian[j*m+j]++
	}
	if flat {
		l.hessian[m*m-1] = 1
	}
	return nil
}

// addKinks adds the outer products of the rows in kinks to hessian, and clears kinks.
func (l *Linear) addKinks() {
	vmath.Gram(l.part, l.kinks, l.columns, kinkRows)
	vmath.Axpy(1, l.part, l.hessian)
	clear(l.kinks)
}

// search moves the point by -t step, with t such that the smoothed primal is less and nearly flat along the step. It
// reports whether t >= 1/2. It keeps an interval [lo, hi] of t whose ends have derivatives of opposite signs, and
// shortens the interval by regula falsi and bisection in turn.
func (l *Linear) search() bool {
	m := l.columns
	vmath.MatVec(l.move, l.x, l.n, m, l.step)
	w, s := l.point[:m-1], l.step[:m-1]
	ws, ss := vmath.Dot(w, s), vmath.Dot(s, s)
	steepest := vmath.Dot(l.grad, l.step)
	lo, hi, slopeLo, slopeHi := 0.0, math.Inf(1), -steepest, 0.0
	t := 1.0
	for k := range lineSteps {
		slope := float64(t*ss) - ws
		for i, e := range l.e {
			slope += float64(l.move[i] * l.dual(i, e+float64(t*l.move[i])))
		}
		if math.Abs(slope) <= lineRounding*steepest || slope <= 0 && slope >= -lineShare*steepest {
			lo = t
			break
		}
		if slope < 0 {
			lo, slopeLo = t, slope
		} else {
			hi, slopeHi = t, slope
		}
		switch {
		case math.IsInf(hi, 1):
			t *= 2
		case k%2 == 1:
			t = lo + 0.5*(hi-lo)
		default:
			t = lo + float64((hi-lo)*max(0.1, min(0.9, -slopeLo/(slopeHi-slopeLo))))
		}
	}
	for j, s := range l.step {
		l.point[j] -= float64(lo * s)
	}
	for i, q := range l.move {
		l.e[i] += float64(lo * q)
	}
	return lo >= 0.5
}
