package mfga

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
)

// A basis computes the values of features on the training rows, one column for each feature.
type basis interface {
	// columns returns a function that writes the listed columns into the first columns of dst, for the rows lo .. hi -
	// 1, at most blockRows. The rows of dst are ld apart.
	columns(which []int) func(dst []float64, ld, lo, hi int)
}

// A design is the matrix [1 Phi] of the active columns, row-major with room for more columns in every row. The
// column of ones, if there is an intercept, is the first. A matrix too large to be kept is computed block by block.
type design struct {
	basis
	n, ld, lead int // lead is the number of columns of ones: 0 or 1
	kept        bool
	rows        []float64                           // all rows, or a block of them
	write       func(dst []float64, ld, lo, hi int) // writes the computed columns, if the matrix is not kept
	computed    []int                               // the columns of Phi that rows holds; the columns in use come first
	unchanged   int                                 // the first columns that have not changed since a solver set this
}

// newDesign makes a design of n rows of inputs numbers.
func newDesign(b basis, n, inputs, features int, intercept bool) *design {
	d := &design{basis: b, n: n}
	if intercept {
		d.lead = 1
	}
	d.ld = (d.lead + features + 7) &^ 7 // vmath.Outer reads eight columns at a time
	held := fitting.Held(n, inputs, d.ld, blockRows, fitting.Few)
	d.kept, d.rows = held == n, make([]float64, held*d.ld)
	for i := range held * d.lead {
		d.rows[i*d.ld] = 1
	}
	return d
}

// strip returns the rows lo .. hi-1, at most blockRows. The next call may overwrite them.
func (d *design) strip(lo, hi int) []float64 {
	if d.kept {
		return d.rows[lo*d.ld : hi*d.ld]
	}
	d.write(d.rows[d.lead:], d.ld, lo, hi)
	return d.rows[:(hi-lo)*d.ld]
}

// set computes the columns `which` at the places from `from` on. A column that is already at its place is not computed
// again, so that fits with the same first columns compute these once.
func (d *design) set(ctx context.Context, from int, which []int) error {
	same := 0
	for same < len(which) && from+same < len(d.computed) && d.computed[from+same] == which[same] {
		same++
	}
	if same == len(which) {
		return nil
	}
	from, which = from+same, which[same:]
	d.computed, d.unchanged = append(d.computed[:from], which...), min(d.unchanged, from)
	if !d.kept {
		d.write = d.columns(d.computed)
		return nil
	}
	write := d.columns(which)
	return fitting.Blocks(ctx, d.n, blockRows, func(lo, hi int) { write(d.rows[lo*d.ld+d.lead+from:], d.ld, lo, hi) })
}

// A solver minimises the objective on the active columns.
type solver interface {
	// start begins a fit with no columns: f is the best constant, or 0 without an intercept.
	start() error
	// solve minimises over the first k columns of the design and the intercept.
	solve(ctx context.Context, k int, lambda float64) error
	// theta is the solution, of which the first element is the intercept if there is one.
	theta() []float64
	// open is 0 where the last solve met its stopping rule, and else the largest relative change of a score by its last
	// step.
	open() float64
	// slope is the derivative of n times the risk in f, up to a constant factor.
	slope() []float64
}

// An active is a growing set of active columns with their solver. It records the solutions.
type active struct {
	*design
	solver  solver
	columns []int
	record  output
}

func newActive(task registry.Task, b basis, y []float64, inputs, features int, intercept bool) *active {
	d := newDesign(b, len(y), inputs, features, intercept)
	a := &active{design: d}
	if task == registry.Regression {
		a.solver = newRidge(d, y)
	} else {
		a.solver = newLogistic(d, y)
	}
	return a
}

func (a *active) size() int { return len(a.columns) }

// start begins a fit with no active columns.
func (a *active) start() error {
	if err := a.solver.start(); err != nil {
		return err
	}
	a.columns = nil
	a.record = output{}
	if a.lead == 1 {
		a.record.Start = a.solver.theta()[0]
	}
	return nil
}

// add makes more columns active.
func (a *active) add(ctx context.Context, next []int) error {
	if err := a.set(ctx, len(a.columns), next); err != nil {
		return err
	}
	a.columns = append(a.columns, next...)
	return nil
}

// solve minimises over the active columns, and records the solution as a stage.
func (a *active) solve(ctx context.Context, lambda float64) error {
	if err := a.solver.solve(ctx, len(a.columns), lambda); err != nil {
		return err
	}
	a.record.lambda, a.record.open = lambda, max(a.record.open, a.solver.open())
	theta, bias := a.solver.theta(), 0.0
	if a.lead == 1 {
		bias = theta[0]
	}
	a.record.Counts = append(a.record.Counts, len(a.columns))
	a.record.Bias = append(a.record.Bias, bias)
	a.record.Theta = append(a.record.Theta, theta[a.lead:]...)
	return nil
}
