package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
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
		Name: "KRR-GD", Version: "3", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Source:  "Chapelle, Vapnik, Bousquet and Mukherjee, Machine Learning 2002, as compared with by Bazavan et al., ECCV 2012",
		Summary: "kernel ridge regression with bandwidths by gradient descent",
	}, KRRGDParams{Lambda: 1e-3, Iter: 20}, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -5, 0)},
	}, fitKRRGD, registry.Memory(memoryKRRGD), registry.Cost(costKRRGD), registry.Load[KRRGDParams](load), registry.Blocks[KRRGDParams]())
}

// memoryKRRGD counts, to checkedRows rows, four n x n matrices and as much as one for garbage, what factorising and inverting take, the partial factor above
// exactRows, and the model; beyond, the larger of what the search for bandwidths takes, with a factor of twice the rank, and what the regression takes.
func memoryKRRGD(s registry.Shape, p KRRGDParams) int64 {
	n := int64(s.N)
	total := 8 * n * int64((3+s.Outputs())*s.D+2*s.Outputs()+10)
	r := int64(mostLOORank(s.N))
	if s.N > checkedRows {
		r *= 2
	}
	search := cholesky.PartialBytes(s.N, int(r)) + 8*(3*r*n+5*r*r+20*n+rowsAtOnce*n)
	if s.N <= checkedRows {
		total += 40*n*n + cholesky.Bytes(s.N) + cholesky.InvertBytes(s.N)
		if s.N > exactRows {
			total += search
		}
		return total
	}
	rank := int64(ridgeRank(s.N, p.Lambda))
	regression := operatorBytes(s.N, s.D, 1) + cholesky.PartialBytes(s.N, mostRank(s.N)) + 8*(rank*n+2*rank*rank+20*n)
	return max(search, regression) + total
}

// ridgeRank is about the rank of the regression's preconditioner.
func ridgeRank(n int, lambda float64) float64 {
	return likelyRank(registry.Shape{N: n, Task: registry.Regression}, lambda)
}

// costKRRGD is a factorisation, an inverse and a product an evaluation, of which a step takes about 1.3, or 1.15 beyond exactRows; to checkedRows evaluations with the partial factor for most
// of these, where the penalty is large or the features are few; beyond, products of n x r matrices an evaluation, checks with twice the rank, and
// the products with the kernel of the regression.
func costKRRGD(s registry.Shape, p KRRGDParams) float64 {
	n, d, evaluations := float64(s.N), float64(s.D), 1+float64(1.15*float64(p.Iter))
	exact := n*n*n/14 + n*n*(0.2*d+20) + 1000
	if s.N <= exactRows {
		return float64(s.Outputs()) * (1 + float64(1.3*float64(p.Iter))) * exact
	}
	r := min(float64(mostLOORank(s.N)), max(leastLOORank, 350*math.Pow(n*p.Lambda, -0.1)))
	partial := 0.45*n*r*r + (30+0.1*d)*n*r
	if s.N <= checkedRows {
		rounds := math.Ceil(float64(p.Iter) / roundCounts)
		if d >= 8 && n*p.Lambda < 5 {
			return float64(s.Outputs()) * (evaluations*exact + 2*partial)
		}
		return float64(s.Outputs()) * ((1.5+rounds)*exact + 10*rounds*partial)
	}
	rank := ridgeRank(s.N, p.Lambda)
	element, rounds := 1.6+0.04*d, 6+rank/40
	products := element * rounds
	if s.N <= keptRows {
		products = element + 0.9*rounds
	}
	return float64(s.Outputs()) * ((10+evaluations)*partial + n*n/2*products + n*rank*(rank/12+2*rounds))
}

// fitKRRGD finds, for each output, the bandwidths, one a block of the data or a feature outside of blocks, with a small leave-one-out error, from 1/(2 d) of standardised features
// by at most Iter L-BFGS steps in their logarithms, and then solves ridge regression with them:
//
//	min over alpha  (1/n) |y - mean y - K alpha|^2 + lambda alpha'K alpha.
//
// Beyond exactRows rows most steps go down the error of a partial factor, checked by the exact one ([correctedSearch]), and beyond checkedRows all of them ([partialLOO]),
// where the regression is solved from products with the whole kernel ([solution]).
func fitKRRGD(ctx context.Context, env registry.Env, train registry.Data, p KRRGDParams) (registry.Model, error) {
	n, d := train.X.Dims()
	group := columns(train.Shape())
	if n < 2 {
		return nil, fmt.Errorf("KRR-GD: %d examples; leaving one out needs two", n)
	}
	m := &machine{N: n, D: d, Outputs: train.Shape().Outputs(), X: slices.Clone(frame.Rows(train.X))}
	search, err := newSearch(ctx, m.X, d, group, p.Lambda, func(rank int, off float64) {
		env.Log.Warn("the search for bandwidths is approximate: a factor of twice the rank gives another leave-one-out error",
			"method", "KRR-GD", "rows", n, "lambda", p.Lambda, "rank", rank, "error", fmt.Sprintf("%.1g", off))
	})
	if err != nil {
		return nil, err
	}
	theta := make([]float64, slices.Max(group)+1)
	for c, y := range frame.OneAgainstRest(train) {
		mean := vmath.Sum(y) / float64(n)
		y = slices.Clone(y)
		floats.AddConst(-mean, y)
		for g := range theta {
			theta[g] = -vmath.LogScalar(2 * float64(d))
		}
		gamma, alpha, err := search.find(theta, y, p.Iter)
		if err != nil {
			return nil, fmt.Errorf("KRR-GD, output %d: %w", c, err)
		}
		m.Gamma = append(m.Gamma, gamma...)
		m.Coef = append(m.Coef, alpha...)
		m.Bias = append(m.Bias, mean)
	}
	return m, nil
}
