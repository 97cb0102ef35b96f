package mkl

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// A linearBound says from below how large the sum of squared errors of the linear SVR is, without solving it. With
// e_i = r_i - w.x_i - b, the SVR's objective P(w, b) = 1/2 |w|^2 + C sum_i max(0, |e_i| - epsilon), (w*, b*) its minimum, any
// (v, c) and any lambda > 0,
//
//	sum e_i(w*)^2  >=  min over (w, b) of [sum e_i^2 + lambda P(w, b)]  -  lambda P(v, c),
//
// since P(w*, b*) <= P(v, c). The sum in brackets is strongly convex in few variables. Newton's method minimises it with
// the kinks at |e_i| = epsilon rounded over a width; at each of its points the minimum is bounded from below by replacing the loss of an example by
// the line with the slope s_i in [0, 1] of the rounded one, s_i (|e_i| - epsilon), and the gradient g of what results by
// the least curvature H = 2 X'X + lambda I_w: by its value less 1/2 g'H^-1 g.
type linearBound struct {
	s       *sample
	columns int       // d + 1: the features, and 1
	x       []float64 // n x columns
	gram    []float64 // X'X

	r                              []float64 // the targets
	epsilon, lambda, weight, width float64   // of the tube; lambda; lambda C; of the rounded kinks

	point, trial, grad, step []float64 // columns
	fit, slope               []float64 // n
	least, curved            []float64 // columns x columns: H, and with the kinks' curvature
	f, fc                    *cholesky.Factorizer
}

func newLinearBound(s *sample) *linearBound {
	m := s.d + 1
	l := &linearBound{s: s, columns: m, f: cholesky.New(m), fc: cholesky.New(m)}
	for _, a := range []*[]float64{&l.point, &l.trial, &l.grad, &l.step} {
		*a = make([]float64, m)
	}
	l.fit, l.slope = make([]float64, s.n), make([]float64, s.n)
	l.least, l.curved = make([]float64, m*m), make([]float64, m*m)
	return l
}

// makeGram fills x and gram.
func (l *linearBound) makeGram(ctx context.Context) error {
	s, m := l.s, l.columns
	x := make([]float64, s.n*m)
	for i := range s.n {
		row := x[i*m : (i+1)*m]
		copy(row, s.row(i))
		row[s.d] = 1
	}
	gram, column := make([]float64, m*m), make([]float64, s.n)
	for j := range m {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := range column {
			column[i] = x[i*m+j]
		}
		vmath.MatTVec(gram[j*m:(j+1)*m], x, s.n, m, column)
	}
	l.x, l.gram = x, gram
	return nil
}

// linearBytes is what a linearBound takes.
func linearBytes(s registry.Shape) int64 {
	m := int64(s.D + 1)
	return 8*(int64(s.N)*(m+3)+6*m*m) + 2*cholesky.Bytes(int(m))
}

// Weights lambda C of the hinge losses beside the squares are tried in turn: larger ones give bounds nearer to the truth, in more steps.
// The kinks are rounded over kinkWidth / (lambda C), in units of the targets, and boundSteps is the most Newton steps for a weight.
var hingeWeights = []float64{3, 30, 300}

const (
	kinkWidth  = 0.06
	boundSteps = 40
)

// exceeds reports whether the linear SVR of targets r surely has a sum of squared errors of at least limit.
func (l *linearBound) exceeds(ctx context.Context, r []float64, epsilon, c, limit float64) (bool, error) {
	if l.x == nil {
		if err := l.makeGram(ctx); err != nil {
			return false, err
		}
	}
	limit += 1e-7 * vmath.Dot(r, r) // for rounding
	clear(l.point)                  // a start that no other setting of a path has touched
	l.r, l.epsilon = r, epsilon
	for _, l.weight = range hingeWeights {
		l.lambda, l.width = l.weight/c, kinkWidth/l.weight
		bound, err := l.bound(ctx, limit)
		if err != nil || bound >= limit {
			return err == nil, err
		}
	}
	return false, nil
}

// bound returns the first bound found that is at least limit, or the best.
func (l *linearBound) bound(ctx context.Context, limit float64) (float64, error) {
	best, upper := math.Inf(-1), math.Inf(1) // upper: the least lambda P
	l.curvature(l.least)
	if err := l.f.Factor(ctx, l.least); err != nil {
		return best, ctx.Err() // no bound, if it is not the context's end
	}
	value := l.evaluate(l.point)
	for range boundSteps {
		if err := ctx.Err(); err != nil {
			return best, err
		}
		upper = min(upper, value.objective)
		copy(l.step, l.grad)
		if err := l.f.Solve(ctx, l.least, l.step); err != nil {
			return best, err
		}
		short := 0.5 * vmath.Dot(l.grad, l.step)
		best = max(best, value.lines-short-upper)
		if best >= limit || short < 1e-4*limit && value.squares < limit {
			break
		}
		if moved, err := l.newton(ctx, &value); err != nil || !moved {
			return best, err
		}
	}
	return best, nil
}

// curvature writes H.
func (l *linearBound) curvature(h []float64) {
	for j, v := range l.gram {
		h[j] = 2 * v
	}
	for j := range l.s.d {
		h[j*l.columns+j] += l.lambda
	}
}

// A boundValue is what evaluate finds at a point.
type boundValue struct {
	rounded   float64 // sum e^2 + lambda P with the kinks rounded
	lines     float64 // the same with lines in place of the losses
	objective float64 // lambda P
	squares   float64 // sum e^2
}

// evaluate sets fit, slope, and grad, the gradient of rounded and of lines.
func (l *linearBound) evaluate(at []float64) boundValue {
	m, d := l.columns, l.s.d
	vmath.MatVec(l.fit, l.x, l.s.n, m, at)
	var v boundValue
	for i, t := range l.r {
		e := t - l.fit[i]
		a := math.Abs(e) - l.epsilon
		s, hinge, bend := 0.0, max(0, a), 0.0
		switch half := 0.5 * l.width; {
		case a >= half:
			s, bend = 1, a
		case a > -half:
			s = a/l.width + 0.5
			bend = 0.5 * l.width * float64(s*s)
		}
		v.squares += float64(e * e)
		v.rounded += bend
		v.lines += float64(s * a)
		v.objective += hinge
		l.slope[i] = 2*e + math.Copysign(l.weight*s, e)
	}
	vmath.MatTVec(l.grad, l.x, l.s.n, m, l.slope)
	norm := 0.5 * l.lambda * vmath.Dot(at[:d], at[:d])
	for j := range m {
		l.grad[j] = -l.grad[j]
		if j < d {
			l.grad[j] += float64(l.lambda * at[j])
		}
	}
	v.rounded = v.squares + float64(l.weight*v.rounded) + norm
	v.lines = v.squares + float64(l.weight*v.lines) + norm
	v.objective = float64(l.weight*v.objective) + norm
	return v
}

// newton moves the point one step, at most the whole of it, and reports whether that brought anything.
func (l *linearBound) newton(ctx context.Context, value *boundValue) (bool, error) {
	m := l.columns
	l.curvature(l.curved)
	for i, t := range l.r {
		if a := math.Abs(t-l.fit[i]) - l.epsilon; math.Abs(a) < 0.5*l.width {
			row := l.x[i*m : (i+1)*m]
			for j, v := range row {
				vmath.Axpy(l.weight/l.width*v, row, l.curved[j*m:(j+1)*m])
			}
		}
	}
	if err := l.fc.Factor(ctx, l.curved); err != nil {
		return false, ctx.Err()
	}
	copy(l.step, l.grad)
	if err := l.fc.Solve(ctx, l.curved, l.step); err != nil {
		return false, err
	}
	slope := vmath.Dot(l.step, l.grad)
	for share := 1.0; share > 1e-4; share *= 0.5 {
		for j, p := range l.point {
			l.trial[j] = p - float64(share*l.step[j])
		}
		if next := l.evaluate(l.trial); next.rounded <= value.rounded-1e-4*share*slope {
			l.point, l.trial = l.trial, l.point
			*value = next
			return true, nil
		}
	}
	return false, nil
}
