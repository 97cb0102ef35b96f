package mkl

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// MKBoostParams holds MKBOOST's parameters.
type MKBoostParams struct {
	T       int     `json:"rounds" range:"[1,)" means:"boosting rounds, each of which adds a learner"`
	C       float64 `json:"c" range:"(0,)" means:"mean cost of the SVMs"`
	MaxIter int     `json:"max_iter" range:"[0,)" means:"most SMO steps of one SVM; 0 is no limit"`
}

// mkboostKernels are those of the paper and of the 2019 experiments.
var mkboostKernels = append(gaussians(-6, 7), kernel{Power: 1}, kernel{Power: 2}, kernel{Power: 3})

// MKBoost declares multiple kernel boosting with the grid of the 2019 experiments.
func MKBoost() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "MKBOOST", Version: "4", Tasks: registry.Binary,
		Growth:  registry.Growth{Rows: 2.3, Points: 1},
		Source:  "Xia and Hoi, IEEE TKDE 2013, MKBoost-D1, with weights as costs",
		Summary: "AdaBoost over support vector machines, each round with the best of seventeen kernels",
		Load:    loadVote,
	}, MKBoostParams{T: 100, C: 1}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -5, 3)},
	}, fitting.WarnPath("MKBOOST", fitting.Far, pathMKBoost),
		registry.Memory(memoryMKBoost))
}

// memoryMKBoost counts solutions, costs and learners of the other boostings that run together, too.
func memoryMKBoost(s registry.Shape, p MKBoostParams) int64 {
	others := int64(together-1) * 8 * int64(s.N) * int64(3*len(mkboostKernels)+p.T+4)
	return boostBytes(s, len(mkboostKernels), 8, p.T) + others
}

// pathMKBoost keeps kernel matrices in float64. The matrix of a polynomial kernel of few features has low rank.
// Rounding to float32 would spoil this: at the costs C of the grid, SMO would need very many steps and reach another
// optimum.
//
// Each kernel serves several grid points in turn, while the memory of its matrix is near: rounds read 17 matrices.
func pathMKBoost(ctx context.Context, env registry.Env, train registry.Data, ps []MKBoostParams,
	yield func(i int, m registry.Model) error) error {
	s := newSample(train.X)
	ks, err := grams[float64](ctx, s, mkboostKernels)
	if err != nil {
		return err
	}
	a := newAdaBooster(s, train.Y, ks)
	for lo := 0; lo < len(ps); lo += together {
		err := a.fit(ctx, env, ps[lo:min(lo+together, len(ps))], func(i int, v *vote) error { return yield(lo+i, v) })
		if err != nil {
			return err
		}
	}
	return nil
}

// together is the number of grid points that take their rounds together. Those of the default grid with many rounds are
// the first four.
const together = 4

// An adaBooster runs AdaBoost over kernels. Weights D start at 1/n. A round trains for each
// kernel k the SVM
//
//	min over f in H_k, b  1/2 ||f||^2 + C n sum_i D_i max(0, 1 - y_i (f(x_i) + b)),
//
// and takes as h_t the sign of the machine with the least weighted error e = sum of D_i over y_i h(x_i) < 0 (of equal
// machines, the first). h_t gets the weight alpha = 1/2 ln((1-e)/e). D_i is multiplied by exp(-alpha y_i h_t(x_i)), and
// D is normalised. The paper resamples the training set by D. Here D weighs the costs instead, which are the
// expectation of the resampled ones and need no random numbers.
//
// Boosting ends early after e = 0, when D would not change; h_t then gets the weight alphaLimit. It also ends at e >=
// 1/2, without this learner unless the round is the first. A round tries no further kernel once a kernel has reached
// the smallest error that any function can have, the error of equal rows with different labels.
type adaBooster struct {
	s       *sample
	y       []float64
	kernels []*svm.Kernel[float64]
	groups  [][]int // equal rows that do not all have one label
	solver  svm.Solver[float64]
}

func newAdaBooster(s *sample, y []float64, ks []*svm.Kernel[float64]) *adaBooster {
	return &adaBooster{s: s, y: y, kernels: ks, groups: contradictions(s, y)}
}

// A boosting is AdaBoost at one grid point.
type boosting struct {
	MKBoostParams
	at        int // of the grid points
	learners  []learner
	last      []svm.Solution // of each kernel
	scale     [][]float64    // of each kernel: the costs of its last solution
	d, cost   []float64
	violation float64 // the largest of the machines

	// of a round
	problem      svm.Problem
	best         int // kernel so far, or -1
	least, floor float64
}

// alphaLimit bounds the weight of a learner without errors. Such a learner outvotes most learners before it.
const alphaLimit = 18 // the weight at an error of 2e-16

// fit boosts at the grid points ps together and yields each model when it is done.
func (a *adaBooster) fit(ctx context.Context, env registry.Env, ps []MKBoostParams,
	yield func(i int, v *vote) error) error {
	var running []*boosting
	for i, p := range ps {
		running = append(running, &boosting{MKBoostParams: p, at: i, last: make([]svm.Solution, len(a.kernels)),
			scale: make([][]float64, len(a.kernels)), cost: make([]float64, a.s.n),
			d: slices.Repeat([]float64{1 / float64(a.s.n)}, a.s.n)})
	}
	var err error
	for len(running) > 0 && err == nil {
		if err = a.tryKernels(ctx, running); err != nil {
			break
		}
		running = slices.DeleteFunc(running, func(b *boosting) bool {
			if err != nil || a.learn(b) {
				return false
			}
			reportCapped(env, "MKBOOST", b.C, b.violation, b.learners)
			err = yield(b.at, newVote(a.s, mkboostKernels, b.T, true, b.learners))
			return true
		})
	}
	return err
}

// tryKernels finds the best machine of each boosting's next round.
func (a *adaBooster) tryKernels(ctx context.Context, running []*boosting) error {
	for _, b := range running {
		for i, d := range b.d {
			b.cost[i] = b.C * float64(a.s.n) * d
		}
		b.problem, b.floor = svm.Classification(a.y, b.cost...), a.leastError(b.d)
		b.best, b.least = -1, math.Inf(1)
	}
	for k, matrix := range a.kernels {
		for _, b := range running {
			if b.least <= b.floor {
				continue
			}
			b.warm(k)
			a.solver.MaxSteps = b.MaxIter
			err := a.solver.Solve(ctx, matrix, b.problem, &b.last[k])
			if err != nil {
				return withC("MKBOOST", b.C, fmt.Errorf("round %d: kernel %v: %w", len(b.learners)+1, mkboostKernels[k],
					err))
			}
			if e := a.errorOf(b.d, &b.last[k], nil); e < b.least {
				b.best, b.least = k, e
			}
		}
	}
	for _, b := range running {
		if b.best < 0 {
			return withC("MKBOOST", b.C,
				fmt.Errorf("round %d: no kernel gives a finite machine: standardise the features", len(b.learners)+1))
		}
	}
	return nil
}

// learn adds the best machine of the round to b, and weighs the examples for the next one. It reports whether there is
// a next round.
func (a *adaBooster) learn(b *boosting) bool {
	sol, wrong := &b.last[b.best], make([]bool, a.s.n)
	e := a.errorOf(b.d, sol, wrong)
	b.violation = max(b.violation, sol.Gap)
	if e >= 0.5 && len(b.learners) > 0 {
		return false
	}
	l := learner{Kernel: b.best, Bias: sol.Bias, Coef: slices.Clone(sol.Beta), Capped: sol.Capped,
		Weight: min(alphaLimit, 0.5*vmath.LogScalar((1-e)/e))}
	if e >= 0.5 {
		l.Weight = 1 // the only learner: the model is the sign of this machine
	}
	b.learners = append(b.learners, l)
	if e >= 0.5 || e == 0 || len(b.learners) == b.T {
		return false
	}
	for i := range b.d {
		if wrong[i] {
			b.d[i] *= (1 - e) / e
		}
	}
	floats.Scale(1/vmath.Sum(b.d), b.d)
	return true
}

// warm scales kernel k's last solution to the new costs, so that variables at a bound stay at the bound.
func (b *boosting) warm(k int) {
	if old := b.scale[k]; old != nil {
		for i, c := range b.cost {
			old[i] = c / old[i]
		}
		b.last[k].Scale(old)
	}
	b.scale[k] = append(b.scale[k][:0], b.cost...)
}

// errorOf returns the error of the sign of sol, weighted by d, and marks the wrong examples in wrong, unless it is nil.
func (a *adaBooster) errorOf(d []float64, sol *svm.Solution, wrong []bool) float64 {
	e := 0.0
	for i, y := range a.y {
		f := sol.Fit[i] + sol.Bias
		if math.IsNaN(f) {
			return math.NaN()
		}
		if (f >= 0) != (y > 0) {
			e += d[i]
			if wrong != nil {
				wrong[i] = true
			}
		}
	}
	return e
}

// leastError is the least error, weighted by d, that a function of x can have.
func (a *adaBooster) leastError(d []float64) float64 {
	sum := 0.0
	for _, g := range a.groups {
		var side [2]float64
		for _, i := range g {
			if a.y[i] > 0 {
				side[1] += d[i]
			} else {
				side[0] += d[i]
			}
		}
		sum += min(side[0], side[1])
	}
	return sum
}

// contradictions returns the sets of equal rows of s with both labels.
func contradictions(s *sample, y []float64) [][]int {
	order := fitting.Upto(s.n)
	compare := func(i, j int) int { return slices.Compare(s.row(i), s.row(j)) }
	slices.SortStableFunc(order, compare)
	var groups [][]int
	for lo := 0; lo < s.n; {
		hi := lo + 1
		for hi < s.n && compare(order[lo], order[hi]) == 0 {
			hi++
		}
		group := order[lo:hi]
		if slices.ContainsFunc(group, func(i int) bool { return y[i] != y[group[0]] }) {
			groups = append(groups, group)
		}
		lo = hi
	}
	return groups
}
