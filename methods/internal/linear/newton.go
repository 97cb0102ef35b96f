package linear

import (
	"context"
	"math"
	"math/bits"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

const (
	// A stage is solved well enough when the norm of the gradient is at most stageFactor times |next - alpha| /
	// sqrt(sigma). Under a criterion of this form the proximal point method converges (Rockafellar 1976, criterion B').
	stageFactor = 4.0
	// stageSteps is the most Newton steps of one stage. The next stage starts from the last point.
	stageSteps = 30
	// refreshSteps is the number of Newton steps after which slacks and sums are computed from w and b again.
	refreshSteps = 20
)

// minimize solves the inner problem of one stage by semismooth Newton steps,
//
//	min over (w, b) of   1/2 |w|^2 + sum_i max over 0 <= a <= C of (a t_i - (a - alpha_i)^2 / (2 sigma)),
//	t_i = 1 - y_i (w.x_i + b),
//
// which is smooth and piecewise quadratic. The inner maximum is at a_i = clip(alpha_i + sigma t_i, 0, C), the next
// multiplier. The gradient is (w - sum a_i y_i x_i, -sum a_i y_i). Each free example, one with 0 < a_i < C, adds sigma
// (x_i, 1)(x_i, 1)' to the Hessian. Along each direction a line search finds the minimum to a tenth of the slope.
//
// A stage takes at least one Newton step, unless its gradient is zero. Without a step the next multipliers would be
// alpha + sigma t, where a large sigma would enlarge the rounding errors of the slacks. A stage ends by stageFactor,
// when a Newton step promises to lower the function by at most `enough`, after stageSteps steps, or after limit steps
// in all stages. solvable is false if a Newton system could not be factored.
func (p *Problem) minimize(ctx context.Context, limit int, enough float64) (solvable bool, err error) {
	dirB, ok := p.predict()
	p.move(0)
	for step := range stageSteps {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		gradient := vmath.Dot(p.gradW, p.gradW) + float64(p.gradB*p.gradB)
		if step > 0 && gradient <= stageFactor*stageFactor*p.sums.Distance/p.sigma || p.newtons >= limit {
			return true, nil
		}
		slope := p.slope(dirB)
		if step > 0 || !ok || !(slope < 0) {
			if dirB, ok = p.direction(); !ok {
				return false, nil
			}
			slope = p.slope(dirB)
		}
		if !(slope < 0) || step > 0 && -slope <= enough {
			return true, nil
		}
		p.newtons++
		p.stale++
		size := p.search(dirB, slope)
		vmath.Axpy(size, p.dir, p.w)
		p.b += float64(size * dirB)
		if p.stale >= refreshSteps {
			p.refresh()
			size = 0
		}
		p.move(size)
	}
	return true, nil
}

// predict sets dir to the Newton direction of a new stage as if the free examples of the last stage stayed free and no
// other example became free. alpha holds the multipliers of the last stage. The exact Newton direction would leave out
// free examples near a bound, since the larger sigma moves their multipliers beyond the bound. Short steps would then
// make most of these examples free again, a few at a time. That would take a fifth more Newton steps in all.
func (p *Problem) predict() (dirB float64, ok bool) {
	if len(p.free) == 0 {
		return 0, false
	}
	p.changes = p.changes[:0]
	for _, i := range p.free {
		change := -float64(p.sigma * float64(p.Y[i]*p.Slack[i]))
		p.changes = append(p.changes, change)
		p.gradB += change
	}
	vmath.AddRows(p.gradW, p.x, p.d, p.free, p.changes)
	return p.direction()
}

// slope is the derivative along (dir, dirB).
func (p *Problem) slope(dirB float64) float64 {
	return vmath.Dot(p.gradW, p.dir) + float64(p.gradB*dirB)
}

// move adds step times Change to the slacks, and updates the multipliers, the set of free examples and the gradient.
// Most multipliers stay at 0 or C, so sumW is updated by the multipliers that changed.
func (p *Problem) move(step float64) {
	p.sums = p.Move(step, p.sigma, p.c)
	p.free, p.moved, p.changes = p.free[:0], p.moved[:0], p.changes[:0]
	for at, byte := range p.Free {
		for ; byte != 0; byte &= byte - 1 {
			p.free = append(p.free, 8*at+bits.TrailingZeros8(byte))
		}
	}
	for at, byte := range p.Moved {
		for ; byte != 0; byte &= byte - 1 {
			i := 8*at + bits.TrailingZeros8(byte)
			p.moved, p.changes = append(p.moved, i), append(p.changes, p.Turned[i])
		}
	}
	vmath.AddRows(p.sumW, p.x, p.d, p.moved, p.changes)
	for k, s := range p.sumW {
		p.gradW[k] = p.w[k] - s
	}
	p.gradB = -p.sums.Balance
}

// search returns a step along (dir, dirB) at which the size of the slope is at most a tenth of that at zero. The slope
// is a growing, piecewise linear function of the step. A Newton iteration approaches its zero, within an interval that
// holds the zero.
func (p *Problem) search(dirB, slope float64) float64 {
	p.multiply(p.Change, p.dir)
	vmath.Signed(p.Change, p.Y, dirB)
	wDir, dirDir := vmath.Dot(p.w, p.dir), vmath.Dot(p.dir, p.dir)
	low, high, step := 0.0, math.Inf(1), 1.0
	const trials = 100
	for range trials {
		product, square := p.Slope(step, p.sigma, p.c)
		f, curvature := wDir+float64(step*dirDir)-product, dirDir+float64(p.sigma*square)
		if math.Abs(f) <= -0.1*slope {
			break
		}
		if f < 0 {
			low = step
		} else {
			high = step
		}
		newton := step - f/curvature
		switch {
		case newton > low && newton < high:
			step = min(newton, 4*step)
		case math.IsInf(high, 1):
			step *= 2
		default:
			step = low + (high-low)/2
		}
	}
	return step
}
