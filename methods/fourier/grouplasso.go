package fourier

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// A lasso is the group lasso on a concatenated embedding at one sigma, for all outputs and any number of penalties,
//
//	min over w  P(w) = sum_c loss(Psi w_c, y_c) + lambda sum_c sum_j |w_cj|,
//
// eq. (19): j = 1 .. r the blocks of columns, one a channel; c = 1 .. outputs, of which each has norms of its own. Outputs do not
// interact but share Psi, so that they are moved together, by products of matrices.
//
// Method: block coordinate descent. With kappa a bound of loss” and G_j = Psi_j'Psi_j, a block's step minimises
//
//	g_j.(u - w_j) + kappa/2 (u - w_j)'G_j (u - w_j) + lambda |u|,
//
// which bounds P from above and touches it at w_j. In the basis where G_j is tridiagonal, and everything here is in these bases, the
// minimum costs little (tridiagonal.shrink). After every few sweeps an extrapolation of the last ones is tried, and taken if P is less
// there (Bertrand and Massias, Anderson acceleration of coordinate descent, AISTATS 2021). Where that is not enough, Newton's steps
// come between the sweeps (polish).
//
// It stops where the duality gap of every output is at most tol P: the dual is max -sum_i l*(v_i) over |Psi_j'v| <= lambda, and v is
// loss'(Psi w) scaled into that set, so that the gap bounds the distance to the optimum.
type lasso struct {
	outputs, width int
	blocks         []*tridiagonal
	at             []int // of the blocks
	side           side
	kappa          float64
	top            float64 // lambda_max, above which w = 0

	rung   point // where the ladder of penalties has been solved to
	height int
	sweeps int // of all solutions so far
}

// A side is how the loss and its gradients follow from w: by the n fitted values of an output or by its products with the matrix
// Psi'Psi. Its image of the weights of an output is linear, up to a constant.
type side interface {
	// images is the length of an output's image, and zero writes that of w = 0.
	images() int
	zero(image []float64, c int)
	// gradient writes the gradient of the loss in block j (from at, d columns) of the outputs of which, one after the other.
	gradient(dst []float64, p *point, which []int, at, d int)
	// move adds to the images of the outputs of which what the block's change delta makes of them.
	move(p *point, which []int, delta []float64, at, d int)
	// moved is told that the image of output c was replaced.
	moved(p *point, c int)
	// shift is move for one output whose gradient is not asked for.
	shift(p *point, c int, delta []float64, at int)
	// newton returns the direction of a polishing step, or nil if there is none.
	newton(ctx context.Context, p *point, c int, s *smoothPart, theta float64) ([]float64, error)
	// patience is the number of sweeps before each step, at least.
	patience() int
	// sweepWork and stepWork are the multiply-adds of a sweep over all columns and of a step over some, of one output.
	sweepWork(width int) float64
	stepWork(columns int) float64
	// value is the loss of output c with weights w.
	value(c int, w, image []float64) float64
	// dual is the dual's value at loss'(Psi w) scaled by min(1, lam / its largest block norm).
	dual(c int, p *point, lam float64, l *lasso) float64
}

// A point holds weights and their images.
type point struct {
	w     []float64 // outputs x width
	image []float64 // outputs x images
	warm  []float64 // outputs x blocks, where shrink starts
}

func (l *lasso) newPoint() point {
	images := l.side.images()
	p := point{make([]float64, l.outputs*l.width), make([]float64, l.outputs*images), make([]float64, l.outputs*len(l.blocks))}
	for c := range l.outputs {
		l.side.zero(p.image[c*images:(c+1)*images], c)
	}
	return p
}

func (p point) clone() point {
	return point{append([]float64(nil), p.w...), append([]float64(nil), p.image...), append([]float64(nil), p.warm...)}
}

const (
	lassoGap   = 1e-6 // relative, of what is asked for
	rungGap    = 1e-2 // of the ladder's
	lassoLimit = 20000
	history    = 5 // sweeps between extrapolations
)

// solve minimises P from p, in place.
func (l *lasso) solve(ctx context.Context, p *point, lambda, tol float64) error {
	active := frame.Upto(l.outputs)
	l.start(p)
	past, newton := l.newPast(p), l.newPolish(lambda)
	for sweep := 0; ; sweep++ {
		if sweep%l.every() == 0 {
			var worst float64
			if active, worst = l.unfinished(p, active, lambda, tol); len(active) == 0 {
				return nil
			}
			if sweep >= lassoLimit {
				return fmt.Errorf("the group lasso with lambda = %v is still %.2g of its value from the optimum after %d sweeps: raise lambda, or lower features", lambda, worst, sweep)
			}
		}
		if err := l.sweep(ctx, p, active, lambda); err != nil {
			return err
		}
		l.sweeps++
		past.keep(p, active, lambda)
		moved, err := newton.after(ctx, p, active)
		if err != nil {
			return err
		}
		if moved {
			past.restart(p)
		}
	}
}

// every is after how many sweeps the gap is computed, which fitted values make expensive.
func (l *lasso) every() int {
	if _, cheap := l.side.(*gramSide); cheap {
		return 1
	}
	return history
}

// unfinished returns the outputs of which whose gap is too large, and the largest relative gap.
func (l *lasso) unfinished(p *point, which []int, lambda, tol float64) (left []int, worst float64) {
	for _, c := range which {
		f := l.primal(c, p.w[c*l.width:(c+1)*l.width], l.imageOf(p, c), lambda)
		gap := f - l.side.dual(c, p, lambda, l)
		if !(gap <= tol*f) {
			left = append(left, c)
			worst = max(worst, gap/f)
		}
	}
	return left, worst
}

// imageOf returns the image of output c.
func (l *lasso) imageOf(p *point, c int) []float64 {
	images := l.side.images()
	return p.image[c*images : (c+1)*images]
}

// primal is P of output c.
func (l *lasso) primal(c int, w, image []float64, lambda float64) float64 {
	return l.side.value(c, w, image) + float64(lambda*l.norms(w))
}

// norms is sum_j |w_j| of one output.
func (l *lasso) norms(w []float64) float64 {
	sum := 0.0
	for j, t := range l.blocks {
		part := w[l.at[j] : l.at[j]+t.n]
		sum += norm(part)
	}
	return sum
}

// sweep moves every block of the given outputs once.
func (l *lasso) sweep(ctx context.Context, p *point, which []int, lambda float64) error {
	for j, t := range l.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, u := make([]float64, len(which)*t.n), make([]float64, t.n)
		l.side.gradient(g, p, which, l.at[j], t.n)
		moved := make([]int, 0, len(which))
		delta := g[:0]
		for i, c := range which {
			w := p.w[c*l.width+l.at[j] : c*l.width+l.at[j]+t.n]
			q := g[i*t.n : (i+1)*t.n]
			t.against(q, w, l.kappa)
			t.shrink(u, q, l.kappa, lambda, &p.warm[c*len(l.blocks)+j])
			changed := false
			for k, v := range u {
				u[k], w[k] = v-w[k], v
				changed = changed || u[k] != 0
			}
			if changed { // the moves of later outputs stand behind those of earlier ones
				moved = append(moved, c)
				delta = append(delta, u...)
			}
		}
		if len(moved) > 0 {
			l.side.move(p, moved, delta, l.at[j], t.n)
		}
	}
	return nil
}

// against replaces the gradient g by kappa T w - g.
func (t *tridiagonal) against(g, w []float64, kappa float64) {
	for i, v := range w {
		s := float64(t.diag[i] * v)
		if i > 0 {
			s += float64(t.off[i-1] * w[i-1])
		}
		if i+1 < t.n {
			s += float64(t.off[i] * w[i+1])
		}
		g[i] = float64(kappa*s) - g[i]
	}
}

// reach solves for the penalty fraction lambda_max, and returns the weights in the columns' own basis. It starts from a ladder of penalties
// lambda_max / 2^k, of which the lowest one above the penalty is where it begins: so a path climbs down once for all, a single fit climbs down by
// itself, and both arrive at the same bits. Fractions have to come in descending order.
func (l *lasso) reach(ctx context.Context, fraction float64) ([]float64, error) {
	if l.top == 0 {
		return make([]float64, l.outputs*l.width), nil
	}
	if l.rung.w == nil {
		l.rung = l.newPoint()
	}
	for math.Ldexp(1, -l.height-1) > fraction {
		l.height++
		if err := l.solve(ctx, &l.rung, math.Ldexp(l.top, -l.height), rungGap); err != nil {
			return nil, err
		}
	}
	p := l.rung.clone()
	if err := l.solve(ctx, &p, fraction*l.top, lassoGap); err != nil {
		return nil, err
	}
	return l.turnBack(p.w), nil
}

// turnBack returns weights in the basis of the columns: w_j = Q_j u_j.
func (l *lasso) turnBack(u []float64) []float64 {
	w := make([]float64, len(u))
	for c := range l.outputs {
		for j, t := range l.blocks {
			at := c*l.width + l.at[j]
			vmath.MatVec(w[at:at+t.n], t.q, t.n, t.n, u[at:at+t.n])
		}
	}
	return w
}

// turn is the inverse of turnBack.
func (l *lasso) turn(w []float64) []float64 {
	u := make([]float64, len(w))
	for c := range l.outputs {
		for j, t := range l.blocks {
			at := c*l.width + l.at[j]
			vmath.MatTVec(u[at:at+t.n], t.q, t.n, t.n, w[at:at+t.n])
		}
	}
	return u
}
