package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// solutionsAtOnce is how many solutions share the elements of the kernel: more would only take memory.
const solutionsAtOnce = 24

// mostRank is the largest rank of a factor of n rows: beyond, steps of conjugate gradients are cheaper.
func mostRank(n int) int { return min(n/2, 1536) }

// enoughRank reports whether a partial factor is good enough for c: what it leaves should have no eigenvalue far above c over the largest
// second derivative of the loss. The largest eigenvalue is guessed as trace over rank, as of a spectrum that falls like 1/i^2. The guess changes the time, not the result.
func enoughRank(end cholesky.End, c, second float64) bool {
	return float64(end.Trace*second) <= c*float64(end.Rank)
}

// solveProducts solves the same problems as solveExact from products with the kernel.
func solveProducts(ctx context.Context, x, gamma []float64, of kind, train registry.Data, lambdas []float64, yield func(int, *machine) error) error {
	d := len(gamma)
	n := len(x) / d
	o, err := newOperator(ctx, x, d, gamma, of.linear, n <= keptRows)
	if err != nil {
		return err
	}
	scale, second := 2*float64(n), 0.25
	if train.Task == registry.Regression {
		scale, second = float64(n), 1.0
	}
	least := floats.Min(lambdas)
	enough := func(lambda float64) func(cholesky.End) bool {
		return func(end cholesky.End) bool { return enoughRank(end, scale*lambda, second) }
	}
	partial, err := cholesky.NewPartial(ctx, o.diagonal(), o.rows, enough(least), mostRank(n))
	if err != nil {
		return err
	}
	room := make([]float64, len(partial.V))
	ys := frame.OneAgainstRest(train)
	together := max(1, solutionsAtOnce/len(ys))
	for lo := 0; lo < len(lambdas); lo += together {
		hi := min(lo+together, len(lambdas))
		var all []*solution
		for _, lambda := range lambdas[lo:hi] {
			rank := partial.Rank
			for _, end := range partial.Ends {
				if enough(lambda)(end) {
					rank = end.Rank
					break
				}
			}
			for _, y := range ys {
				s, err := begin(ctx, o, partial.V[:rank*n], y, scale*lambda, train.Task, of.intercept, room)
				if err != nil {
					return fmt.Errorf("lambda=%v: %w", lambda, err)
				}
				all = append(all, s)
			}
		}
		if err := products(ctx, o, all); err != nil {
			return err
		}
		for i := lo; i < hi; i++ {
			m := &machine{N: n, D: d, Outputs: len(ys), Linear: of.linear, X: x, Gamma: gamma}
			for _, s := range all[(i-lo)*len(ys) : (i-lo+1)*len(ys)] {
				if s.err != nil {
					return fmt.Errorf("lambda=%v: %w", lambdas[i], s.err)
				}
				m.Coef, m.Bias = append(m.Coef, s.alpha...), append(m.Bias, s.b+s.mean)
			}
			if err := yield(i, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin launches the solution for the targets or labels y.
func begin(ctx context.Context, o *operator, v, y []float64, c float64, task registry.Task, intercept bool, room []float64) (*solution, error) {
	var l loss
	b, mean := 0.0, 0.0
	if task == registry.Regression {
		if intercept {
			mean = vmath.Sum(y) / float64(o.n)
			y = slices.Clone(y)
			floats.AddConst(-mean, y)
		}
		l = squareLoss{y: y, bias: intercept}
	} else {
		var err error
		if b, err = firstBias(y, intercept); err != nil {
			return nil, err
		}
		l = logisticLoss{y: y, bias: intercept}
	}
	s, err := launch(ctx, o, v, l, b, c, room)
	if err != nil {
		return nil, err
	}
	s.mean = mean
	return s, nil
}

// launch solves with the kernel V'V from f = b, first with a part of V, and makes that the start of the solution with the whole kernel.
func launch(ctx context.Context, o *operator, v []float64, l loss, b, c float64, room []float64) (*solution, error) {
	n := o.n
	f := make([]float64, n)
	for i := range f {
		f[i] = b
	}
	var u []float64
	var pre *preconditioner
	for _, part := range []int{4, 1} {
		rank := len(v) / n
		if part > 1 && (rank < 4*part || l.quadratic()) {
			continue
		}
		pre = newPreconditioner(v[:rank/part*n], n, c)
		t := &start{p: pre, loss: l, u: append(u, make([]float64, pre.r-len(u))...), f: f, b: b}
		if err := t.descend(ctx, room, startTol); err != nil {
			return nil, err
		}
		u, f, b = t.u, t.f, t.b
	}
	alpha, s := make([]float64, n), make([]float64, n)
	l.slopes(f, alpha, s)
	floats.Scale(-1/c, alpha)
	return newSolution(o, pre, l, alpha, b, room), nil
}
