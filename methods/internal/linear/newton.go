package linear

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/floats"
)

// stageFactor says when an inner problem is solved well enough: |gradient| at most stageFactor
// |next - alpha| / sqrt(sigma), the form of criterion under which the proximal point method
// converges (Rockafellar 1976, criterion B').
const stageFactor = 4.0

const (
	refreshSteps = 8  // Newton steps after which scores and sums are made anew
	stageSteps   = 30 // Newton steps after which it goes on with the next stage
)

// minimize solves the inner problem of one proximal step by semismooth Newton,
//
//	min over (w, b) of   1/2 |w|^2 + sum_i max over 0 <= a <= C of (a t_i - (a - alpha_i)^2 / (2 sigma)),
//	t_i = 1 - y_i (w.x_i + b),
//
// which is smooth and piecewise quadratic. The inner maximum is at
// a_i = clip(alpha_i + sigma t_i, 0, C); gradient (w - sum a_i y_i x_i, -sum a_i y_i); and examples with
// 0 < a_i < C, the free ones, add sigma (x_i, 1)(x_i, 1)' to the Hessian. Along each
// direction the minimum is found to a tenth of the slope. It stops by stageFactor, when a Newton
// step promises less than enough, or after limit steps in all; solvable is false if a Newton
// system could not be factored.
func (p *Problem) minimize(ctx context.Context, limit int, enough float64) (solvable bool, err error) {
	for step := range stageSteps {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if p.stale >= refreshSteps {
			p.refresh()
		}
		moved := p.propose()
		gradient := vmath.Dot(p.gradW, p.gradW) + p.gradB*p.gradB
		if step > 0 && gradient <= stageFactor*stageFactor*moved/p.sigma || p.newtons >= limit {
			return true, nil
		}
		dirB, ok := p.direction()
		if !ok {
			return false, nil
		}
		slope := vmath.Dot(p.gradW, p.dir) + p.gradB*dirB
		if !(-slope > enough) {
			return true, nil
		}
		p.newtons++
		p.stale++
		p.step(p.search(dirB, slope), dirB)
	}
	p.propose()
	return true, nil
}

// propose computes slacks, multipliers, the free set and the gradient at (w, b). It
// returns |next - alpha|^2.
func (p *Problem) propose() (moved float64) {
	p.free, p.moved = p.free[:0], p.moved[:0]
	p.gradB = 0
	for i, y := range p.y {
		t := 1 - y*(p.scores[i]+p.b)
		a := p.alpha[i] + float64(p.sigma*t)
		switch {
		case a <= 0:
			a = 0
		case a >= p.c:
			a = p.c
		default:
			p.free = append(p.free, i)
		}
		if a != p.next[i] {
			p.moved = append(p.moved, i)
		}
		m := a - p.alpha[i]
		moved += float64(m * m)
		p.slack[i] = t
		p.signed[i] = y * (a - p.next[i])
		p.next[i] = a
		p.gradB -= a * y
	}
	p.addMoved()
	for k, s := range p.sumW {
		p.gradW[k] = p.w[k] - s
	}
	return moved
}

// addMoved adds the changes of the multipliers to sumW = sum_i y_i next_i x_i. Most
// multipliers stay at 0 or C.
func (p *Problem) addMoved() {
	m, d := len(p.moved), p.d
	if m > p.n/2 {
		p.packed.MatTVec(p.dir, p.signed)
	} else {
		p.rows, p.rhs = grow(p.rows, m*d), grow(p.rhs, m)
		for r, i := range p.moved {
			copy(p.rows[r*d:(r+1)*d], p.x[i*d:(i+1)*d])
			p.rhs[r] = p.signed[i]
		}
		vmath.MatTVec(p.dir, p.rows, m, d, p.rhs)
	}
	vmath.Axpy(1, p.dir, p.sumW)
}

// freeB keeps the system definite in b when rounding hides the free rows' part.
const freeB = 1e-12

// direction sets dir to the Newton direction in w and returns that in b. With F the free
// rows and 1 a column of ones, the Hessian is diag(I, 0) + sigma [F 1]'[F 1]. The smaller of two
// systems is solved: that one, or the one of F F' + I/sigma.
func (p *Problem) direction() (dirB float64, ok bool) {
	switch {
	case len(p.free) == 0: // the Hessian is diag(I, 0): as if one row were free
		for k, g := range p.gradW {
			p.dir[k] = -g
		}
		return -p.gradB / p.sigma, true
	case len(p.free) <= p.d:
		return p.directionByRows()
	default:
		return p.directionByFeatures()
	}
}

// directionByRows solves for u = sigma (F dir + dirB 1), the change of the free multipliers:
//
//	(F F' + I/sigma) u = -F gradW + dirB 1,   1'u = -gradB,   dir = -gradW - F'u.
func (p *Problem) directionByRows() (dirB float64, ok bool) {
	m, d := len(p.free), p.d
	p.rows = grow(p.rows, m*d)
	for r, i := range p.free {
		copy(p.rows[r*d:(r+1)*d], p.x[i*d:(i+1)*d])
	}
	p.system = grow(p.system, m*m)
	vmath.Gram(p.system, p.rows, m, d)
	for r := range m {
		p.system[r*m+r] += 1 / p.sigma
	}
	if !p.factor.factor(p.system, m) {
		return 0, false
	}
	p.rhs, p.ones = grow(p.rhs, m), grow(p.ones, m)
	vmath.MatVec(p.rhs, p.rows, m, d, p.gradW)
	for r := range p.ones {
		p.ones[r] = 1
	}
	p.factor.solve(p.rhs)
	p.factor.solve(p.ones)
	dirB = (vmath.Sum(p.rhs) - p.gradB) / (vmath.Sum(p.ones) + freeB*p.sigma)
	for r, v := range p.rhs {
		p.rhs[r] = v - float64(dirB*p.ones[r])
	}
	vmath.MatTVec(p.dir, p.rows, m, d, p.rhs)
	for k, g := range p.gradW {
		p.dir[k] -= g
	}
	return dirB, true
}

// directionByFeatures solves the d + 1 Newton equations.
func (p *Problem) directionByFeatures() (dirB float64, ok bool) {
	d := p.d
	e := d + 1
	p.followFree()
	p.system = grow(p.system, e*e)
	floats.ScaleTo(p.system, p.sigma, p.gram)
	for k := range d {
		p.system[k*e+k]++
	}
	p.system[d*e+d] += freeB * p.sigma
	if !p.factor.factor(p.system, e) {
		return 0, false
	}
	p.rhs = grow(p.rhs, e)
	for k, g := range p.gradW {
		p.rhs[k] = -g
	}
	p.rhs[d] = -p.gradB
	p.factor.solve(p.rhs)
	copy(p.dir, p.rhs)
	return p.rhs[d], true
}

// followFree brings gram = [F 1]'[F 1] up to date with the free rows. From one Newton step
// to the next few rows enter and leave, so it is cheaper to add and subtract their
// products than to form the sum anew.
func (p *Problem) followFree() {
	for _, i := range p.free {
		p.isFree[i] = true
	}
	enter, leave := p.enter[:0], p.leave[:0]
	for i, in := range p.inGram {
		switch {
		case p.isFree[i] && !in:
			enter = append(enter, i)
		case in && !p.isFree[i]:
			leave = append(leave, i)
		}
	}
	if len(enter)+len(leave) > len(p.free) {
		clear(p.gram)
		enter, leave = append(enter[:0], p.free...), leave[:0]
	}
	p.addProducts(1, enter)
	p.addProducts(-1, leave)
	copy(p.inGram, p.isFree)
	clear(p.isFree)
	p.enter, p.leave = enter, leave
}

// addProducts adds sign times the outer products of the rows (x_i, 1) to gram.
func (p *Problem) addProducts(sign float64, which []int) {
	m, d := len(which), p.d
	if m == 0 {
		return
	}
	e := d + 1
	p.rows = grow(p.rows, e*m)  // [X 1]'
	for r := 0; r < m; r += 8 { // eight columns fill a cache line
		block := which[r:min(r+8, m)]
		for k := range d {
			column := p.rows[k*m+r:]
			for j, i := range block {
				column[j] = p.x[i*d+k]
			}
		}
	}
	for r := range m {
		p.rows[d*m+r] = 1
	}
	p.system = grow(p.system, e*e)
	vmath.Gram(p.system, p.rows, e, m)
	vmath.Axpy(sign, p.system, p.gram)
}

// search returns a step along (dir, dirB) at which the slope is at most a tenth of
// slope, the one at zero, in size. The slope grows with the step, piecewise linearly, and
// Newton's method on it is kept within the interval known to hold the zero.
func (p *Problem) search(dirB, slope float64) float64 {
	p.packed.MatVec(p.change, p.dir)
	for i, y := range p.y {
		p.change[i] = y * (p.change[i] + dirB)
	}
	wDir, dirDir := vmath.Dot(p.w, p.dir), vmath.Dot(p.dir, p.dir)
	low, high, step := 0.0, math.Inf(1), 1.0
	const trials = 100
	for range trials {
		f, curvature := p.slopeAt(step, wDir, dirDir)
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

// slopeAt returns the inner problem's first and second derivatives at a step.
func (p *Problem) slopeAt(step, wDir, dirDir float64) (slope, curvature float64) {
	slope, curvature = wDir+float64(step*dirDir), dirDir
	for i, q := range p.change {
		a := p.alpha[i] + float64(p.sigma*(p.slack[i]-float64(step*q)))
		switch {
		case a <= 0:
		case a >= p.c:
			slope -= float64(p.c * q)
		default:
			slope -= float64(a * q)
			curvature += float64(p.sigma * float64(q*q))
		}
	}
	return slope, curvature
}

// step moves (w, b) and the scores.
func (p *Problem) step(size, dirB float64) {
	vmath.Axpy(size, p.dir, p.w)
	p.b += float64(size * dirB)
	for i, y := range p.y {
		p.scores[i] += float64(size * (float64(y*p.change[i]) - dirB))
	}
}
