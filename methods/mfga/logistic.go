package mfga

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// A logistic solves, for the active columns A = [1 Phi], labels y = -1 or +1 and theta = (b, theta_1, .., theta_k),
//
//	min over theta   (1/n) sum_i log(1 + exp(-y_i f_i)) + lambda sum_{j>=1} theta_j^2,   f = A theta,
//
// by Newton's method from the solution on the previous active set. With q_i = 1/(1 + exp(y_i f_i)) and r_i = -y_i q_i,
// n times the gradient is A'r + 2 n lambda theta (no penalty on b), and n times the Hessian is A' diag(q (1-q)) A + 2 n
// lambda diag(0, 1, .., 1). A step is halved until the objective does not rise by more than rounding.
//
// Once a step is small, the Hessian hardly changes, and the next step uses the Cholesky factor of the last Hessian.
// Such a step costs one pass over A. It multiplies the error by about the largest change of a score since that Hessian.
// An evaluation is full if it computes the Hessian, and else short.
//
// Stopping rule: c min(1, s) <= newtonTol max(1, largest |score|), with c the largest change of a score in a step, and
// s the sum of these changes since the Hessian. Newton's method also ends after newtonSteps steps, or where rounding
// leaves no step. If the last step then changed a score by more than newtonAccept of the largest score, open says by
// how much.
type logistic struct {
	*design
	y        []float64
	solution []float64
	f        []float64 // scores
	residual []float64 // r
	gradient []float64 // A'r
	step     []float64 // the last step of the solution
	curve    []float64 // A' diag(q (1-q)) A, with A'r as the next column; rows are `wide` elements apart
	wide     int
	block    block
	steps    int // Newton steps since the active set grew
	unsolved float64
	system   solve.Shifted
}

const (
	newtonSteps = 200
	newtonTol   = 1e-11
	// where rounding ends the descent, the problem counts as solved if no score changes by more than this share
	newtonAccept = 1e-6
	chordAt      = 0.02 // a step is small if it changes no score by more than this
	halvings     = 40
)

func newLogistic(d *design, y []float64) *logistic {
	return &logistic{design: d, y: y, f: make([]float64, d.n), residual: make([]float64, d.n)}
}

func (l *logistic) theta() []float64 { return l.solution }
func (l *logistic) slope() []float64 { return l.residual }
func (l *logistic) open() float64    { return l.unsolved }

func (l *logistic) start() error {
	l.solution = make([]float64, l.lead)
	b := 0.0
	if l.lead == 1 {
		m := vmath.Sum(l.y) / float64(l.n)
		if math.Abs(m) >= 1 {
			return fmt.Errorf("all %d labels are %+g: logistic regression with an intercept needs both classes; one "+
				"without does not (intercept false)", l.n, l.y[0])
		}
		b = vmath.LogScalar((1 + m) / (1 - m))
		l.solution[0] = b
	}
	for i, y := range l.y {
		l.f[i] = b
		l.residual[i] = -y / (1 + vmath.ExpScalar(y*b))
	}
	return nil
}

func (l *logistic) solve(ctx context.Context, k int, lambda float64) error {
	cols, c := l.lead+k, 2*float64(l.n)*lambda
	l.prepare(cols)
	v, err := l.evaluate(ctx, nil, true)
	if err != nil {
		return err
	}
	value, drift, last, fell := v.loss+l.penalty(c), 0.0, math.Inf(1), 1.0
	for full := true; ; {
		if full {
			if err := l.newSystem(ctx, c, lambda); err != nil {
				return err
			}
			drift = 0
		}
		decrement, err := l.direct(ctx, c)
		if err != nil {
			return err
		}
		// the change of scores is proportional to the root of the decrement
		full = !(last*math.Sqrt(decrement/fell) <= chordAt)
		v, lower, err := l.move(ctx, value, c, full)
		if err != nil {
			return err
		}
		scale := max(1, v.largest)
		drift += v.change
		switch value = v.loss + l.penalty(c); {
		case v.change*min(1, drift) <= newtonTol*scale:
			return nil
		case (!lower || v.change > last/2) && v.change <= newtonAccept*scale:
			return nil
		case !lower || l.steps == newtonSteps:
			l.unsolved = v.change / scale
			return nil
		}
		last, fell = v.change, decrement
	}
}

// prepare makes room for an active set of cols columns. New columns have the coefficient 0.
func (l *logistic) prepare(cols int) {
	l.steps, l.unsolved = 0, 0
	l.solution = append(l.solution, make([]float64, cols-len(l.solution))...)
	l.gradient, l.step = make([]float64, cols), make([]float64, cols)
	if wide := (cols + 1 + 7) &^ 7; wide != l.wide {
		l.wide, l.curve = wide, make([]float64, wide*wide)
	}
	l.block = newBlock(min(l.n, blockRows), l.wide)
}

// penalty is n times the penalty of the solution, for c = 2 n lambda.
func (l *logistic) penalty(c float64) float64 {
	w := l.solution[l.lead:]
	return float64(c / 2 * vmath.Dot(w, w))
}

// newSystem factors the Hessian of the last evaluation.
func (l *logistic) newSystem(ctx context.Context, c, lambda float64) error {
	vmath.Mirror(l.curve, l.wide)
	if err := l.system.Factor(ctx, l.curve, l.wide, len(l.solution), l.lead, c); err != nil {
		return fmt.Errorf("lambda=%v: %w", lambda, err)
	}
	return nil
}

// direct sets step to the direction that the last Cholesky factor gives, and returns the product of the direction with
// the negative gradient.
func (l *logistic) direct(ctx context.Context, c float64) (float64, error) {
	down := make([]float64, len(l.step))
	for j, g := range l.gradient {
		down[j] = -g
		if j >= l.lead {
			down[j] -= float64(c * l.solution[j])
		}
	}
	copy(l.step, down)
	err := l.system.Solve(ctx, l.step)
	return vmath.Dot(down, l.step), err
}

// move takes the largest of the step, a half of the step, a quarter and so on that does not raise the objective. It
// reports whether there is one.
func (l *logistic) move(ctx context.Context, value, c float64, full bool) (v evaluation, lower bool, err error) {
	l.steps++
	part := -0.5 // after the whole step, the first correction goes back by a half of it
	for range halvings {
		vmath.Axpy(1, l.step, l.solution)
		if v, err = l.evaluate(ctx, l.step, full); err != nil {
			return v, false, err
		}
		if now := v.loss + l.penalty(c); now <= value+float64(1e-12*math.Abs(value)) {
			return v, true, nil
		}
		floats.Scale(part, l.step)
		part = 0.5
	}
	return v, false, nil
}

// An evaluation is the result of a pass over the rows.
type evaluation struct {
	loss    float64 // sum of log(1 + exp(-y f))
	change  float64 // largest change of a score, absolute
	largest float64 // largest absolute score
}

// evaluate adds A step to the scores, if step is not nil, and computes the residual and the gradient. If full, it also
// computes the sum of the Hessian. It then gets the gradient as one more column of the same product: row i is A_i times
// root_i, and then r_i / root_i.
func (l *logistic) evaluate(ctx context.Context, step []float64, full bool) (v evaluation, err error) {
	cols := len(l.solution)
	b, part := &l.block, l.block.part[:cols]
	clear(b.moved)
	clear(l.gradient)
	if full {
		clear(l.curve)
	}
	err = fitting.Blocks(ctx, l.n, blockRows, func(lo, hi int) {
		h, rows := hi-lo, l.strip(lo, hi)
		if step != nil {
			vmath.RowDots(b.moved[:h], rows, l.ld, h, cols, step)
		}
		loss, change, score := vmath.Logistic(l.f[lo:hi], b.moved[:h], l.y[lo:hi], l.residual[lo:hi], b.root[:h],
			b.slope[:h])
		v = evaluation{v.loss + loss, max(v.change, change), max(v.largest, score)}
		if !full {
			vmath.StridedMatTVec(part, rows, l.ld, h, cols, l.residual[lo:hi])
			vmath.Axpy(1, part, l.gradient)
			return
		}
		vmath.ScaleRows(b.scaled, l.wide, rows, l.ld, h, cols, b.root[:h])
		for i, z := range b.slope[:h] {
			b.scaled[i*l.wide+cols] = z
		}
		vmath.Outer(l.curve, l.wide, b.scaled, l.wide, h, 0, vmath.Add)
	})
	if full {
		for j := range l.gradient {
			l.gradient[j] = l.curve[j*l.wide+cols]
		}
	}
	return v, err
}

// A block is the memory of a pass for some rows.
type block struct {
	moved, part []float64
	root, slope []float64 // see vmath.Logistic
	scaled      []float64 // rows of A times root, then slope
}

func newBlock(h, wide int) block {
	return block{make([]float64, h), make([]float64, wide), make([]float64, h), make([]float64, h),
		make([]float64, h*wide)}
}
