package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// KRRGD declares kernel ridge regression, one against the rest for classes:
//
//	min over alpha  (1/n) |y - mean y - K alpha|^2 + lambda alpha'K alpha,
//	K_ab = exp(-sum_j gamma_j (x_aj - x_bj)^2).
//
// The kernel coefficients gamma, one for each block of the data and each feature outside of blocks, minimise the
// leave-one-out error (Chapelle, Vapnik, Bousquet and Mukherjee, Machine Learning 2002): at most MaxIter steps of
// L-BFGS in their logarithms, from 1/(2 d). Each evaluation ([looProblem]) factors and inverts an n x n matrix, in n^3
// time and n^2 memory. Bazavan et al. (ECCV 2012) compare with this method because it does not scale.
//
// Targets of regression are standardised, since L-BFGS ends by absolute tolerances.
func KRRGD() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "KRR-GD", Version: "6", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth: registry.Growth{Rows: 2.5, Outputs: 1, Points: 1, By: registry.By{"max_iter": 1}},
		Source: "Chapelle, Vapnik, Bousquet and Mukherjee, Machine Learning 2002, as compared with by Bazavan et " +
			"al., ECCV 2012",
		Summary: "kernel ridge regression with kernel coefficients by gradient descent",
		Load:    fitting.NearLoad(load),
		Blocks:  true,
	}, KRRGDParams{Lambda: 1e-3, MaxIter: 20}, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -5, 0)},
	}, fitting.NearFit(fitKRRGD), registry.Memory(memoryKRRGD))
}

// KRRGDParams holds KRR-GD's parameters.
type KRRGDParams struct {
	Lambda  float64 `json:"lambda" range:"(0,)" means:"penalty of the squared norm of the function"`
	MaxIter int     `json:"max_iter" range:"[0,)" means:"L-BFGS steps on the kernel coefficients at most; 0 keeps the initial ones"`
}

// memoryKRRGD counts four n x n matrices, a fifth one for garbage, a strip, what a factorisation and an inversion take,
// and the model.
func memoryKRRGD(s registry.Shape, _ KRRGDParams) int64 {
	n := int64(s.N)
	return 40*n*n + solve.FactorBytes(s.N) + solve.InvertBytes(s.N) +
		8*n*int64((2+s.Outputs())*s.D+2*s.Outputs()+11+rowsAtOnce)
}

func fitKRRGD(ctx context.Context, _ registry.Env, train registry.Data, p KRRGDParams) (registry.Model, error) {
	n, d := train.X.Dims()
	if n < 2 {
		return nil, fmt.Errorf("KRR-GD: %d examples; leaving one out needs two", n)
	}
	m := &machine{N: n, D: d, Outputs: train.Shape().Outputs(), X: slices.Clone(fitting.Rows(train.X))}
	group := coefficientOf(train.Shape())
	loo, err := newLOOProblem(ctx, m.X, d, group, p.Lambda)
	if err != nil {
		return nil, err
	}
	theta := make([]float64, slices.Max(group)+1)
	for c, y := range fitting.OneAgainstRest(train) {
		mean, unit := 0.0, 1.0
		if train.Task == registry.Regression {
			loo.y = slices.Clone(y)
			mean, unit = fitting.Standardise(loo.y)
		} else {
			loo.y, mean = fitting.Centred(y)
		}
		for g := range theta {
			theta[g] = -vmath.LogScalar(2 * float64(d))
		}
		if p.MaxIter > 0 {
			descent := solve.LBFGS{MaxIter: p.MaxIter}
			descent.Minimize(theta, loo.value)
		}
		if loo.err == nil {
			loo.err = loo.solve(theta)
		}
		if loo.err != nil {
			return nil, fmt.Errorf("KRR-GD, output %d: %w", c, loo.err)
		}
		floats.Scale(unit, loo.alpha)
		m.Gamma, m.Coef, m.Bias = append(m.Gamma, loo.gamma...), append(m.Coef, loo.alpha...), append(m.Bias, mean)
	}
	return m, nil
}

// coefficientOf returns for each feature the number of its kernel coefficient.
func coefficientOf(s registry.Shape) []int {
	var of []int
	for g, size := range s.Groups() {
		of = append(of, slices.Repeat([]int{g}, size)...)
	}
	return of
}
