package kernel

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A problem is, for a kernel matrix K (n x n) and a convex loss L,
//
//	min over alpha (n), b  J = sum_i L(y_i, f_i) + c/2 alpha'K alpha,   f = K alpha + b;
//
// without an intercept b is 0. For the logistic loss, J is n times the objective of GK with c = 2 n lambda. For half of
// the square loss, J is n/2 times the objective of GK with c = n lambda. With g_i = dL/df_i and w_i = d2L/df_i^2 the
// minimum is where
//
//	F = c alpha + g = 0,   sum_i alpha_i = 0 (with an intercept).
//
// Algorithm: line search Newton-CG (Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.1). Lin, Weng and
// Keerthi (JMLR 2008) use a method of this kind for linear logistic regression. With S = diag(s), s_i = sqrt(w_i), the
// step d alpha = S beta, d b solves the [system]
//
//	(c I + S K S) beta + s db = -F/s,   s'beta = 0,
//
// until max |F_i| of the linear model is small enough: forcing times the present max |F_i|. While the present max |F_i|
// exceeds its bound in the stopping rule, half of this bound is small enough, too. The step is halved until J does not
// rise by more than rounding. forcing and accuracy are those of the loss.
//
// Stopping rule, for a new product f = K alpha + b: max |F_i| <= accuracy times max |F_i| at alpha = 0, plus rounding
// max K_ii sum |alpha_i|, and the duality gap is at most gapAccuracy J. A problem also ends after newtonSteps steps, or
// where rounding leaves no step that lowers J. It then keeps its duality gap, which the caller reports.
type problem struct {
	loss   loss
	params Params
	*system

	alpha, f, off []float64 // off is F
	b, start      float64   // start is max |F_i| at alpha = 0
	gap           float64   // duality gap as a part of J
	converged     bool
}

const (
	newtonSteps = 100     // the most Newton steps; a solution takes about ten
	halvings    = 40      // lengths of a step; shorter ones change nothing but rounding
	mayRise     = 1e-12   // J may rise by this share, for rounding
	rounding    = 0x1p-52 // the relative rounding of a product with K: no step makes F smaller
	// bound of the relative duality gap; rows with saturated probabilities count in the gap, and not in F
	gapAccuracy = 1e-6
)

// newProblem returns a problem at its start: alpha = 0, and the best intercept for this alpha.
func newProblem(l loss, c float64, params Params, pre *preconditioner) *problem {
	p := &problem{loss: l, params: params, system: newSystem(c, params.Intercept, pre)}
	p.alpha, p.f, p.off = make([]float64, pre.n), make([]float64, pre.n), make([]float64, pre.n)
	if params.Intercept {
		p.b = l.constant()
	}
	return p
}

// minimize solves problems with one kernel matrix K side by side, so that they share the products with K.
func minimize(ctx context.Context, k MatVec, problems []*problem) error {
	active := problems
	for step := 0; ; step++ {
		if err := multiply(ctx, k, active, func(p *problem) (dst, src []float64) { return p.f, p.alpha }); err != nil {
			return err
		}
		active = slices.DeleteFunc(slices.Clone(active), (*problem).solved)
		if len(active) == 0 || step == newtonSteps {
			return nil
		}
		systems := make([]*system, len(active))
		for i, p := range active {
			systems[i] = p.system
			if err := p.linearise(ctx); err != nil {
				return err
			}
		}
		if err := conjugateGradients(ctx, k, systems); err != nil {
			return err
		}
		active = slices.DeleteFunc(active, func(p *problem) bool { return !p.step() })
	}
}

// solved adds the intercept to the product f = K alpha, sets F, S and the gap, and reports whether the stopping rule is
// met.
func (p *problem) solved() bool {
	floats.AddConst(p.b, p.f)
	p.loss.slopes(p.f, p.off, p.s)
	vmath.Axpy(p.c, p.alpha, p.off)
	off := solve.MaxAbs(p.off)
	if p.start == 0 { // alpha is 0
		p.start = off
	}
	gap, value := p.loss.gap(p.f, p.alpha, p.c), p.objective(p.f, p.alpha, p.b)
	p.gap = gap / value
	p.converged = off <= p.accuracy() && gap <= gapAccuracy*value
	return p.converged
}

// accuracy is the stopping rule's bound of max |F_i|.
func (p *problem) accuracy() float64 {
	return float64(p.loss.accuracy()*p.start) + float64(rounding*p.pre.largest*solve.SumAbs(p.alpha))
}

// objective is J.
func (p *problem) objective(f, alpha []float64, b float64) float64 {
	return p.loss.value(f) + float64(p.c/2*(vmath.Dot(alpha, f)-float64(b*vmath.Sum(alpha))))
}

// linearise sets the system of a step.
func (p *problem) linearise(ctx context.Context) error {
	for i, v := range p.off {
		p.R[i] = -v / p.s[i]
	}
	off, bound := solve.MaxAbs(p.off), p.accuracy()/2
	if off <= p.accuracy() {
		bound = 0 // the duality gap is still too large
	}
	return p.begin(ctx, max(p.loss.forcing()*off, bound))
}

// step moves alpha and b along the solution of the system, and reports whether J allows a step.
func (p *problem) step() bool {
	alpha, f, value := p.R, p.Z, p.objective(p.f, p.alpha, p.b) // R and Z are free until the next step
	for length := range solve.Halvings(halvings) {
		for i, v := range p.X {
			alpha[i] = p.alpha[i] + float64(length*p.s[i]*v)
			f[i] = p.f[i] + float64(length*(p.kbeta[i]+p.db))
		}
		b := p.b + float64(length*p.db)
		if !(p.objective(f, alpha, b) <= value+float64(mayRise*value)) {
			continue
		}
		copy(p.alpha, alpha)
		// make sum alpha zero: rounding has changed it, and no later step would correct it
		if p.b = b; p.params.Intercept {
			floats.AddConst(-vmath.Sum(alpha)/float64(len(alpha)), p.alpha)
		}
		return true
	}
	return false
}
