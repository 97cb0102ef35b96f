package kernel

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/cholesky"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/methods/internal/neighbour"
	"github.com/kernelboosting/bench/registry"
)

// Params holds the parameters of GK and GLK.
type Params struct {
	Lambda    float64 `json:"lambda" range:"(0,)" means:"penalty"`
	Neighbour int     `json:"neighbour" range:"[1,)" means:"the width is the mean distance to this nearest neighbour"`
	Width     float64 `json:"width" range:"[0,)" means:"width of the kernel exp(-|x-x'|^2 / 2 width^2); 0 is by neighbour"`
	Intercept bool    `json:"intercept" means:"whether an intercept is fitted, without penalty"`
}

// GK declares the exact Gaussian kernel: logistic regression for classes (one against the rest), ridge regression.
func GK() registry.Spec { return define("GK", "kernel machine with the exact Gaussian kernel", false) }

// GLK declares the sum of the Gaussian and the linear kernel, with GK's losses.
func GLK() registry.Spec {
	return define("GLK", "kernel machine with the exact Gaussian plus linear kernel", true)
}

func define(name, summary string, linear bool) registry.Spec {
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []Params, yield func(int, registry.Model) error) error {
		if err := fitAll(ctx, train, linear, ps, yield); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	cost := func(s registry.Shape, ps []Params) float64 { return pathCost(s, ps, linear) }
	return registry.Define(registry.Spec{
		Name: name, Version: "4", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Source: "Shahrampour and Tarokh, NeurIPS 2018, section 5", Summary: summary,
	}, Params{Lambda: 1e-3, Neighbour: 50, Intercept: true}, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -5, 5)},
	}, frame.Path[Params](path).One, registry.Path(path), registry.Memory(memory), registry.Cost(frame.OneCost(cost)), registry.PathCost(cost), registry.Load[Params](load))
}

// memory counts, to exactRows rows, the kernel matrix, the one that is factored, a quarter of them for garbage, strips, the vectors of
// Newton's method, and the model; beyond, what solveProducts takes.
func memory(s registry.Shape, p Params) int64 {
	n := int64(s.N)
	if s.N <= exactRows {
		return 20*n*n + cholesky.Bytes(s.N) + 8*n*int64(3*s.D+2*s.Outputs()+30) + 8*rowsAtOnce*n
	}
	rank := int64(likelyRank(s, p.Lambda))
	vectors := max(solutionsAtOnce, s.Outputs())
	return operatorBytes(s.N, s.D, vectors) + cholesky.PartialBytes(s.N, mostRank(s.N)) + 8*rank*n + 16*rank*rank*int64(s.Outputs()) +
		8*n*int64(18*vectors+2*s.D+2*s.Outputs())
}

// likelyRank is about the rank at which enoughRank is satisfied; it depends on the data.
func likelyRank(s registry.Shape, lambda float64) float64 {
	c := 2 * float64(s.N) * lambda
	if s.Task == registry.Regression {
		c /= 8
	}
	return min(float64(mostRank(s.N)), max(100, 300*math.Pow(c, -0.4)))
}

// pathCost is the distances to the neighbours and the kernel matrix, and for each penalty a factorisation, or some eight for the Newton steps
// of the logistic loss. Beyond exactRows it is the partial factor, the steps on it, and the products with the kernel.
func pathCost(s registry.Shape, ps []Params, linear bool) float64 {
	n := float64(s.N)
	factors, d := 1.0, float64(s.D)
	if s.Task != registry.Regression {
		factors = 8 * float64(s.Outputs())
	}
	if s.N <= exactRows {
		return n*n*(0.1*d+40) + float64(len(ps))*factors*(n*n*n/66+800*n)
	}
	most, total := 0.0, n*n*(0.1*d+4)
	for _, p := range ps {
		rank := likelyRank(s, p.Lambda)
		most = max(most, rank)
		total += factors * (n*rank*rank/40 + 3*n*rank + 250*n)
	}
	rounds := 10 + most/40
	total += n*most*most/48 + n*most*(2+0.05*d) + float64(s.Outputs())*rounds*float64(len(ps))*0.03*n*n
	if element := 1.6 + 0.04*d; s.N <= keptRows {
		total += n * n / 2 * (element + 0.7*rounds)
	} else {
		total += n * n / 2 * element * rounds
	}
	if linear {
		total *= linearCost
	}
	return total
}

// linearCost is how much longer the sum of the kernels takes beyond exactRows: a second product for each element, and the rank that the linear kernel adds.
const linearCost = 1.5

// exactRows is the largest n that is solved through a factor of the whole kernel matrix.
const exactRows = 1000

// A kind is what the settings of one solve have in common beside the bandwidths: the linear kernel is added, there is an intercept.
type kind struct{ linear, intercept bool }

// fitAll fits the settings of one width together, which share the kernel, apart from those without an intercept.
func fitAll(ctx context.Context, train registry.Data, linear bool, ps []Params, yield func(int, registry.Model) error) error {
	x := slices.Clone(frame.Rows(train.X))
	_, d := train.X.Dims()
	known := map[int]float64{} // width by neighbour
	widths := make([]float64, len(ps))
	for i, p := range ps {
		widths[i] = p.Width
		if p.Width > 0 {
			continue
		}
		if known[p.Neighbour] == 0 {
			var err error
			if known[p.Neighbour], err = neighbour.Width(ctx, x, d, p.Neighbour); err != nil {
				return err
			}
		}
		widths[i] = known[p.Neighbour]
	}
	type machines struct {
		width     float64
		intercept bool
	}
	for _, group := range frame.Groups(frame.Upto(len(ps)), func(i int) machines { return machines{widths[i], ps[i].Intercept} }) {
		gamma, lambdas := make([]float64, d), make([]float64, len(group))
		for j := range gamma {
			gamma[j] = 1 / (2 * widths[group[0]] * widths[group[0]])
		}
		for j, i := range group {
			lambdas[j] = ps[i].Lambda
		}
		solve := solveExact
		if len(train.Y) > exactRows {
			solve = solveProducts
		}
		err := solve(ctx, x, gamma, kind{linear, ps[group[0]].Intercept}, train, lambdas, func(j int, m *machine) error { return yield(group[j], m) })
		if err != nil {
			return err
		}
	}
	return nil
}
