package linear

import (
	"math/bits"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// freeB times sigma is added to the Hessian in b, so that it stays positive when rounding hides the part of the free
// rows.
const freeB = 1e-12

// A system holds the Newton equations and their workspace. The size of a matrix is rounded up to a multiple of eight,
// as vmath.Factor needs it. The added rows and columns are those of the identity.
type system struct {
	gram     []float64 // size(d + 1) squared: sum of (x_i, 1)(x_i, 1)' over inGram
	inGram   []uint8   // a bit for each example: whether gram includes it
	all      []float64 // the same sum over all examples, once followFree has needed it
	enter    []int
	leave    []int
	rows     []float64 // some examples (x_i, 1) as rows, or x_i as columns
	products []float64 // inner products of the free rows
	factor   []float64
	shift    []float64
	solved   []float64
	ones     []float64 // solution for a right-hand side of ones
}

// size rounds m up to a multiple of eight.
func size(m int) int { return (m + 7) &^ 7 }

// direction sets dir to the Newton direction in w and returns the direction in b. With F the free rows and 1 a column
// of ones, the Hessian is diag(I, 0) + sigma [F 1]'[F 1]. direction factors this matrix, or F F' + I/sigma by
// Woodbury's formula, whichever takes fewer multiply-adds.
func (p *Problem) direction() (dirB float64, ok bool) {
	m, d := len(p.free), p.d
	if m == 0 { // the Hessian is diag(I, 0): for b, use sigma, as if one row were free
		for k, g := range p.gradW {
			p.dir[k] = -g
		}
		return -p.gradB / p.sigma, true
	}
	changes := 0
	for at, free := range p.Free {
		changes += bits.OnesCount8(free ^ p.inGram[at])
	}
	byRows := m*m*d/2 + m*m*m/6
	byFeatures := min(changes, m, p.n-m)*d*d/2 + d*d*d/6
	if byFeatures < byRows {
		if dirB, ok = p.directionByFeatures(); ok || m > d {
			return dirB, ok
		}
	}
	return p.directionByRows()
}

// directionByRows solves for u = sigma (F dir + dirB 1), minus the change of the free multipliers times their labels:
//
//	(F F' + I/sigma) u = -F gradW + dirB 1,   1'u = -gradB,   dir = -gradW - F'u.
//
// The products of [F' gradW] with itself are formed in one pass; those with gradW are the right-hand side.
func (p *Problem) directionByRows() (dirB float64, ok bool) {
	m, d := len(p.free), p.d
	e := size(m + 1)
	p.rows = vmath.Room(p.rows, d*e)
	vmath.Columns(p.rows, e, p.x, d, p.free)
	for k, g := range p.gradW {
		clear(p.rows[k*e+m : (k+1)*e])
		p.rows[k*e+m] = g
	}
	p.products = vmath.Room(p.products, e*e)
	vmath.Outer(p.products, e, p.rows, e, d, 0, vmath.Set)
	p.prepare(e)
	for r := range e {
		right := p.factor[r*(e+8)+e:][:2]
		right[0], right[1], p.shift[r] = 0, 0, 1
		if r < m {
			right[0], right[1], p.shift[r] = p.products[r*e+m], 1, 1/p.sigma
		}
		p.products[r*e+m] = 0
	}
	if !vmath.Factor(p.factor, p.products, e, 1, p.shift) {
		return 0, false
	}
	vmath.Back(p.solved, p.factor, e, 0)
	vmath.Back(p.ones, p.factor, e, 1)
	dirB = (vmath.Sum(p.solved) - p.gradB) / (vmath.Sum(p.ones) + float64(freeB*p.sigma))
	vmath.Axpy(-dirB, p.ones, p.solved)
	for k, g := range p.gradW {
		p.dir[k] = -g
	}
	vmath.AddRows(p.dir, p.x, d, p.free, p.solved[:m])
	return dirB, true
}

// directionByFeatures solves the d + 1 Newton equations.
func (p *Problem) directionByFeatures() (dirB float64, ok bool) {
	d := p.d
	e := size(d + 1)
	p.followFree(e)
	p.prepare(e)
	for k := range e {
		right := &p.factor[k*(e+8)+e]
		switch {
		case k < d:
			*right, p.shift[k] = -p.gradW[k], 1
		case k == d:
			*right, p.shift[k] = -p.gradB, freeB*p.sigma
		default:
			*right, p.shift[k] = 0, 1
		}
	}
	if !vmath.Factor(p.factor, p.gram, e, p.sigma, p.shift) {
		return 0, false
	}
	vmath.Back(p.solved, p.factor, e, 0)
	copy(p.dir, p.solved)
	return p.solved[d], true
}

// prepare makes room for a system of e equations and sets the right-hand sides to zero.
func (p *Problem) prepare(e int) {
	p.factor, p.shift = vmath.Room(p.factor, e*(e+8)), vmath.Room(p.shift, e)
	p.solved, p.ones = vmath.Room(p.solved, e), vmath.Room(p.ones, e)
	for r := range e {
		clear(p.factor[r*(e+8)+e:][:8])
	}
}

// followFree updates gram = [F 1]'[F 1] to the free rows F, by the cheapest of three ways. The first adds and subtracts
// the products of the rows that became free or not free since the last Newton step; these are mostly few. The second
// sums over the free rows. The third subtracts the rows that are not free from the sum over all rows. That sum is kept,
// since most rows are free where a solution starts.
func (p *Problem) followFree(e int) {
	enter, leave := p.enter[:0], p.leave[:0]
	for at, free := range p.Free {
		was := p.inGram[at]
		for in := free &^ was; in != 0; in &= in - 1 {
			enter = append(enter, 8*at+bits.TrailingZeros8(in))
		}
		for out := was &^ free; out != 0; out &= out - 1 {
			leave = append(leave, 8*at+bits.TrailingZeros8(out))
		}
	}
	switch m := len(enter) + len(leave); {
	case p.n-len(p.free) < min(m, len(p.free)):
		if p.all == nil {
			p.all = make([]float64, e*e)
			p.addProducts(p.all, e, fitting.Upto(p.n), vmath.Add)
		}
		copy(p.gram, p.all)
		enter, leave = enter[:0], leave[:0]
		for at, free := range p.Free {
			for out := ^free; out != 0; out &= out - 1 {
				if i := 8*at + bits.TrailingZeros8(out); i < p.n {
					leave = append(leave, i)
				}
			}
		}
	case m > len(p.free):
		clear(p.gram)
		enter, leave = append(enter[:0], p.free...), leave[:0]
	}
	p.addProducts(p.gram, e, enter, vmath.Add)
	p.addProducts(p.gram, e, leave, vmath.Subtract)
	copy(p.inGram, p.Free)
	p.enter, p.leave = enter, leave
}

// addProducts adds the outer products of the rows (x_i, 1) to sum, or subtracts them.
func (p *Problem) addProducts(sum []float64, e int, which []int, how vmath.Change) {
	const together = 128 // rows at a time: a copy of all rows would double the memory
	d := p.d
	for len(which) > 0 {
		m := min(together, len(which))
		p.rows = vmath.Room(p.rows, m*e)
		for r, i := range which[:m] {
			row := p.rows[r*e : (r+1)*e]
			copy(row, p.x[i*d:(i+1)*d])
			row[d] = 1
			clear(row[d+1:])
		}
		vmath.Outer(sum, e, p.rows, e, m, 0, how)
		which = which[m:]
	}
}
