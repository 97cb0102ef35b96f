package fourier

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A lasso is the group lasso on a concatenated embedding at one sigma,
//
//	min over w  P(w) = h(X w) + lambda sum_j |w_j|,   h(f) = sum_i loss(f_i, y_i),
//
// eq. (19), for each output and for any number of penalties lambda. X is Psi in orthonormal bases of its blocks j, one
// block for each channel (see columns). Each pair of output and penalty is a problem of its own. The problems share the
// products with X, so that X is read once for all of them. The symbols:
//
//	w       weights, an element for each column of X
//	f       the point at which the loss is evaluated
//	v       h'(f), the variable of the dual problem: max -h*(v) over |X_j'v| <= lambda
//	g       X'v
//	a, tau  centre and step of the proximal point method
//
// The algorithm is the semismooth Newton augmented Lagrangian method (Li, Sun and Toh, SIAM J. Optim. 28, 2018; for
// groups Zhang, Zhang, Sun and Toh, Math. Program. 179, 2020). It is the proximal point method a <- argmin P(w) + |w -
// a|^2/(2 tau). Each of these minima is found through its dual problem, which is smooth,
//
//	min over v  phi(v) = h*(v) + |w(v)|^2 / (2 tau),   phi' = f - X w(v),
//
// by Newton's steps (newton.go). Here w(v) = prox(a - tau X'v): the prox shortens each block by tau lambda.
//
// Stopping rule: the duality gap is at most tol P. For the gap, v is scaled into |X_j'v| <= lambda, so that the gap
// bounds how far P is from its minimum. After lassoLimit steps the search ends without this, and the gap says how good
// the weights are.
type lasso struct {
	*columns
	loss    loss
	outputs int
	y       []float64 // outputs x n
	top     float64   // lambda_max, or a negative number before it is known
	steps   int       // Newton's steps so far, of all problems

	matrix, factor, columnsZ, rowsZ []float64 // of a direct solution: the system and its factor, Z' and Z
}

// A point is the iterate of the method for one output and one penalty.
type point struct {
	lasso         *lasso
	y             []float64
	lambda        float64
	w, centre, g  []float64 // an element for each column of X
	f, v, fit     []float64 // an element for each row; fit is X w
	active        []bool    // the blocks with w_j != 0
	tau           float64
	waited        int     // steps since the centre moved or tau shrank
	loss, fitLoss float64 // h at f and at fit
	phi           float64
	openGap       float64 // the gap over P, where it is more than tol
	system
}

const (
	lassoGap   = 1e-6 // relative duality gap
	lassoLimit = 2000 // Newton's steps

	// tau grows after a move of the centre within quick steps, and shrinks after patience steps without one
	quick, patience = 2, 4
	grows, shrinks  = 4, 3 // the factors by which tau grows and shrinks
	// the first tau from w = 0, times the loss's curvature and the largest squared norm of a block of X
	firstTau = 10
	// the first tau from given weights, times lambda over the largest norm of a block of these weights
	warmTau    = 3
	roundingOf = 1e-13 // see lambdaMax
)

// newLasso prepares the group lasso of p at sigma.
func newLasso(ctx context.Context, p *problem, sigma []float64, of loss) (*lasso, error) {
	return nextLasso(ctx, p, sigma, of, nil)
}

// nextLasso is newLasso in the memory of the columns of another one.
func nextLasso(ctx context.Context, p *problem, sigma []float64, of loss, last *columns) (*lasso, error) {
	_, quadratic := of.(square) // the square loss has a constant D, so that Newton's steps need only X'X
	m, err := newColumns(ctx, p, sigma, true, quadratic, last)
	if err != nil {
		return nil, err
	}
	return &lasso{columns: m, loss: of, outputs: p.outputs, y: p.y, top: -1}, nil
}

// lambdaMax is the least penalty with which w = 0. The gradient at w = 0 can differ from zero by rounding alone, as for
// rows with equal features and different targets. Where the gradient is that small, relative to the sum of the slopes
// |v_i|, lambdaMax is zero.
func (l *lasso) lambdaMax() float64 {
	if l.top >= 0 {
		return l.top
	}
	slopes := 0.0
	for _, p := range l.newPoints(nil, 0) {
		slopes, l.top = max(slopes, solve.SumAbs(p.v)), max(l.top, slices.Max(l.norms(p.g)))
	}
	if l.top <= roundingOf*slopes {
		l.top = 0
	}
	return l.top
}

// newPoints returns a point for each output at weights w (outputs x width), or at zero.
func (l *lasso) newPoints(w []float64, lambda float64) []*point {
	scale := 0.0
	for _, b := range l.blocks {
		scale = max(scale, vmath.Dot(b.xT, b.xT))
	}
	ps := make([]*point, l.outputs)
	for c := range ps {
		rows, columns := vectors(l.n), vectors(l.rank)
		p := &point{y: l.y[c*l.n : (c+1)*l.n], lambda: lambda, tau: firstTau / (l.loss.curvature() * scale),
			waited: quick + 1,
			w:      columns(), g: columns(), f: rows(), v: rows(), fit: rows(), active: make([]bool, len(l.blocks)),
			lasso: l, system: system{CG: solve.NewCG(l.rank), second: rows(), out: rows(), start: rows()}}
		p.Z = columns()
		if w != nil {
			p.w = l.reduce(w[c*l.width : (c+1)*l.width])
			if size := slices.Max(l.norms(p.w)); size > 0 {
				p.tau = warmTau * size / lambda
			}
		}
		p.centre = slices.Clone(p.w)
		l.activate(p)
		ps[c] = p
	}
	l.refit(ps)
	for _, p := range ps {
		copy(p.f, p.fit)
	}
	l.slopes(ps)
	return ps
}

// vectors returns a function that makes vectors of n elements.
func vectors(n int) func() []float64 { return func() []float64 { return make([]float64, n) } }

// path returns the weights for the penalties fractions times lambdaMax. openGaps holds the relative gap of each
// penalty, or zero where the gap is small enough. Every penalty starts from w = 0, so that its weights do not depend on
// the other penalties.
func (l *lasso) path(ctx context.Context, fractions []float64) (ws [][]float64, openGaps []float64, err error) {
	var ps []*point
	for _, fraction := range fractions {
		ps = append(ps, l.newPoints(nil, fraction*l.lambdaMax())...)
	}
	if l.lambdaMax() > 0 { // else w = 0
		err = l.solve(ctx, ps, lassoGap)
	}
	for own := range slices.Chunk(ps, l.outputs) {
		w, gap := l.weights(own)
		ws, openGaps = append(ws, w), append(openGaps, gap)
	}
	return ws, openGaps, err
}

// weights returns the weights of all outputs, outputs x width, and the largest of their gaps that is too large.
func (l *lasso) weights(ps []*point) (w []float64, openGap float64) {
	for _, p := range ps {
		w, openGap = append(w, l.expand(p.w)...), max(openGap, p.openGap)
	}
	return w, openGap
}

// solve minimises P from the points, in place.
func (l *lasso) solve(ctx context.Context, left []*point, tol float64) error {
	l.proximal(left)
	l.refit(left)
	for step := 0; ; step++ {
		left = slices.DeleteFunc(slices.Clone(left), func(p *point) bool { return l.closed(p, tol) })
		if len(left) == 0 || step == lassoLimit || ctx.Err() != nil {
			return ctx.Err()
		}
		moved := slices.DeleteFunc(slices.Clone(left), func(p *point) bool { return !p.advance(tol) })
		l.proximal(moved)
		l.refit(moved)
		if err := l.newton(ctx, left); err != nil {
			return err
		}
		l.steps += len(left)
	}
}

// innerGap is h(X w) + h*(v) - v.X w >= 0: the duality gap of the proximal point method's own problem, which Newton's
// steps make small.
func (p *point) innerGap() float64 {
	return max(0, p.fitLoss-p.loss-vmath.Dot(p.v, p.fit)+vmath.Dot(p.v, p.f))
}

// closed notes a bound of how far P is from its minimum, and reports whether this bound is at most tol P. The bound is
// innerGap if innerGap is already more than tol P, and else the duality gap.
func (l *lasso) closed(p *point, tol float64) bool {
	primal := p.fitLoss + float64(p.lambda*vmath.Sum(l.norms(p.w)))
	gap := p.innerGap()
	if gap <= tol*primal {
		v := slices.Clone(p.v)
		if most := slices.Max(l.norms(p.g)); most > p.lambda {
			floats.Scale(p.lambda/most, v)
		}
		gap = primal + l.loss.conjugate(v, p.y)
	}
	if p.openGap = 0; gap > tol*primal {
		p.openGap = max(0, gap/primal)
		return false
	}
	return true
}

// advance moves the centre a to w if innerGap is at most |w - a|^2/(2 tau) or tol/10 h(X w). tau grows if the centre
// moves after few steps, and shrinks if the centre stays for many. advance reports whether w has to be computed again.
func (p *point) advance(tol float64) bool {
	far := 0.0
	for i, v := range p.w {
		far += float64((v - p.centre[i]) * (v - p.centre[i]))
	}
	switch {
	case p.innerGap() <= max(far/(2*p.tau), tol/10*p.fitLoss):
		copy(p.centre, p.w)
		if p.waited <= quick {
			p.tau *= grows
		}
	case p.waited < patience:
		return false
	default:
		p.tau /= shrinks
	}
	p.waited = 0
	return true
}

// slopes computes v, h(f) and g from f.
func (l *lasso) slopes(ps []*point) {
	for _, p := range ps {
		l.loss.derivative(p.v, p.f, p.y)
		p.loss = l.loss.value(p.f, p.y)
	}
	l.gradients(ps, true, func(p *point) (g, v []float64) { return p.g, p.v })
}

// proximal computes w and phi from g.
func (l *lasso) proximal(ps []*point) {
	for _, p := range ps {
		for k, v := range p.centre {
			p.w[k] = v - float64(p.tau*p.g[k])
		}
		for _, b := range l.blocks {
			w := b.of(p.w)
			floats.Scale(max(0, 1-p.tau*p.lambda/norm(w)), w)
		}
		l.activate(p)
		p.phi = vmath.Dot(p.f, p.v) - p.loss + vmath.Dot(p.w, p.w)/(2*p.tau)
	}
}

// activate notes the blocks with w_j != 0.
func (l *lasso) activate(p *point) {
	for j, size := range l.norms(p.w) {
		p.active[j] = size > 0
	}
}

// refit computes fit and h(fit) from w.
func (l *lasso) refit(ps []*point) {
	l.fits(ps, func(p *point) (f, w []float64) { return p.fit, p.w })
	for _, p := range ps {
		p.fitLoss = l.loss.value(p.fit, p.y)
	}
}

// fits sets f to X w, where only active blocks of w count.
func (l *lasso) fits(ps []*point, of func(p *point) (f, w []float64)) {
	for _, p := range ps {
		f, _ := of(p)
		clear(f)
	}
	for j, b := range l.blocks {
		for _, p := range ps {
			if p.active[j] {
				f, w := of(p)
				l.addOperand(f, b.of(w))
			}
		}
		l.multiplyOperands(nil, b.xT, l.n, b.rank)
	}
}

// gradients sets g to X'v, in every block or with zeros in blocks that are not active.
func (l *lasso) gradients(ps []*point, every bool, of func(p *point) (g, v []float64)) {
	for j, b := range l.blocks {
		for _, p := range ps {
			g, v := of(p)
			if clear(b.of(g)); every || p.active[j] {
				l.addOperand(b.of(g), v)
			}
		}
		l.multiplyOperands(b.xT, nil, b.rank, l.n)
	}
}
