package mkl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// GMKLParams holds GMKL's parameters.
type GMKLParams struct {
	C       float64 `json:"c"`                // cost of the SVM or SVR
	Epsilon float64 `json:"epsilon"`          // half-width of the tube, for Regression
	Iter    int     `json:"iter"`             // gradient steps on the weights
	Groups  []int   `json:"groups,omitempty"` // sizes of consecutive groups of features (channels), a kernel each; none means a kernel a feature
}

// Validate reports parameters outside c > 0, epsilon >= 0, iter >= 0, sizes >= 1.
func (p GMKLParams) Validate() error {
	switch {
	case !(p.C > 0 && p.C < math.Inf(1)):
		return fmt.Errorf("c is %v, not a finite number > 0", p.C)
	case !(p.Epsilon >= 0 && p.Epsilon < math.Inf(1)):
		return fmt.Errorf("epsilon is %v, not a finite number >= 0", p.Epsilon)
	case p.Iter < 0:
		return fmt.Errorf("iter is %d; 0 keeps equal weights", p.Iter)
	case slices.ContainsFunc(p.Groups, func(size int) bool { return size < 1 }):
		return fmt.Errorf("groups %v: a group has at least one feature", p.Groups)
	}
	return nil
}

// sizes returns the sizes of the groups of d features.
func (p GMKLParams) sizes(d int) ([]int, error) {
	if len(p.Groups) == 0 {
		return slices.Repeat([]int{1}, d), nil
	}
	sum := 0
	for _, size := range p.Groups {
		sum += size
	}
	if sum != d {
		return nil, fmt.Errorf("groups %v add up to %d features, not the %d there are", p.Groups, sum, d)
	}
	return p.Groups, nil
}

func (p GMKLParams) kernels(d int) int64 {
	if len(p.Groups) == 0 {
		return int64(d)
	}
	return int64(len(p.Groups))
}

// GMKL declares generalised multiple kernel learning with l1 on the weights of the kernels, one against the rest for
// more than two classes.
func GMKL() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "GMKL", Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Source:  "Varma and Babu, ICML 2009, with the l1 penalty of Bazavan et al., ECCV 2012, eq. (14)",
		Summary: "support vector machine over a learned non-negative sum of a kernel for each feature group",
	}, GMKLParams{C: 1, Epsilon: 0.1, Iter: 50}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -2, 2)},
	}, fitGMKL, registry.Path(pathGMKL), registry.Memory(memoryGMKL), registry.Cost(costGMKL), registry.Load[GMKLParams](loadSum))
}

// memoryGMKL counts a matrix for each kernel, the sum and the solver's copy of it, and the model.
func memoryGMKL(s registry.Shape, p GMKLParams) int64 {
	n := int64(s.N)
	return (p.kernels(s.D)+1)*svm.GramBytes(s.N, 4) + min(svm.GramBytes(s.N, 4), rowBytes) + 8*n*int64(2*s.D+4*s.Outputs()+30) + 8*rowsAtOnce*2*n
}

// costGMKL: a step sums the matrices about 1.3 times, multiplies each with the dual variables, and solves.
func costGMKL(s registry.Shape, p GMKLParams) float64 {
	n, r := float64(s.N), float64(p.kernels(s.D))
	return n*n*r*2 + float64(s.Outputs())*(1+1.3*float64(p.Iter))*(n*n*r+n*(50+n)) + 1000
}

func fitGMKL(ctx context.Context, env registry.Env, train registry.Data, p GMKLParams) (registry.Model, error) {
	var model registry.Model
	err := pathGMKL(ctx, env, train, []GMKLParams{p}, func(_ int, m registry.Model) error {
		model = m
		return nil
	})
	return model, err
}

// pathGMKL makes the kernel matrices once for all settings with the same groups.
func pathGMKL(ctx context.Context, env registry.Env, train registry.Data, ps []GMKLParams, yield func(i int, m registry.Model) error) error {
	s := newSample(train.X)
	var g *mixer
	for i, p := range ps {
		sizes, err := p.sizes(s.d)
		if err != nil {
			return fmt.Errorf("GMKL: %w", err)
		}
		if g == nil || !slices.Equal(g.channels.Sizes, sizes) {
			if g, err = newMixer(ctx, s, sizes); err != nil {
				return err
			}
		}
		m := &sumMachine{N: s.n, D: s.d, Outputs: train.Shape().Outputs(), Channels: g.channels, X: s.x}
		for c := range m.Outputs {
			problem := outputProblem(train, c, p)
			weights, sol, err := g.fit(ctx, problem, p.Iter)
			if err != nil {
				return fmt.Errorf("GMKL with C=%v, output %d: %w", p.C, c, err)
			}
			m.Weight, m.Coef, m.Bias = append(m.Weight, weights...), append(m.Coef, sol.Beta...), append(m.Bias, sol.Bias)
		}
		if err := yield(i, m); err != nil {
			return err
		}
	}
	return nil
}

// outputProblem is the SVR of a regression, or the SVC of class c against the rest.
func outputProblem(train registry.Data, c int, p GMKLParams) svm.Problem {
	switch train.Task {
	case registry.Regression:
		return svm.Regression(train.Y, p.Epsilon, p.C)
	case registry.Binary:
		return svm.Classification(train.Y, p.C)
	}
	y := make([]float64, len(train.Y))
	for i, v := range train.Y {
		y[i] = -1
		if int(v) == c {
			y[i] = 1
		}
	}
	return svm.Classification(y, p.C)
}

// A mixer learns, for the kernels K_1 .. K_r of the channels,
//
//	min over d >= 0  T(d) = sum_j d_j + min over f, b  1/2 ||f||^2 + C sum_i loss(y_i, f(x_i) + b),
//
// f in the space of K(d) = sum_j d_j K_j. The inner problem is an SVM with kernel K(d); with beta its dual solution,
// dT/dd_j = 1 - 1/2 beta'K_j beta (Varma and Babu, eqs. 8 and 9). T is convex in d. The method is projected
// gradient with Barzilai-Borwein steps, halved until T falls by 1e-4 of what the slope promises (their Algorithm 1); it
// stops when a step lowers T by less than 1e-5 of it, or after iter steps. Every SVM starts from the last.
type mixer struct {
	channels channels
	kernels  []*svm.Gram[float32]
	sum      *svm.Gram[float32]
	solver   svm.Solver[float32]
}

const (
	mixTol     = 1e-4 // of the SVMs: the slopes of T need more than their default
	sufficient = 1e-4
	stopShare  = 1e-5
)

func newMixer(ctx context.Context, s *sample, sizes []int) (*mixer, error) {
	g := &mixer{channels: newChannels(s, sizes), sum: svm.NewGram[float32](s.n), solver: svm.Solver[float32]{Tol: mixTol, Cache: rowBytes}}
	line, work := make([]float64, s.n), newChannelWork(g.channels, s.x, s.n, s.d)
	for j := range sizes {
		k := svm.NewGram[float32](s.n)
		work.load(j)
		for i := range s.n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			work.row(line, s.row(i))
			for q, v := range line {
				k.At(i)[q] = float32(v)
			}
		}
		g.kernels = append(g.kernels, k)
	}
	return g, nil
}

// fit returns the weights d and the machine for them.
func (g *mixer) fit(ctx context.Context, problem svm.Problem, iter int) ([]float64, svm.Solution, error) {
	r := len(g.kernels)
	d, slope := make([]float64, r), make([]float64, r)
	for j := range d {
		d[j] = 1 / float64(r)
	}
	var sol svm.Solution
	t, err := g.value(ctx, problem, d, &sol)
	if err != nil {
		return nil, sol, err
	}
	step := 0.0
	for range iter {
		g.slopes(sol.Beta, slope)
		if step == 0 {
			step = 1 / (float64(r) * max(1e-12, floats.Norm(slope, math.Inf(1)))) // as far as the start is from 0
		}
		next, trial, u, err := g.search(ctx, problem, d, slope, t, step, &sol)
		if err != nil {
			return nil, sol, err
		}
		if next == nil {
			break
		}
		after := make([]float64, r)
		g.slopes(trial.Beta, after)
		moved, bent := 0.0, 0.0
		for j := range d {
			moved += (next[j] - d[j]) * (next[j] - d[j])
			bent += (next[j] - d[j]) * (after[j] - slope[j])
		}
		if step *= 10; bent > 0 {
			step = moved / bent
		}
		small := t-u <= stopShare*math.Abs(t)
		d, sol, t = next, trial, u
		if small {
			break
		}
	}
	return d, sol, nil
}

// search halves the step until T falls enough. It returns nil weights where no step does.
func (g *mixer) search(ctx context.Context, problem svm.Problem, d, slope []float64, t, step float64, from *svm.Solution) ([]float64, svm.Solution, float64, error) {
	next := make([]float64, len(d))
	for range 30 {
		promise := 0.0
		for j := range d {
			next[j] = max(0, d[j]-step*slope[j])
			promise += slope[j] * (d[j] - next[j])
		}
		if !(promise > 0) {
			break
		}
		trial := svm.Solution{Beta: slices.Clone(from.Beta)}
		u, err := g.value(ctx, problem, next, &trial)
		if err != nil {
			return nil, trial, 0, err
		}
		if u <= t-sufficient*promise {
			return next, trial, u, nil
		}
		step /= 2
	}
	return nil, svm.Solution{}, t, nil
}

// value returns T(d) and leaves the machine in sol, which it takes as the start.
func (g *mixer) value(ctx context.Context, problem svm.Problem, d []float64, sol *svm.Solution) (float64, error) {
	for i := range g.sum.Len() {
		row := g.sum.At(i)
		clear(row)
		for j, w := range d {
			if w == 0 {
				continue
			}
			f := float32(w)
			for q, v := range g.kernels[j].At(i) {
				row[q] += float32(f * v)
			}
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	sol.Fit = nil
	if err := g.solver.Solve(ctx, g.sum, problem, sol); err != nil {
		return 0, err
	}
	return floats.Sum(d) - sol.Objective, nil
}

// slopes writes dT/dd.
func (g *mixer) slopes(beta, slope []float64) {
	for j, k := range g.kernels {
		norm := 0.0
		for i, b := range beta {
			if b == 0 {
				continue
			}
			sum := 0.0
			for q, v := range k.At(i) {
				sum += beta[q] * float64(v)
			}
			norm += b * sum
		}
		slope[j] = 1 - 0.5*norm
	}
}
