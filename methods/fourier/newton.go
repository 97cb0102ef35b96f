package fourier

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A system is the linear system of one step of Newton's method on phi at one point, (D^-1 + tau X M X') dv = r with r =
// X w - f. D holds the second derivatives of h at f. M is the derivative of the prox. It is zero on blocks with w_j =
// 0. On an active block its inverse is 1 along w_j and 1 + tau lambda/|w_j| across w_j. By the formula of Sherman,
// Morrison and Woodbury, dv = D (r - X z), where on active blocks
//
//	(X'D X + M^-1/tau) z = X'D r.
//
// Conjugate gradients solve this, preconditioned by tau M, or direct.go does. Unlike in the papers, the step is taken
// in f, by df = D^-1 dv = X (w - z) - f. So v stays in the domain of h*, and no inverse of h' is needed, since h*(v) =
// f.v - h(f).
type system struct {
	solve.CG                // X is z
	enough        float64   // the value of r.z at which conjugate gradients end
	most          int       // turns of conjugate gradients
	second        []float64 // D
	out           []float64 // D r, then D X P, and in the end the step in f
	start         []float64 // f before the step
	direct        bool      // conjugate gradients have failed at this point
	before, slope float64   // phi before the step, and its slope along the step
}

// Done implements solve.System.
func (p *system) Done() bool {
	if p.Turn == 0 {
		p.enough = cgTolerance * cgTolerance * p.RZ
	}
	return p.RZ <= p.enough || p.Turn == p.most
}

const (
	cgTolerance   = 1e-4  // conjugate gradients end at this relative residual
	mostTurns     = 500   // the most turns of conjugate gradients
	directLimit   = 1200  // the largest system that is solved directly
	armijo        = 1e-4  // the part of the slope by which phi must fall (Armijo's rule)
	leastStep     = 1e-6  // the smallest part of a step that is tried
	roundingSlack = 1e-14 // phi may rise by roundingSlack h(f), for rounding
)

// newton takes a step at every point: the largest of 1, 1/2, 1/4 .. of Newton's step by which phi falls enough.
func (l *lasso) newton(ctx context.Context, ps []*point) error {
	if err := l.solveSystems(ctx, ps); err != nil {
		return err
	}
	l.fits(ps, func(p *point) (f, w []float64) { return p.out, p.X })
	for _, p := range ps {
		copy(p.start, p.f)
		p.before, p.slope = p.phi, 0
		p.waited++
		for i, v := range p.out {
			r := p.fit[i] - p.f[i]
			p.out[i] = r - v
			p.slope -= float64(p.second[i]*r) * p.out[i]
		}
	}
	left := slices.Clone(ps)
	for t := 1.0; len(left) > 0 && t >= leastStep; t /= 2 {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, p := range left {
			copy(p.f, p.start)
			vmath.Axpy(t, p.out, p.f)
		}
		l.slopes(left)
		l.proximal(left)
		left = slices.DeleteFunc(left,
			func(p *point) bool { return p.phi <= p.before+float64(armijo*t*p.slope)+float64(roundingSlack*p.loss) })
	}
	l.refit(ps)
	return nil
}

// solveSystems solves the systems of all points, by conjugate gradients for as many steps as the direct solution costs,
// and by the direct solution where these are not enough. A point that once needed the direct solution goes on with it.
// So a system costs at most twice the cheaper of both.
func (l *lasso) solveSystems(ctx context.Context, ps []*point) error {
	for _, p := range ps {
		l.loss.second(p.second, p.f, p.y)
	}
	directly := func(p *point) bool { return p.direct && 0 < l.order(p) && l.order(p) <= directLimit }
	left, err := l.conjugateGradients(ctx, slices.DeleteFunc(slices.Clone(ps), directly))
	for _, p := range left {
		p.direct = true
	}
	for _, p := range ps {
		if err == nil && directly(p) {
			err = l.solveDirectly(ctx, p)
		}
	}
	return err
}

// order is the order of the system of the direct solution.
func (l *lasso) order(p *point) int { return min(l.n, l.activeRank(p)) }

// turns is the number of steps of conjugate gradients that cost as much as the direct solution at p. A step multiplies
// vectors, which takes vectorCost times as long an element as the product of matrices does.
func (l *lasso) turns(p *point) int {
	const vectorCost = 10.0
	rank, n, order := float64(l.activeRank(p)), float64(l.n), float64(l.order(p))
	if order > directLimit {
		return mostTurns
	}
	direct, turn := order*order*(max(rank, n)/2+order/3), 2*n*rank*vectorCost
	if l.grams {
		turn = rank * rank * vectorCost
		if rank <= n {
			direct = order * order * order / 3
		}
	}
	if !l.alone {
		turn /= 4 // the points share the reading of X
	}
	return 5 + int(direct/max(1, turn))
}

// activeRank is the number of columns of X in active blocks.
func (l *lasso) activeRank(p *point) (rank int) {
	for j, b := range l.blocks {
		if p.active[j] {
			rank += b.rank
		}
	}
	return rank
}

// conjugateGradients solves the systems side by side, and returns the points whose systems have not reached their
// residual.
func (l *lasso) conjugateGradients(ctx context.Context, ps []*point) (left []*point, err error) {
	for _, p := range ps {
		for i, d := range p.second {
			p.out[i] = d * (p.fit[i] - p.f[i])
		}
		p.most = l.turns(p)
	}
	l.gradients(ps, false, func(p *point) (g, v []float64) { return p.R, p.out })
	err = solve.Conjugate(ctx, ps, func(left []*point) error {
		l.apply(left)
		return ctx.Err()
	})
	return slices.DeleteFunc(slices.Clone(ps), func(p *point) bool { return p.RZ <= p.enough }), err
}

// Precondition implements solve.System with tau M.
func (p *point) Precondition(context.Context) (rz float64, err error) {
	clear(p.Z)
	p.lasso.metric(p, p.Z, p.R, true)
	return vmath.Dot(p.R, p.Z), nil
}

// apply sets AP to (X'D X + M^-1/tau) P.
func (l *lasso) apply(ps []*point) {
	if l.grams {
		l.curvatures(ps)
	} else {
		l.fits(ps, func(p *point) (f, w []float64) { return p.out, p.P })
		for _, p := range ps {
			for i, d := range p.second {
				p.out[i] *= d
			}
		}
		l.gradients(ps, false, func(p *point) (g, v []float64) { return p.AP, p.out })
	}
	for _, p := range ps {
		l.metric(p, p.AP, p.P, false)
	}
}

// curvatures sets AP to X'D X P. It uses X'X, which is possible since all elements of D are equal (square loss).
func (l *lasso) curvatures(ps []*point) {
	for _, p := range ps {
		clear(p.AP)
	}
	for j, b := range l.blocks {
		for k, c := range l.blocks {
			for _, p := range ps {
				if p.active[j] && p.active[k] {
					l.addOperand(b.of(p.AP), c.of(p.P))
				}
			}
			l.multiplyOperands(b.gram[k], c.gram[j], b.rank, c.rank)
		}
	}
	for _, p := range ps {
		floats.Scale(p.second[0], p.AP)
	}
}

// metric adds M^-1 x/tau, or tau M x if inverted, to y in the active blocks.
func (l *lasso) metric(p *point, y, x []float64, inverted bool) {
	for j, b := range l.blocks {
		if !p.active[j] {
			continue
		}
		w, x, y := b.of(p.w), b.of(x), b.of(y)
		along, across := 1/p.tau, 1/p.tau+p.lambda/norm(w)
		if inverted {
			along, across = 1/along, 1/across
		}
		vmath.Axpy(across, x, y)
		vmath.Axpy((along-across)*vmath.Dot(w, x)/vmath.Dot(w, w), w, y)
	}
}
