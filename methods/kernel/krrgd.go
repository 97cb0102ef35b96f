package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/lbfgs"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// KRRGDParams holds KRR-GD's parameters.
type KRRGDParams struct {
	Lambda float64 `json:"lambda" range:"(0,)" means:"ridge penalty"`
	Iter   int     `json:"iter" range:"[0,)" means:"gradient steps on the bandwidths; 0 keeps the initial ones"`
}

// columns returns the group of each feature.
func columns(s registry.Shape) []int {
	var of []int
	for g, size := range s.Groups() {
		of = append(of, slices.Repeat([]int{g}, size)...)
	}
	return of
}

// KRRGD declares kernel ridge regression whose Gaussian bandwidths descend the gradient of the leave-one-out error, one
// against the rest for classes.
func KRRGD() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "KRR-GD", Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Source:  "Chapelle, Vapnik, Bousquet and Mukherjee, Machine Learning 2002, as compared with by Bazavan et al., ECCV 2012",
		Summary: "kernel ridge regression with bandwidths by gradient descent",
	}, KRRGDParams{Lambda: 1e-3, Iter: 20}, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -5, 0)},
	}, fitKRRGD, registry.Memory(memoryKRRGD), registry.Cost(costKRRGD), registry.Load[KRRGDParams](load), registry.Blocks[KRRGDParams]())
}

// memoryKRRGD counts four n x n matrices and as much as one for garbage, what factorising and inverting take, and the model.
func memoryKRRGD(s registry.Shape, _ KRRGDParams) int64 {
	n := int64(s.N)
	return 40*n*n + cholesky.Bytes(s.N) + cholesky.InvertBytes(s.N) + 8*n*int64((3+s.Outputs())*s.D+2*s.Outputs()+10)
}

// costKRRGD is a factorisation, an inverse and a product an evaluation, of which a step takes about 1.3.
func costKRRGD(s registry.Shape, p KRRGDParams) float64 {
	n := float64(s.N)
	return float64(s.Outputs()) * (1 + 1.3*float64(p.Iter)) * (n*n*n/12 + n*n*(0.2*float64(s.D)+20) + 1000)
}

// fitKRRGD finds, for each output, the bandwidths, one a block of the data or a feature outside of blocks, with a small leave-one-out error, from 1/(2 d) of standardised features
// by at most Iter L-BFGS steps in their logarithms, and then solves ridge regression with them:
//
//	min over alpha  (1/n) |y - mean y - K alpha|^2 + lambda alpha'K alpha.
func fitKRRGD(ctx context.Context, env registry.Env, train registry.Data, p KRRGDParams) (registry.Model, error) {
	n, d := train.X.Dims()
	group := columns(train.Shape())
	if n < 2 {
		return nil, fmt.Errorf("KRR-GD: %d examples; leaving one out needs two", n)
	}
	m := &machine{N: n, D: d, Outputs: train.Shape().Outputs(), X: slices.Clone(frame.Rows(train.X))}
	l, err := newLOOProblem(ctx, m.X, d, group, p.Lambda)
	if err != nil {
		return nil, err
	}
	theta := make([]float64, slices.Max(group)+1)
	for c, y := range frame.OneAgainstRest(train) {
		mean := floats.Sum(y) / float64(n)
		l.y = slices.Clone(y)
		floats.AddConst(-mean, l.y)
		for g := range theta {
			theta[g] = -vmath.LogScalar(2 * float64(d))
		}
		if p.Iter > 0 {
			descent := lbfgs.Minimizer{MaxIter: p.Iter}
			descent.Minimize(theta, l.value)
		}
		if l.err == nil {
			l.err = l.solve(theta)
		}
		if l.err != nil {
			return nil, fmt.Errorf("KRR-GD, output %d: %w", c, l.err)
		}
		m.Gamma = append(m.Gamma, l.gamma...)
		m.Coef = append(m.Coef, l.alpha...)
		m.Bias = append(m.Bias, mean)
	}
	return m, nil
}
