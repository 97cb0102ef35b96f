package kernel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// Falkon declares FALKON: ridge regression on the kernel functions of m rows z_j, the landmarks. For each output,
// with labels +1 and -1 as targets, or with targets less their mean, it solves
//
//	min over alpha (m)  (1/n) |K_nm alpha - y|^2 + lambda alpha'K_mm alpha
//
// by a few steps of preconditioned conjugate gradients. So it takes n m time a step, and m^3 once for each lambda.
// The algorithm (the paper's Algorithm 1, for landmarks that are drawn uniformly), with the Cholesky factors T'T =
// K_mm + jitter m I and A'A = T T'/m + lambda I, and B = T^-1 A^-1:
//
//	1  b = B'K_nm'y / n
//	2  beta: W beta = b by conjugate gradients from 0, W = B'(K_nm'K_nm / n) B + lambda A^-T A^-1
//	3  alpha = B beta
//
// If K_mm^2 n/m were K_nm'K_nm, W would be the identity. The paper shows that log n steps are enough with about
// 1/lambda landmarks or more. With fewer landmarks, max_iter ends the search early.
//
// Stopping rule: |b - W beta| <= falkonTol |b|, or max_iter steps, which is the method's own early end: it is logged
// with the residual, and no error.
//
// With loss = logistic the method is logistic FALKON, for classes: see falkonlogistic.go.
func Falkon() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "FALKON", Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth: registry.Growth{Rows: 1.3, Features: 0.2, Outputs: 0.85, Points: 0.9,
			By: registry.By{"max_iter": 0.5}},
		Source:  "Rudi, Carratino and Rosasco, NeurIPS 2017; Marteau-Ferey, Bach and Rudi, NeurIPS 2019",
		Summary: "kernel ridge regression on landmarks, by preconditioned conjugate gradients",
		Load:    fitting.NearLoad(load),
	}, FalkonParams{Landmarks: 1000, Lambda: 1e-6, Gamma: 0.1, MaxIter: 20}, registry.Grid{
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
		{Name: "lambda", Values: []any{1e-8, 1e-6, 1e-4, 1e-2}},
	}, fitting.NearPath(pathFalkon), registry.Memory(memoryFalkon))
}

// FalkonParams holds the parameters of FALKON.
type FalkonParams struct {
	Landmarks int     `json:"landmarks" range:"[1,)" means:"rows whose kernel functions make the model; at most all rows"`
	Lambda    float64 `json:"lambda" range:"(0,)" means:"penalty of the squared norm of the function"`
	Gamma     float64 `json:"gamma" range:"(0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2)"`
	MaxIter   int     `json:"max_iter" range:"[1,)" means:"the most steps of conjugate gradients, with the logistic loss in each Newton step"`
	Loss      string  `json:"loss,omitempty" absent:"square" range:"square|logistic" means:"loss; the logistic one is for classes"`
}

// A falkonShared is what grid points have in common that are fitted together.
type falkonShared struct {
	landmarks int
	gamma     float64
	maxIter   int
	logistic  bool
}

func (p FalkonParams) shared() falkonShared {
	return falkonShared{p.Landmarks, p.Gamma, p.MaxIter, p.Loss == "logistic"}
}

// falkonTol is the relative residual at which the conjugate gradients end; the published program's is 1e-7, not
// relative.
const falkonTol = 1e-7

// falkonAtOnce is how many solutions share the products with K_nm.
const falkonAtOnce = 16

// memoryFalkon counts the cover, a factor A and the vectors of each solution, and the model.
func memoryFalkon(s registry.Shape, p FalkonParams) int64 {
	m, together := int64(min(p.Landmarks, s.N)), int64(max(falkonAtOnce, s.Outputs()))
	total := coverBytes(s.N, int(m), s.D) + 8*(together*(m*m+9*m+2*rowsAtOnce)+m*m+int64(s.N)*int64(s.Outputs()))
	if p.shared().logistic {
		total += 8 * together * (5*int64(s.N) + 5*m) // of the states
	}
	return total
}

func pathFalkon(ctx context.Context, env registry.Env, train registry.Data, ps []FalkonParams,
	yield func(int, registry.Model) error) error {
	x, d := fitting.Rows(train.X), train.Shape().D
	ys, mean := fitting.Targets(train)
	var strips []float64 // of all covers in turn: two at a time would be more than is declared
	for _, group := range fitting.Groups(fitting.Upto(len(ps)), func(i int) falkonShared { return ps[i].shared() }) {
		p := ps[group[0]]
		if p.shared().logistic && train.Task == registry.Regression {
			return errors.New("FALKON with loss=logistic is for classes: set loss=square for regression")
		}
		c, err := newCover(ctx, x, drawLandmarks(env, x, d, p.Landmarks), d, p.Gamma)
		if err != nil {
			return fmt.Errorf("FALKON with gamma=%v: %w", p.Gamma, err)
		}
		c.strips = strips
		for some := range slices.Chunk(group, max(1, falkonAtOnce/len(ys))) {
			var solutions []*solution
			for _, i := range some {
				for range ys {
					solutions = append(solutions, &solution{lambda: ps[i].Lambda})
				}
			}
			fit, enough, measure := c.falkon, falkonTol, "relative residual"
			if p.shared().logistic {
				fit, enough, measure = c.logisticFalkon, logisticOpen, "squared Newton decrement"
			}
			if err := fit(ctx, solutions, ys, p.MaxIter); err != nil {
				return fmt.Errorf("FALKON with lambda from %v: %w", ps[some[0]].Lambda, err)
			}
			for _, s := range solutions {
				if s.open > enough {
					env.Log.Warn("FALKON ended before its minimum", "lambda", s.lambda,
						measure, fmt.Sprintf("%.1g", s.open))
				}
			}
			for _, i := range some {
				m := c.machineOf(len(ys))
				for _, s := range solutions[:len(ys)] {
					m.Coef, m.Bias = append(m.Coef, s.X...), append(m.Bias, mean)
				}
				solutions = solutions[len(ys):]
				if err := yield(i, m); err != nil {
					return err
				}
			}
		}
		strips = c.strips
	}
	return nil
}

// A solution is the state of line 2 for one penalty and one output; vectors have m elements. X is beta, and in the end
// alpha.
type solution struct {
	solve.CG
	lambda  float64
	a       []float64 // A', lower triangle
	weights []float64 // of the rows; nil for 1
	v, tv   []float64 // A^-1 P; B P
	enough  float64   // the |R|^2 at which the solution ends
	most    int       // turns
	open    float64   // |R| / |b|, or with the logistic loss the squared Newton decrement of the last step
}

// Done implements solve.System.
func (s *solution) Done() bool { return s.RZ <= s.enough || s.Turn == s.most }

// falkonFactor returns A' for a penalty: the factor of T diag(w) T'/m + lambda I, for weights w of the landmarks, nil
// for 1.
func (c *cover) falkonFactor(ctx context.Context, lambda float64, weights []float64) ([]float64, error) {
	m := c.m
	upper := make([]float64, m*m) // T, whose rows are the columns of the factor
	for i := range m {
		root := 1.0
		if weights != nil {
			root = math.Sqrt(weights[i])
		}
		for j := range i + 1 {
			upper[j*m+i] = c.factor[i*m+j] * root
		}
	}
	a := make([]float64, m*m)
	if err := solve.Gram(ctx, a, upper, m, m); err != nil {
		return nil, err
	}
	for i := range a {
		a[i] /= float64(m)
	}
	for i := range m {
		a[i*m+i] += lambda
	}
	return a, c.solver.Factor(ctx, a)
}

// falkon is Algorithm 1 for several solutions, each with the next of the targets ys in turn. beta becomes alpha.
func (c *cover) falkon(ctx context.Context, all []*solution, ys [][]float64, maxIter int) error {
	rights := make([][]float64, len(ys)) // K_nm'y
	for j := range rights {
		rights[j] = make([]float64, c.m)
	}
	if err := c.project(ctx, rights, ys); err != nil {
		return err
	}
	for i, s := range all {
		if i > 0 && s.lambda == all[i-1].lambda {
			s.a = all[i-1].a
		} else {
			a, err := c.falkonFactor(ctx, s.lambda, nil)
			if err != nil {
				return err
			}
			s.a = a
		}
		s.reserve(c.m)
		if err := c.back(ctx, s, s.R, rights[i%len(ys)], nil); err != nil {
			return err
		}
	}
	if err := c.conjugate(ctx, all, falkonTol*falkonTol, maxIter); err != nil {
		return err
	}
	for _, s := range all {
		copy(s.X, s.tv)
		if s.RZ > s.enough {
			s.open = float64(falkonTol * math.Sqrt(s.RZ/s.enough))
		}
	}
	return nil
}

// reserve makes the vectors, of m elements.
func (s *solution) reserve(m int) {
	s.CG, s.v, s.tv = solve.NewCG(m), make([]float64, m), make([]float64, m)
}

// conjugate is line 2, for b in R, and sets tv to B beta. It ends when the squared residual is at most the given part
// of |b|^2, or after maxIter turns.
func (c *cover) conjugate(ctx context.Context, all []*solution, part float64, maxIter int) error {
	for _, s := range all {
		s.enough, s.most = float64(part*vmath.Dot(s.R, s.R)), maxIter
	}
	if err := solve.Conjugate(ctx, all, func(left []*solution) error { return c.apply(ctx, left) }); err != nil {
		return err
	}
	for _, s := range all {
		if err := c.forward(ctx, s, s.X); err != nil {
			return err
		}
	}
	return nil
}

// apply sets AP to W P.
func (c *cover) apply(ctx context.Context, solutions []*solution) error {
	dst, src, weights := make([][]float64, len(solutions)), make([][]float64, len(solutions)),
		make([][]float64, len(solutions))
	for i, s := range solutions {
		if err := c.forward(ctx, s, s.P); err != nil {
			return err
		}
		dst[i], src[i], weights[i] = s.AP, s.tv, s.weights
	}
	if err := c.normal(ctx, dst, src, weights); err != nil {
		return err
	}
	for _, s := range solutions {
		if err := c.back(ctx, s, s.AP, s.AP, s.v); err != nil {
			return err
		}
	}
	return nil
}

// forward sets v to A^-1 x and tv to B x.
func (c *cover) forward(ctx context.Context, s *solution, x []float64) error {
	copy(s.v, x)
	if err := c.solver.Backward(ctx, s.a, s.v); err != nil {
		return err
	}
	copy(s.tv, s.v)
	return c.solver.Backward(ctx, c.factor, s.tv)
}

// back sets dst to A^-T (T^-T x/n + lambda v), where v may be nil for zero.
func (c *cover) back(ctx context.Context, s *solution, dst, x, v []float64) error {
	for k, e := range x {
		dst[k] = e / float64(c.n)
	}
	if err := c.solver.Forward(ctx, c.factor, dst); err != nil {
		return err
	}
	if v != nil {
		vmath.Axpy(s.lambda, v, dst)
	}
	return c.solver.Forward(ctx, s.a, dst)
}
