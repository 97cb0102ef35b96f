package fourier

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A lasso is the group lasso on a concatenated embedding at one sigma,
//
//	min over w  P(w) = sum_c h_c(X w_c) + lambda sum_cj |w_cj|,   h_c(f) = sum_i loss(f_i, y_ci),
//
// eq. (19). X is Psi in orthonormal bases of its blocks j, one a channel (columns); c = 1 .. outputs. Outputs do not interact
// and are solved each by itself, with products of X for all of them together. The symbols of one output:
//
//	w       weights, an element for each column of X
//	f       the point at which the loss is evaluated
//	v       h'(f), the variable of the dual problem: max -h*(v) over |X_j'v| <= lambda
//	g       X'v
//	a, tau  centre and step of the proximal point method
//
// The algorithm is the semismooth Newton augmented Lagrangian method (Li, Sun and Toh, SIAM J. Optim. 28, 2018; for groups Zhang, Zhang, Sun
// and Toh, Math. Program. 179, 2020), that is, the proximal point method a <- argmin P(w) + |w - a|^2/(2 tau), each of whose problems is solved by
// its dual, which is smooth: with w(v) = prox(a - tau X'v), blocks that shrink by tau lambda,
//
//	min over v  phi(v) = h*(v) + |w(v)|^2 / (2 tau),   phi' = f - X w(v),
//
// by Newton's steps (D^-1 + tau X M X') dv = X w - f, where D holds the second derivatives of h at f and M is the derivative of the prox.
// M is zero on blocks with w_j = 0. On other blocks it is I - r (I - w_j w_j'/|w_j|^2), r = tau lambda/(|w_j| + tau lambda). The systems are
// solved by conjugate gradients in z = D^-1/2 dv, in which small second derivatives make a system easy. The departure from the papers: a
// step is taken in f, by df = D^-1 dv. This keeps v in the domain of h* and needs no inverse of h', as h*(v) = f.v - h(f).
//
// Stopping rule: the duality gap of every output is at most tol P. For the gap v is scaled into |X_j'v| <= lambda, so that the gap bounds
// how far P is from its minimum.
type lasso struct {
	*columns
	loss    loss
	outputs int
	y       []float64 // outputs x n
	top     float64   // lambda_max, above which w = 0

	rung   []*point // the solutions for the lowest penalty of the ladder so far
	height int
	steps  int // Newton's, of all solutions and outputs so far
}

// A point is the iterate of the method for one output.
type point struct {
	y             []float64
	w, centre, g  []float64 // an element for each column of X
	f, v, fit     []float64 // an element for each row; fit is X w
	tau           float64   // zero before the first solution
	waited        int       // steps since the centre moved or tau shrank
	loss, fitLoss float64   // h at f and at fit
	phi           float64
}

const (
	lassoGap   = 1e-6 // relative duality gap of the penalties that are asked for
	rungGap    = 1e-2 // relative duality gap of the ladder's other penalties
	lassoLimit = 2000 // Newton's steps

	quick, slow    = 2, 4  // after that many steps or fewer tau grows; after each so many it shrinks
	grows, shrinks = 4, 3  // by these factors
	firstTau       = 10    // over the loss's curvature and the largest squared norm of a block of X
	warmTau        = 3     // over lambda, times the largest norm of a block of w
	roundingOf     = 1e-13 // see newLasso
)

// newLasso prepares the group lasso of p at sigma. The gradient at w = 0 can differ from zero by rounding alone, as for rows with equal
// features and different targets. Where it is that small, relative to the slopes it is made of, lambda_max is zero.
func newLasso(ctx context.Context, p *problem, sigma []float64, of loss) (*lasso, error) {
	m, err := newColumns(ctx, p, sigma)
	if err != nil {
		return nil, err
	}
	l := &lasso{columns: m, loss: of, outputs: p.outputs, y: p.y}
	slopes := 0.0
	for _, p := range l.newPoints(nil) {
		sum := 0.0
		for _, u := range p.v {
			sum += math.Abs(u)
		}
		_, largest := l.norms(p.g)
		slopes, l.top = max(slopes, sum), max(l.top, largest)
	}
	if l.top <= roundingOf*slopes {
		l.top = 0
	}
	return l, ctx.Err()
}

// newPoints returns a point for each output at weights w (outputs x width), or at zero.
func (l *lasso) newPoints(w []float64) []*point {
	ps := make([]*point, l.outputs)
	for c := range ps {
		p := &point{y: l.y[c*l.n : (c+1)*l.n], w: make([]float64, l.rank), centre: make([]float64, l.rank), g: make([]float64, l.rank),
			f: make([]float64, l.n), v: make([]float64, l.n), fit: make([]float64, l.n)}
		if w != nil {
			p.w = l.turned(w[c*l.width : (c+1)*l.width])
		}
		ps[c] = p
	}
	l.refit(ps)
	for _, p := range ps {
		copy(p.f, p.fit)
	}
	l.slopes(ps)
	return ps
}

func (p *point) clone() *point {
	q := *p
	for _, x := range []*[]float64{&q.w, &q.centre, &q.g, &q.f, &q.v, &q.fit} {
		*x = slices.Clone(*x)
	}
	return &q
}

// weights returns the weights at the points, outputs x width.
func (l *lasso) weights(ps []*point) (w []float64) {
	for _, p := range ps {
		w = append(w, l.turnedBack(p.w)...)
	}
	return w
}

// reach solves for the penalty fraction lambda_max, and returns the weights. It first solves a ladder of penalties lambda_max / 2^k, down to
// the lowest one above the penalty, and starts from that solution. A path keeps the ladder from penalty to penalty, and a single
// fit solves the same ladder, so that both give the same bits. Callers ask for fractions in descending order.
func (l *lasso) reach(ctx context.Context, fraction float64) ([]float64, error) {
	if l.top == 0 {
		return make([]float64, l.outputs*l.width), nil
	}
	if l.rung == nil {
		l.rung = l.newPoints(nil)
	}
	for math.Ldexp(1, -l.height-1) > fraction {
		l.height++
		if err := l.solve(ctx, l.rung, math.Ldexp(l.top, -l.height), rungGap); err != nil {
			return nil, err
		}
	}
	ps := make([]*point, l.outputs)
	for c, p := range l.rung {
		ps[c] = p.clone()
	}
	if err := l.solve(ctx, ps, fraction*l.top, lassoGap); err != nil {
		return nil, err
	}
	return l.weights(ps), nil
}

// solve minimises P from the points, in place.
func (l *lasso) solve(ctx context.Context, all []*point, lambda, tol float64) error {
	for _, p := range all {
		copy(p.centre, p.w)
		p.waited = quick + 1
		if p.tau == 0 {
			p.tau = l.first(p, lambda)
		}
	}
	l.proximal(all, lambda)
	l.refit(all)
	left := all
	for step := 0; ; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var open, moved []*point
		worst := 0.0
		for _, p := range left {
			primal, gap := l.gap(p, lambda, tol)
			if gap <= tol*primal {
				continue
			}
			open, worst = append(open, p), max(worst, gap/primal)
			if p.advance(tol * primal / 10) {
				moved = append(moved, p)
			}
		}
		if left = open; len(left) == 0 {
			return nil
		}
		if step == lassoLimit {
			return fmt.Errorf("the group lasso with lambda = %v is still %.2g of its value from the optimum after %d steps: raise lambda, or lower features", lambda, worst, step)
		}
		if len(moved) > 0 {
			l.proximal(moved, lambda)
			l.refit(moved)
		}
		if err := l.newton(ctx, left, lambda); err != nil {
			return err
		}
		l.steps += len(left)
	}
}

// first returns the tau of a first solution. It follows from the size of the weights, or from the scale of X where the weights are zero.
func (l *lasso) first(p *point, lambda float64) float64 {
	if _, size := l.norms(p.w); size > 0 {
		return warmTau * size / lambda
	}
	most := 0.0
	for _, b := range l.blocks {
		x := l.of(b)
		most = max(most, vmath.Dot(x, x))
	}
	return firstTau / (l.loss.curvature() * most)
}

// miss is h(X w) + h*(v) - v.X w >= 0: the duality gap of the proximal point method's own problem, which Newton's steps make small.
func (p *point) miss() float64 {
	return max(0, p.fitLoss-p.loss-vmath.Dot(p.v, p.fit)+vmath.Dot(p.v, p.f))
}

// gap returns P and a bound on how far P is from its minimum. The bound is at least the miss. Where the miss is too large already, gap does
// not compute the value of the dual.
func (l *lasso) gap(p *point, lambda, tol float64) (primal, gap float64) {
	sum, _ := l.norms(p.w)
	primal = p.fitLoss + float64(lambda*sum)
	if miss := p.miss(); miss > tol*primal {
		return primal, miss
	}
	v := slices.Clone(p.v)
	if _, most := l.norms(p.g); most > lambda {
		scaleAll(lambda/most, v)
	}
	return primal, primal + l.loss.conjugate(v, p.y)
}

// advance moves the centre to w if the miss is at most |w - a|^2/(2 tau), or at most `little`. tau grows if this took few steps, and
// shrinks if it takes many. advance reports whether w has to be computed again.
func (p *point) advance(little float64) bool {
	far := 0.0
	for i, v := range p.w {
		far += float64((v - p.centre[i]) * (v - p.centre[i]))
	}
	switch {
	case p.miss() <= max(far/(2*p.tau), little):
		copy(p.centre, p.w)
		if p.waited <= quick {
			p.tau *= grows
		}
	case p.waited < slow:
		return false
	default:
		p.tau /= shrinks
	}
	p.waited = 0
	return true
}

// slopes computes v, h(f) and g from f.
func (l *lasso) slopes(ps []*point) {
	gs, vs, use := make([][]float64, len(ps)), make([][]float64, len(ps)), make([][]bool, len(ps))
	all := slices.Repeat([]bool{true}, len(l.blocks))
	for i, p := range ps {
		l.loss.derivative(p.v, p.f, p.y)
		p.loss = l.loss.value(p.f, p.y)
		gs[i], vs[i], use[i] = p.g, p.v, all
	}
	l.gradients(gs, vs, use)
}

// proximal computes w and phi from g.
func (l *lasso) proximal(ps []*point, lambda float64) {
	for _, p := range ps {
		for k, v := range p.centre {
			p.w[k] = v - float64(p.tau*p.g[k])
		}
		for _, b := range l.blocks {
			if w := b.part(p.w); norm(w) > p.tau*lambda {
				scaleAll(1-p.tau*lambda/norm(w), w)
			} else {
				clear(w)
			}
		}
		p.phi = vmath.Dot(p.f, p.v) - p.loss + vmath.Dot(p.w, p.w)/(2*p.tau)
	}
}

// refit computes fit and h(fit) from w.
func (l *lasso) refit(ps []*point) {
	fits, ws, use := make([][]float64, len(ps)), make([][]float64, len(ps)), make([][]bool, len(ps))
	for i, p := range ps {
		fits[i], ws[i], use[i] = p.fit, p.w, l.used(p.w)
	}
	l.fits(fits, ws, use)
	for _, p := range ps {
		p.fitLoss = l.loss.value(p.fit, p.y)
	}
}
