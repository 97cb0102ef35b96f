package kernel

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/registry"
)

// GK declares the exact Gaussian kernel k(x, x') = exp(-|x-x'|^2 / 2 width^2), with logistic regression for classes
// (one against the rest) and ridge regression. For each output it solves
//
//	min over f in H, b  (1/n) sum_i L(y_i, f(x_i) + b) + lambda |f|^2,   L(y, f) = log(1 + exp(-y f)) or (y - f)^2,
//
// with f = sum_i alpha_i k(., x_i), as a [problem]. The width is the mean distance of a row to its 50th nearest
// neighbour.
func GK() registry.Spec { return define("GK", "kernel machine with the exact Gaussian kernel", false) }

// GLK declares GK with the sum of the Gaussian and the linear kernel, k(x, x') + x.x'.
func GLK() registry.Spec {
	return define("GLK", "kernel machine with the exact Gaussian plus linear kernel", true)
}

// Params holds the parameters of GK and GLK.
type Params struct {
	Lambda    float64 `json:"lambda" range:"(0,)" means:"penalty of the squared norm of the function"`
	Neighbour int     `json:"neighbour" range:"[1,)" means:"the width is the mean distance to this nearest neighbour"`
	Sigma     float64 `json:"sigma" range:"[0,)" means:"width of the kernel exp(-|x-x'|^2 / (2 sigma^2)); 0 is by neighbour"`
	Intercept bool    `json:"intercept" means:"whether an intercept is fitted, without penalty"`
}

func define(name, summary string, linear bool) registry.Spec {
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []Params,
		yield func(int, registry.Model) error) error {
		g := &gk{name: name, linear: linear, env: env, train: train, x: slices.Clone(fitting.Rows(train.X))}
		if err := g.fitAll(ctx, ps, yield); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	near := fitting.NearPath(path)
	if linear { // whose kernel depends on the origin
		near = fitting.WarnPath(name, fitting.Far, path)
	}
	return registry.DefinePath(registry.Spec{
		Name: name, Version: "5", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth: registry.Growth{Rows: 1.65, Features: 0.15, Outputs: 0.95, Points: 0.55},
		Source: "Shahrampour and Tarokh, NeurIPS 2018, section 5", Summary: summary,
		Load: fitting.NearLoad(load),
	}, Params{Lambda: 1e-3, Neighbour: 50, Intercept: true}, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -5, 5)},
	}, near, registry.Memory(memory))
}

// memory counts the kernel matrix, the preconditioner, the problems that are solved together, and the model.
func memory(s registry.Shape, _ Params) int64 {
	n, r, problems := int64(s.N), int64(nystroemRank(s.N)), int64(max(problemsAtOnce, s.Outputs()))
	return operatorBytes(s.N, s.D, int(problems)) + 8*(2*r*n+r*r+n) + solve.FactorBytes(int(r)) +
		problems*8*(12*n+r*r) +
		8*n*int64(2*s.D+2*s.Outputs())
}

// A gk fits grid points of GK or GLK.
type gk struct {
	name   string
	linear bool
	env    registry.Env
	train  registry.Data
	x      []float64 // the training rows
}

// fitAll fits the grid points of one width together, since they share the kernel matrix.
func (g *gk) fitAll(ctx context.Context, ps []Params, yield func(int, registry.Model) error) error {
	known := map[int]float64{} // width by neighbour
	widths := make([]float64, len(ps))
	for i, p := range ps {
		if widths[i] = p.Sigma; p.Sigma > 0 {
			continue
		}
		if known[p.Neighbour] == 0 {
			var err error
			if known[p.Neighbour], err = rff.SharedWidth(ctx, g.env, g.x, g.train.Shape().D, p.Neighbour); err != nil {
				return err
			}
		}
		widths[i] = known[p.Neighbour]
	}
	for _, group := range fitting.Groups(fitting.Upto(len(ps)), func(i int) float64 { return widths[i] }) {
		if err := g.fitKernel(ctx, widths[group[0]], ps, group, yield); err != nil {
			return err
		}
	}
	return nil
}

// problemsAtOnce is how many problems share the products with the kernel matrix. More problems would take memory and
// save no time.
const problemsAtOnce = 24

// fitKernel fits the grid points of a group, whose kernel has one width.
func (g *gk) fitKernel(ctx context.Context, width float64, ps []Params, group []int,
	yield func(int, registry.Model) error) error {
	n, d := g.train.X.Dims()
	gamma := slices.Repeat([]float64{1 / (2 * width * width)}, d)
	k := newOperator(g.x, d, gamma, g.linear)
	pre, err := newPreconditioner(ctx, k)
	if err != nil {
		return err
	}
	ys := fitting.OneAgainstRest(g.train)
	for some := range slices.Chunk(group, max(1, problemsAtOnce/len(ys))) {
		var problems []*problem
		for _, i := range some {
			for _, y := range ys {
				p, err := problemOf(g.train.Task, y, ps[i], pre)
				if err != nil {
					return err
				}
				problems = append(problems, p)
			}
		}
		if err := minimize(ctx, k, problems); err != nil {
			return err
		}
		for _, p := range problems {
			if !p.converged {
				g.env.Log.Warn(g.name+" ended before its minimum", "lambda", p.params.Lambda, "relative gap",
					fmt.Sprintf("%.1g", p.gap))
			}
		}
		for at, own := range slices.Collect(slices.Chunk(problems, len(ys))) {
			m := &machine{N: n, D: d, Outputs: len(ys), Linear: g.linear, X: g.x, Gamma: gamma}
			for _, p := range own {
				m.Coef, m.Bias = append(m.Coef, p.alpha...), append(m.Bias, p.b)
			}
			if err := yield(some[at], m); err != nil {
				return err
			}
		}
	}
	return nil
}

// problemOf is the problem of a grid point for the targets or labels y.
func problemOf(task registry.Task, y []float64, params Params, pre *preconditioner) (*problem, error) {
	c := float64(len(y)) * params.Lambda
	if task == registry.Regression {
		return newProblem(squareLoss{y}, c, params, pre), nil
	}
	if slices.Min(y) == slices.Max(y) {
		return nil, fmt.Errorf("all labels are %v: logistic regression needs both classes", y[0])
	}
	return newProblem(logisticLoss{y}, 2*c, params, pre), nil
}
