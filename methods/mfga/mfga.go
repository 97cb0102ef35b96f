package mfga

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/registry"
)

// Params holds the parameters of MFGA.
type Params struct {
	Features int     `json:"features" range:"[1,)" means:"columns of the model (M in the paper), or all candidates if these are fewer"`
	Step     int     `json:"step" range:"[0,)" means:"columns that a step adds; 0 is a tenth of M"`
	Lambda   float64 `json:"lambda" range:"(0,)" means:"penalty of the squared coefficients"`
	Pool     string  `json:"pool" range:"merged+linear|merged|cross+linear" means:"what columns are chosen from: Taylor features with each pair once, and the inputs; without the inputs; or with pairs of different inputs only, and the inputs"`
	Order    int     `json:"order" range:"0|1|2" means:"largest degree of a Taylor feature; 0 is 1 for classes and 2 for regression"`
	Function
}

// Function holds the parameters that all methods of this family have.
type Function struct {
	Intercept bool    `json:"intercept" means:"whether the function has an intercept, which is not penalised"`
	Neighbour int     `json:"neighbour" range:"[1,)" means:"the width is the mean distance to this nearest neighbour"`
	Sigma     float64 `json:"sigma" range:"[0,)" means:"width of the kernel exp(-|x-x'|^2 / (2 sigma^2)); 0 is by neighbour"`
}

// Defaults of the family: the paper's values for its classification sets.
const (
	defaultFeatures   = 100
	defaultCandidates = 2000
	defaultLambda     = 1e-3
)

var defaultFunction = Function{Intercept: true, Neighbour: 50}

const source = "Shahrampour and Tarokh, NeurIPS 2018"

// MFGA declares the greedy method with the paper's penalties.
func MFGA() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "MFGA", Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth: registry.Growth{Rows: 1, Features: 0.6, Outputs: 0.9, Points: 0.4, By: registry.By{"features": 0.2}},
		Source: source + ", Algorithm 1", Summary: "linear model on greedily chosen Taylor features of kernels",
		Load: load,
	}, Params{Features: defaultFeatures, Lambda: defaultLambda, Pool: mergedLinear, Function: defaultFunction},
		lambdas(),
		fitting.WarnPath("MFGA", fitting.Far, fitPath), registry.Memory(memory))
}

// lambdas is the grid of the paper.
func lambdas() registry.Grid {
	return registry.Grid{{Name: "lambda", Values: registry.Powers(10, -5, 5)}}
}

// kernelOf are the parameters on which the candidates depend.
type kernelOf struct {
	Pool      string
	Order     int
	Neighbour int
	Width     float64
}

func (p Params) kernel(task registry.Task) kernelOf {
	k := kernelOf{Pool: p.Pool, Order: p.Order, Width: p.Sigma}
	if p.Sigma == 0 {
		k.Neighbour = p.Neighbour
	}
	if k.Order == 0 {
		k.Order = 1
		if task == registry.Regression {
			k.Order = 2
		}
	}
	return k
}

// size returns how many columns a fit of d features ends with, and how many a step adds.
func (p Params) size(task registry.Task, d int) (features, step int) {
	features = min(p.Features, p.kernel(task).count(d))
	if step = p.Step; step == 0 {
		step = (features + 9) / 10
	}
	return features, step
}

// fitPath fits the grid points. Grid points of one kernel share the width and the Gaussian factors. Grid points that
// differ in the penalty alone also share the first step, and the active columns as far as they agree.
func fitPath(ctx context.Context, env registry.Env, train registry.Data, ps []Params,
	yield func(i int, m registry.Model) error) error {
	_, d := train.X.Dims()
	for _, alike := range fitting.Groups(fitting.Upto(len(ps)),
		func(i int) kernelOf { return ps[i].kernel(train.Task) }) {
		kernel := ps[alike[0]].kernel(train.Task)
		if err := kernel.measure(ctx, env, fitting.Rows(train.X), d); err != nil {
			return err
		}
		t, err := newTaylor(ctx, kernel, fitting.Rows(train.X), d)
		if err != nil {
			return err
		}
		unpenalised := func(i int) Params {
			p := ps[i]
			p.Lambda = 0
			return p
		}
		for _, group := range fitting.Groups(alike, unpenalised) {
			p := ps[group[0]]
			features, step := p.size(train.Task, d)
			err := fitOutputs(ctx, env, "MFGA", train, group, func(y []float64) fitOne {
				g := &greedy{taylor: t, active: newActive(train.Task, t, y, d, features, p.Intercept),
					features: features, step: step}
				return func(i int) (output, error) { return g.fit(ctx, ps[i].Lambda) }
			}, true, yield)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// measure sets the width from the distances to neighbours, unless the grid point gives a width.
func (k *kernelOf) measure(ctx context.Context, env registry.Env, x []float64, d int) (err error) {
	if k.Width == 0 {
		k.Width, err = rff.SharedWidth(ctx, env, x, d, k.Neighbour)
	}
	return err
}

// A greedy is Algorithm 1 of the paper for one target.
type greedy struct {
	*taylor
	active         *active
	features, step int
	first          []int     // the columns of the first step, which do not depend on the penalty
	gradient       []float64 // of the risk, in all candidates
}

// fit adds, step by step, the columns along which the risk falls fastest. After each step it solves on all active
// columns.
func (g *greedy) fit(ctx context.Context, lambda float64) (output, error) {
	a := g.active
	if err := a.start(); err != nil {
		return output{}, err
	}
	for a.size() < g.features {
		next, err := g.next(ctx, min(g.step, g.features-a.size()))
		if err != nil {
			return output{}, err
		}
		if err := a.add(ctx, next); err != nil {
			return output{}, err
		}
		if err := a.solve(ctx, lambda); err != nil {
			return output{}, err
		}
	}
	out := a.record
	out.Taylor = g.taylor.expansion(a.columns[:a.size()])
	return out, nil
}

// next returns the inactive columns with the largest derivative, largest first.
func (g *greedy) next(ctx context.Context, m int) ([]int, error) {
	if g.active.size() == 0 && g.first != nil {
		return g.first, nil
	}
	if g.gradient == nil {
		g.gradient = make([]float64, g.count(g.d))
	}
	if err := g.derivatives(ctx, g.gradient, g.active.solver.slope()); err != nil {
		return nil, err
	}
	for _, j := range g.active.columns[:g.active.size()] {
		g.gradient[j] = 0
	}
	next := largest(g.gradient, g.active.columns[:g.active.size()], m)
	if g.active.size() == 0 {
		g.first = next
	}
	return next, nil
}

// A fitOne fits grid point i to one target.
type fitOne func(i int) (output, error)

// fitOutputs fits the grid points to one target after the other, so that each target's grid points share their work,
// and yields the models.
func fitOutputs(ctx context.Context, env registry.Env, name string, train registry.Data, points []int,
	fitter func(y []float64) fitOne, staged bool, yield func(int, registry.Model) error) error {
	_, d := train.X.Dims()
	models := make([]*model, len(points))
	for at := range models {
		models[at] = &model{D: d, Staged: staged}
	}
	for c, y := range fitting.OneAgainstRest(train) {
		fit := fitter(y)
		for at, i := range points {
			if err := ctx.Err(); err != nil {
				return err
			}
			out, err := fit(i)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && train.Task == registry.Multiclass:
				return fmt.Errorf("%s: class %d against the rest: %w", name, c, err)
			case err != nil:
				return fmt.Errorf("%s: %w", name, err)
			}
			if out.open > 0 {
				env.Log.Warn(name+" ended before its minimum", "lambda", out.lambda, "relative change of the last step",
					fmt.Sprintf("%.1g", out.open))
			}
			models[at].Outputs = append(models[at].Outputs, out)
		}
	}
	for at, i := range points {
		if err := yield(i, models[at].wrapped()); err != nil {
			return err
		}
	}
	return nil
}
