package fourier

import (
	"cmp"
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// JointParams holds RFF-SQL-MKL-JOINT's parameters.
type JointParams struct {
	Embedded
	MaxIter int     `json:"max_iter" range:"[1,)" means:"L-BFGS steps on the inverse widths at most"`
	Lambda  float64 `json:"lambda" range:"(0,1]" means:"penalty of the norms of the channels' weights, as a fraction of the least one that makes all of them zero where learning starts"`
	Rho     float64 `json:"rho" range:"[0,)" means:"penalty of the squared inverse widths"`
}

// JointTubeParams holds RFF-MKL-JOINT's parameters.
type JointTubeParams struct {
	Embedded
	MaxIter   int     `json:"max_iter" range:"[1,)" means:"L-BFGS steps on the inverse widths at most"`
	Epsilon   float64 `json:"epsilon" range:"[0,)" means:"half-width of the tube in which the loss is nearly none; for regression in standard deviations of the target"`
	Sharpness float64 `json:"sharpness" range:"(0,)" means:"sharpness of the tube's edges"`
	Lambda    float64 `json:"lambda" range:"(0,1]" means:"penalty of the norms of the channels' weights, as a fraction of the least one that makes all of them zero where learning starts"`
	Rho       float64 `json:"rho" range:"[0,)" means:"penalty of the squared inverse widths"`
}

// Validate refuses a draw that the kernel does not have, and a tube whose hyperbolic cosine overflows.
func (p JointTubeParams) Validate() error {
	return cmp.Or(p.Embedded.Validate(), checkTube(p.Epsilon, p.Sharpness))
}

var jointGrid = registry.Grid{{Name: "lambda", Values: registry.Values(0.03, 0.1, 0.3)},
	{Name: "rho", Values: registry.Values(0.0, 1.0)}}

// SQLMKLJoint declares RFF-SQL-MKL with sigma learned too.
func SQLMKLJoint() registry.Spec {
	return defineGroup(registry.Spec{Name: "RFF-SQL-MKL-JOINT",
		Growth: registry.Growth{Rows: 0.65, Features: 0.8, Outputs: 0.7, Points: 1,
			By: registry.By{"features": 0.4, "max_iter": 0.9}},
		Version: "5", Tasks: tasks,
		Source:  source + "section 4, the joint model with the square loss",
		Summary: "group lasso over channels of random Fourier features whose kernels are learned with it, square loss"},
		JointParams{Embedded: defaultEmbedded(20), MaxIter: 15, Lambda: 0.05, Rho: 1}, jointGrid,
		func(p JointParams) grouped {
			return grouped{design: p.design(false, "RFF-SQL-MKL-JOINT"), lambda: p.Lambda, rho: p.Rho,
				steps: p.MaxIter}
		})
}

// MKLJoint declares RFF-MKL with sigma learned too.
func MKLJoint() registry.Spec {
	return defineGroup(registry.Spec{Name: "RFF-MKL-JOINT",
		Growth: registry.Growth{Rows: 0.8, Features: 0.75, Outputs: 0.95, Points: 1,
			By: registry.By{"features": 0.3, "max_iter": 0.9}},
		Version: "5", Tasks: tasks,
		Source: source + "eqs. (5) and (19)",
		Summary: "group lasso over channels of random Fourier features whose kernels are learned with it, smooth " +
			"epsilon-insensitive loss"},
		JointTubeParams{Embedded: defaultEmbedded(20), MaxIter: 15, Epsilon: 0.1, Sharpness: 10, Lambda: 0.05, Rho: 1},
		jointGrid,
		func(p JointTubeParams) grouped {
			return grouped{design: p.design(false, "RFF-MKL-JOINT"), tube: true, epsilon: p.Epsilon,
				gamma: p.Sharpness, lambda: p.Lambda, rho: p.Rho, steps: p.MaxIter}
		})
}

// jointly minimises over sigma, by L-BFGS,
//
//	F(sigma) = min over w  sum_c loss(Psi_sigma w_c, y_c) + lambda sum_cj |w_cj|  + rho |sigma|^2.
//
// The minimum over w is a group lasso, which is solved to a relative duality gap, from the weights of the last
// evaluation. The gradient of F is the partial derivative in sigma at this minimum (the envelope theorem).
//
// Stopping rule: the rule of solve.LBFGS, or the number of steps.
type jointly struct {
	*problem
	loss         loss
	lambda, rho  float64
	columns      *columns  // of the last solution
	w            []float64 // weights of the last solution, for the columns of Psi
	direct       []bool    // whether the last solution of each output needed direct solutions
	gap, openGap float64   // the relative gap that is asked for; the gap of the last solution if that is larger, else 0
}

// jointGap is the relative duality gap of the minimum over w. It is less than lassoGap, since the error of the gradient
// in sigma is about the square root of the gap.
const jointGap = 1e-7

// value returns F, and writes its gradient to gs.
func (j *jointly) value(ctx context.Context, sigma, gs []float64) (float64, error) {
	l, err := nextLasso(ctx, j.problem, sigma, j.loss, j.columns)
	if err != nil {
		return 0, err
	}
	j.columns = l.columns
	ps := l.newPoints(j.w, j.lambda)
	for c, p := range ps {
		p.direct = j.direct != nil && j.direct[c]
	}
	// else lambdaMax at the start is zero: the targets are orthogonal to every feature, and w stays zero
	if j.lambda > 0 {
		if err := l.solve(ctx, ps, j.gap); err != nil {
			return 0, err
		}
		j.w, j.openGap = l.weights(ps)
	}
	j.direct = make([]bool, len(ps))
	value := float64(j.rho * vmath.Dot(sigma, sigma))
	for c, p := range ps {
		j.direct[c] = p.direct
		value += p.fitLoss + float64(j.lambda*vmath.Sum(l.norms(p.w)))
	}
	for i, s := range sigma {
		gs[i] = 2 * j.rho * s
	}
	return value, j.addSlopes(ctx, ps, sigma, gs)
}

// addSlopes adds to gs the gradient in sigma of the loss at the points. Channels without weights have none.
func (j *jointly) addSlopes(ctx context.Context, ps []*point, sigma, gs []float64) error {
	v := make([][]float64, len(ps))
	for c, p := range ps {
		v[c] = make([]float64, j.n)
		j.loss.derivative(v[c], p.fit, p.y)
	}
	for part, q := range j.parts {
		if !slices.ContainsFunc(ps, func(p *point) bool { return p.active[part] }) {
			continue
		}
		ch := j.channel(part)
		w, sums := make([]float64, len(ps)*ch.width), make([]float64, len(ps)*ch.n)
		for c := range ps {
			copy(w[c*ch.width:], j.w[c*j.width+q.at:][:ch.width])
			ch.collect(sums[c*ch.n:(c+1)*ch.n], v[c])
		}
		turned, block := vmath.Transposed(w, len(ps), ch.width), ch.newWork(ch.n, true)
		high := block.rows()
		own, m, scratch := make([]float64, len(ps)*high), make([]float64, ch.width*high),
			make([]float64, ch.inputs*high)
		err := fitting.Blocks(ctx, ch.n, rowsAtOnce, func(lo, hi int) {
			h := hi - lo
			block.embed(ch.values[lo*ch.inputs:hi*ch.inputs], sigma)
			for c := range ps {
				copy(own[c*h:(c+1)*h], sums[c*ch.n+lo:c*ch.n+hi])
			}
			vmath.MatMul(m[:ch.width*h], turned, ch.width, len(ps), own[:len(ps)*h], h)
			block.addSlopes(gs, m[:ch.width*h], scratch)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// learn returns sigma and weights after at most steps steps from start.
func (j *jointly) learn(ctx context.Context, start []float64, steps int) (sigma, w []float64, err error) {
	sigma, _, err = descend(start, steps, func(sigma, gs []float64) (float64, error) { return j.value(ctx, sigma, gs) })
	return sigma, j.w, err
}
