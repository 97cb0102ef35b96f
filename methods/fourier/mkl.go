package fourier

import (
	"cmp"
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
)

// GroupParams holds RFF-SQL-MKL's parameters.
type GroupParams struct {
	Embedded
	Lambda float64 `json:"lambda" range:"(0,1]" means:"penalty of the norms of the channels' weights, as a fraction of the least one that makes all of them zero"`
}

// TubeParams holds RFF-MKL's parameters.
type TubeParams struct {
	Embedded
	Epsilon   float64 `json:"epsilon" range:"[0,)" means:"half-width of the tube in which the loss is nearly none; for regression in standard deviations of the target"`
	Sharpness float64 `json:"sharpness" range:"(0,)" means:"sharpness of the tube's edges"`
	Lambda    float64 `json:"lambda" range:"(0,1]" means:"penalty of the norms of the channels' weights, as a fraction of the least one that makes all of them zero"`
}

// Validate refuses a draw that the kernel does not have, and a tube whose hyperbolic cosine overflows.
func (p TubeParams) Validate() error {
	return cmp.Or(p.Embedded.Validate(), checkTube(p.Epsilon, p.Sharpness))
}

func checkTube(epsilon, sharpness float64) error {
	if !(epsilon*sharpness <= 700) {
		return fmt.Errorf("epsilon = %v times sharpness = %v is more than 700, where exponentials overflow: lower "+
			"sharpness", epsilon, sharpness)
	}
	return nil
}

// A grouped is a grid point of a method with an l2,1 penalty, in the form that all these methods share.
type grouped struct {
	design
	tube           bool
	epsilon, gamma float64
	lambda         float64 // a fraction of lambdaMax
	rho            float64
	steps          int // the most steps of L-BFGS on sigma; 0 if sigma is not learned
}

func (g grouped) loss() loss {
	if g.tube {
		return newIGLL(g.epsilon, g.gamma)
	}
	return square{factor: 1}
}

// shared is g without the parameters that vary along a path.
func (g grouped) shared() grouped {
	g.lambda, g.rho, g.steps = 0, 0, 0
	return g
}

var groupGrid = registry.Axis{Name: "lambda", Values: registry.Values(0.01, 0.02, 0.05, 0.1, 0.2, 0.5)}

// SQLMKL declares the group lasso over channels with the square loss.
func SQLMKL() registry.Spec {
	return defineGroup(registry.Spec{Name: "RFF-SQL-MKL",
		Growth:  registry.Growth{Rows: 0.5, Features: 0.9, Outputs: 0.8, Points: 0.6, By: registry.By{"features": 1.7}},
		Version: "5", Tasks: tasks,
		Source:  source + "section 3.4 with the square loss",
		Summary: "group lasso over channels of random Fourier features, square loss"},
		GroupParams{Embedded: defaultEmbedded(100), Lambda: 0.02}, registry.Grid{groupGrid},
		func(p GroupParams) grouped {
			return grouped{design: p.design(false, "RFF-SQL-MKL"), lambda: p.Lambda}
		})
}

// MKL declares RFF-MKL, eq. (19): the group lasso over channels with the epsilon-insensitive gamma-logistic loss.
func MKL() registry.Spec {
	return defineGroup(registry.Spec{Name: "RFF-MKL",
		Growth: registry.Growth{Rows: 0.9, Features: 0.85, Outputs: 0.95, Points: 0.8,
			By: registry.By{"features": 1.4}},
		Version: "5", Tasks: tasks,
		Source:  source + "section 3.4, eq. (19)",
		Summary: "group lasso over channels of random Fourier features, smooth epsilon-insensitive loss"},
		TubeParams{Embedded: defaultEmbedded(100), Epsilon: 0.1, Sharpness: 10, Lambda: 0.05}, registry.Grid{groupGrid},
		func(p TubeParams) grouped {
			return grouped{design: p.design(false, "RFF-MKL"), tube: true, epsilon: p.Epsilon,
				gamma: p.Sharpness, lambda: p.Lambda}
		})
}

// defineGroup declares a method with an l2,1 penalty. All penalties of a path are solved at once, on one Psi. Grid
// points that learn sigma share the draws, and each starts from the solution at the first sigma.
func defineGroup[P any](s registry.Spec, defaults P, grid registry.Grid, form func(P) grouped) registry.Spec {
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []P,
		yield func(i int, m registry.Model) error) error {
		points := make([]grouped, len(ps))
		for i, p := range ps {
			points[i] = form(p)
		}
		for _, which := range fitting.Groups(fitting.Upto(len(ps)),
			func(i int) grouped { return points[i].shared() }) {
			shared := points[which[0]]
			of, err := shared.newStart(env, train)
			if err != nil {
				return err
			}
			l, err := newLasso(ctx, of.problem, of.sigma, shared.loss())
			if err != nil {
				return err
			}
			fractions := make([]float64, len(which))
			for k, i := range which {
				fractions[k] = points[i].lambda
			}
			ws, opens, err := l.path(ctx, fractions)
			columns, top := l.columns, l.lambdaMax()
			for k, i := range which {
				sigma, w, open := of.sigma, ws[k], opens[k]
				if err == nil && points[i].steps > 0 {
					j := jointly{problem: of.problem, loss: shared.loss(), lambda: points[i].lambda * top,
						rho: points[i].rho, columns: columns, w: w, gap: jointGap}
					sigma, w, err = j.learn(ctx, of.sigma, points[i].steps)
					columns, open = j.columns, j.openGap
				}
				if err != nil {
					return named(s.Name, err)
				}
				if open > 0 {
					env.Log.Warn("the group lasso stopped before its optimum; the gap bounds how far its value is "+
						"above the least, as a part of the value",
						"method", s.Name, "lambda", points[i].lambda, "gap", open, "steps", lassoLimit)
				}
				if err := yield(i, of.trained(sigma, w)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	s.Load, s.Blocks = load, true
	return registry.DefinePath(s, defaults, grid, path, registry.Memory(func(sh registry.Shape,
		p P) int64 {
		return form(p).memory(sh)
	}))
}
