package kernel

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// Nystroem declares NYSTROEM: a linear model on the Nystroem features of m rows z_j, the landmarks. The features are
// phi(x) = L^-1 (k(x, z_1), .., k(x, z_m)), with the Cholesky factor L L' = K_mm + jitter m I, so that phi(x).phi(x')
// approximates k(x, x'). For each output the method solves
//
//	min over w, b  (1/n) sum_i L(y_i, phi(x_i).w + b) + lambda |w|^2,   L(y, f) = (y - f)^2 or log(1 + exp(-y f)),
//
// which is the problem of GK for functions of the landmarks alone. Regression is solved by its normal equations; for
// classes it is logistic regression, one against the rest, with the stopping rule of solve.Logistic.
func Nystroem() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "NYSTROEM", Version: "3", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth:  registry.Growth{Rows: 1.2, Outputs: 1, Points: 0.95, By: registry.By{"landmarks": 1.4}},
		Source:  "Williams and Seeger, NeurIPS 2000",
		Summary: "linear model on the Nystroem features of a Gaussian kernel",
		Load:    fitting.NearLoad(load),
	}, NystroemParams{Landmarks: 300, Lambda: 1e-4, Gamma: 0.1}, registry.Grid{
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
		{Name: "lambda", Values: []any{1e-6, 1e-5, 1e-4, 1e-3, 1e-2}},
	}, fitting.NearPath(pathNystroem), registry.Memory(memoryNystroem))
}

// NystroemParams holds the parameters of NYSTROEM.
type NystroemParams struct {
	Landmarks int     `json:"landmarks" range:"[1,)" means:"rows whose kernel functions make the features; at most all rows"`
	Lambda    float64 `json:"lambda" range:"(0,)" means:"penalty of the squared weights"`
	Gamma     float64 `json:"gamma" range:"(0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2)"`
}

// memoryNystroem counts the cover without K_nm, the features, the logistic problem or the normal equations, and the
// model.
func memoryNystroem(s registry.Shape, p NystroemParams) int64 {
	n, m := int64(s.N), int64(min(p.Landmarks, s.N))
	return coverBytes(min(s.N, rowsAtOnce), int(m), s.D) + 8*(n*m+n*int64(s.D+s.Outputs()+7)+2*m*m+(12+rowsAtOnce)*m)
}

func pathNystroem(ctx context.Context, env registry.Env, train registry.Data, ps []NystroemParams,
	yield func(int, registry.Model) error) error {
	type shared struct {
		landmarks int
		gamma     float64
	}
	x, d := fitting.Rows(train.X), train.Shape().D
	// of all kernel coefficients in turn, n x m, or m x n for regression
	var phi []float64
	for _, group := range fitting.Groups(fitting.Upto(len(ps)),
		func(i int) shared { return shared{ps[i].Landmarks, ps[i].Gamma} }) {
		p := ps[group[0]]
		c, err := newCover(ctx, x, drawLandmarks(env, x, d, p.Landmarks), d, p.Gamma)
		if err != nil {
			return fmt.Errorf("NYSTROEM with gamma=%v: %w", p.Gamma, err)
		}
		c.keep = false
		if phi = phi[:min(len(phi), c.n*c.m)]; len(phi) < c.n*c.m {
			phi = make([]float64, c.n*c.m)
		}
		if err := c.features(ctx, phi, train.Task == registry.Regression); err != nil {
			return err
		}
		fit := logistic(env, phi, c.n, c.m)
		if train.Task == registry.Regression {
			if fit, err = ridge(ctx, phi, c.n, c.m); err != nil {
				return err
			}
		}
		for _, i := range group {
			m := c.machineOf(train.Shape().Outputs())
			for _, y := range fitting.OneAgainstRest(train) {
				w, b, err := fit(ctx, y, ps[i].Lambda)
				if err != nil {
					return fmt.Errorf("NYSTROEM with lambda=%v: %w", ps[i].Lambda, err)
				}
				if err := c.solver.Backward(ctx, c.factor, w); err != nil {
					return err
				}
				m.Coef, m.Bias = append(m.Coef, w...), append(m.Bias, b)
			}
			if err := yield(i, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// features sets phi to the features of all rows: n x m, or m x n if turned.
func (c *cover) features(ctx context.Context, phi []float64, turned bool) error {
	turn, part := make([]float64, c.m*c.m), make([]float64, rowsAtOnce*c.m) // L^-T: row i solves L x = e_i
	for i := range c.m {
		turn[i*c.m+i] = 1
	}
	if err := c.solver.ForwardRows(ctx, c.factor, turn, c.m); err != nil {
		return err
	}
	return c.each(ctx, func(lo, hi int, k []float64) error {
		rows := phi[lo*c.m : hi*c.m]
		if turned {
			rows = part[:(hi-lo)*c.m]
		}
		if vmath.MatMul(rows, k, hi-lo, c.m, turn, c.m); turned {
			vmath.Transpose(phi[lo:], c.n, rows, c.m, hi-lo, c.m)
		}
		return nil
	})
}

// A linearFit returns the weights and the intercept of a linear model of y.
type linearFit func(ctx context.Context, y []float64, lambda float64) (w []float64, b float64, err error)

// logistic is the logistic regression of labels on the features phi (n x m).
func logistic(env registry.Env, phi []float64, n, m int) linearFit {
	problem := solve.Logistic{X: phi, N: n, D: m, K: 1}
	return func(ctx context.Context, y []float64, lambda float64) ([]float64, float64, error) {
		theta := make([]float64, m+1)
		problem.Y, problem.Lambda = y, lambda
		largest, err := problem.Solve(ctx, theta)
		if largest > solve.Open {
			env.Log.Warn("NYSTROEM ended before its minimum", "lambda", lambda, "largest component of the gradient",
				fmt.Sprintf("%.1g", largest))
		}
		return theta[:m], theta[m], err
	}
}

// ridge is the ridge regression of targets y on the features phi (m x n).
func ridge(ctx context.Context, phi []float64, n, m int) (linearFit, error) {
	var r solve.Ridge
	err := r.Set(ctx, phi, m, n, true)
	return func(ctx context.Context, y []float64, lambda float64) ([]float64, float64, error) {
		w, b, _, err := r.Solve(ctx, y, 1, lambda)
		if err != nil {
			return nil, 0, err
		}
		return w, b[0], nil
	}, err
}
