// Package rfm is RFM, the recursive feature machine: a kernel machine that learns the metric of its kernel. XRFM, for
// large sets, is a tree of such machines.
//
//	rfm.go    the algorithm, and its memory
//	metric.go distances, the kernel and its slopes under a metric; the average gradient outer product
//	model.go  the trained machine: scoring, saving
//	xrfm.go   XRFM: how the tree grows, and its memory
//	tree.go   the trained tree: routing, scoring, saving
//
// A fit of RFM holds an n x n matrix, and takes n^3/6 multiply-adds for each iteration and penalty.
package rfm

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/registry"
)

// RFM declares the recursive feature machine with the Laplace kernel under a learned metric M,
//
//	k(x, z) = exp(-|x-z|_M / bandwidth),   |v|_M = sqrt(v'M v).
//
// The targets Y have a column for each output: +1 and -1, one class against the rest, or the targets less their mean.
// The algorithm (Radhakrishnan et al. 2024, Algorithm 1):
//
//	1  M = I
//	2  for t = 1 .. iterations
//	3      alpha = (K + lambda I)^-1 Y, with K of the training rows under M
//	4      G = sum over rows x and outputs f of grad f(x) grad f(x)'
//	5      M = G / the largest element of G
//	6  alpha as in line 3; f(z) = sum_i alpha_i k(x_i, z)
//
// G is the average gradient outer product up to a factor. k(x_i, .) has no gradient at x_i: line 4 leaves this term
// out. The division in line 5 is that of the published program (dmbeaglehole/xRFM), which the paper lacks. That program
// keeps the iteration that is best on a validation set; here the number of iterations is a parameter, so that
// cross-validation chooses it. There is no stopping rule: each line is a closed form.
func RFM() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "RFM", Version: "2", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth:  registry.Growth{Rows: 2.35, Outputs: 0.5, Points: 0.65},
		Source:  "Radhakrishnan, Beaglehole, Pandit and Belkin, Science 2024",
		Summary: "kernel ridge regression with a metric learned from gradients of its predictions",
		Load:    fitting.NearLoad(load),
	}, Params{Iterations: 3, Lambda: 1e-1, Bandwidth: 10}, registry.Grid{
		{Name: "lambda", Values: registry.Powers(10, -3, 1)},
		{Name: "iterations", Values: []any{0, 1, 2, 3, 4, 5}},
	}, fitting.NearPath(path), registry.Memory(memory))
}

// Params holds the parameters of RFM.
type Params struct {
	Iterations int     `json:"iterations" range:"[0,)" means:"updates of the metric; 0 leaves the Euclidean one"`
	Lambda     float64 `json:"lambda" range:"(0,)" means:"penalty of the squared norm of the function"`
	Bandwidth  float64 `json:"bandwidth" range:"(0,)" means:"distance at which the kernel is 1/e"`
}

func memory(s registry.Shape, _ Params) int64 { return held(s.N, s) }

// held is the memory of a fit to n rows: the kernel below its slopes, what a factorisation takes, strips of both, the
// rows under the metric, the gradients, the weighted rows whose sums are the gradients, and the model.
func held(rows int, s registry.Shape) int64 {
	n, d, outputs := int64(rows), int64(s.D), int64(s.Outputs())
	return 8*(n*n+n*(2*rowsAtOnce+d*(3+2*outputs)+2*outputs+4)+4*d*d) + solve.FactorBytes(rows)
}

// groups returns the grid points that differ in the number of iterations alone, in the order of this number.
func groups(ps []Params) [][]int {
	alike := func(i int) Params { return Params{Lambda: ps[i].Lambda, Bandwidth: ps[i].Bandwidth} }
	return fitting.GroupsBy(fitting.Upto(len(ps)), alike, func(i int) int { return ps[i].Iterations })
}

func path(ctx context.Context, _ registry.Env, train registry.Data, ps []Params,
	yield func(int, registry.Model) error) error {
	ys, mean := fitting.Targets(train)
	f := newFit(slices.Clone(fitting.Rows(train.X)), train.Shape().D, ys, nil)
	for _, group := range groups(ps) {
		var iterations []int
		for _, i := range group {
			iterations = append(iterations, ps[i].Iterations)
		}
		p := ps[group[0]]
		err := f.follow(ctx, p.Bandwidth, p.Lambda, iterations,
			func(at int) error { return yield(group[at], f.model(mean)) })
		if err != nil {
			return fmt.Errorf("RFM with lambda=%v: %w", p.Lambda, err)
		}
	}
	return nil
}

// follow runs the algorithm and calls do(at) when it has made iterations[at] of its iterations, whose numbers do not
// fall.
func (f *fit) follow(ctx context.Context, bandwidth, lambda float64, iterations []int, do func(at int) error) error {
	f.start(bandwidth)
	done, last := 0, iterations[len(iterations)-1]
	for at, wanted := range iterations {
		for ; done < wanted; done++ {
			if err := f.solve(ctx, lambda, true); err != nil { // line 3
				return err
			}
			if err := f.learn(ctx); err != nil { // lines 4 and 5
				return err
			}
		}
		if err := f.solve(ctx, lambda, wanted < last); err != nil { // line 6
			return err
		}
		if err := do(at); err != nil {
			return err
		}
	}
	return nil
}

// model returns the machine of line 6. bias is added to its scores.
func (f *fit) model(bias float64) *model {
	m := &model{N: f.n, D: f.d, Outputs: len(f.ys), X: f.x, Metric: slices.Clone(f.metric), Bandwidth: f.bandwidth,
		Coef: slices.Clone(f.alpha), Bias: slices.Repeat([]float64{bias}, len(f.ys))}
	return m.ready()
}

// A fit is the state of the algorithm.
type fit struct {
	n, d      int
	x         []float64   // the training rows, n x d
	ys        [][]float64 // the targets of each output
	bandwidth float64
	metric    []float64 // M, d x d
	alpha     []float64 // outputs x n
	solved    bool      // alpha is that of the metric

	rows   rows      // x under the metric
	k      []float64 // n x n: the kernel matrix, or its factor, below the slopes (metric.go)
	solver *solve.Factorizer
}

// newFit returns the state for rows x. k is memory for a matrix of them, or nil.
func newFit(x []float64, d int, ys [][]float64, k []float64) *fit {
	n := len(x) / d
	if k == nil {
		k = make([]float64, n*n)
	}
	return &fit{n: n, d: d, x: x, ys: ys, metric: make([]float64, d*d), alpha: make([]float64, len(ys)*n),
		k: k[:n*n], solver: solve.NewFactorizer(n)}
}

// start begins with the identity as metric (line 1).
func (f *fit) start(bandwidth float64) {
	f.bandwidth, f.solved = bandwidth, false
	clear(f.metric)
	for j := range f.d {
		f.metric[j*f.d+j] = 1
	}
}

// solve sets alpha to (K + lambda I)^-1 Y. If the metric will be learned from it, slopes must be set.
func (f *fit) solve(ctx context.Context, lambda float64, slopes bool) error {
	if f.solved {
		return nil
	}
	f.rows = under(f.x, f.d, f.metric)
	if err := f.fill(ctx, slopes); err != nil {
		return err
	}
	for i := range f.n {
		f.k[i*f.n+i] = 1 + lambda
	}
	if err := f.solver.Factor(ctx, f.k); err != nil {
		return err
	}
	for j, y := range f.ys {
		alpha := f.alpha[j*f.n : (j+1)*f.n]
		copy(alpha, y)
		if err := f.solver.Solve(ctx, f.k, alpha); err != nil {
			return err
		}
	}
	f.solved = true
	return nil
}

// learn sets the metric to the gradient outer product of the predictions, divided by its largest element.
func (f *fit) learn(ctx context.Context) error {
	gradients, err := f.gradients(ctx)
	if err != nil {
		return err
	}
	if err := solve.Gram(ctx, f.metric, gradients, f.d, f.n*len(f.ys)); err != nil {
		return err
	}
	if most := slices.Max(f.metric); most > 0 {
		for i := range f.metric {
			f.metric[i] /= most
		}
	}
	f.solved = false
	return nil
}
