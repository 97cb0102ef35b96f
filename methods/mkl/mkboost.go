package mkl

import (
	"context"
	"errors"
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

func memoryMKBoost(s registry.Shape, p MKBoostParams) int64 {
	return boostBytes(s, len(mkboostKernels), 8, p.T)
}

// pathMKBoost keeps kernel matrices in float64. The matrix of a polynomial kernel of few features has low rank.
// Rounding to float32 would spoil this: at the costs C of the grid, SMO would need very many steps and reach another
// optimum.
func pathMKBoost(ctx context.Context, env registry.Env, train registry.Data, ps []MKBoostParams,
	yield func(i int, m registry.Model) error) error {
	return boostAll(ctx, train, mkboostKernels, ps, yield, func(s *sample,
		ks []*svm.Kernel[float64]) func(p MKBoostParams) (*vote, error) {
		a := newAdaBooster(s, train.Y, ks)
		return func(p MKBoostParams) (*vote, error) {
			m, err := a.fit(ctx, env, p)
			return m, withC("MKBOOST", p.C, err)
		}
	})
}

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
	last    []svm.Solution // of each kernel
	scale   [][]float64    // of each kernel: the costs of its last solution
	d, cost []float64

	violation float64 // the largest of the machines of a fit
}

func newAdaBooster(s *sample, y []float64, ks []*svm.Kernel[float64]) *adaBooster {
	a := &adaBooster{s: s, y: y, kernels: ks, groups: contradictions(s, y), d: make([]float64, s.n),
		cost: make([]float64, s.n)}
	a.last, a.scale = make([]svm.Solution, len(ks)), make([][]float64, len(ks))
	return a
}

// alphaLimit bounds the weight of a learner without errors. Such a learner outvotes most learners before it.
const alphaLimit = 18 // the weight at an error of 2e-16

func (a *adaBooster) fit(ctx context.Context, env registry.Env, p MKBoostParams) (*vote, error) {
	clear(a.last)
	clear(a.scale)
	a.violation = 0
	for i := range a.d {
		a.d[i] = 1 / float64(a.s.n)
	}
	a.solver.MaxSteps = p.MaxIter
	var learners []learner
	for range p.T {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, wrong, e, err := a.round(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", len(learners)+1, err)
		}
		if e >= 0.5 && len(learners) > 0 {
			break
		}
		l.Weight = min(alphaLimit, 0.5*vmath.LogScalar((1-e)/e))
		if e >= 0.5 {
			l.Weight = 1 // the only learner: the model is the sign of this machine
		}
		learners = append(learners, l)
		if e >= 0.5 || e == 0 {
			break
		}
		for i := range a.d {
			if wrong[i] {
				a.d[i] *= (1 - e) / e
			}
		}
		floats.Scale(1/vmath.Sum(a.d), a.d)
	}
	reportCapped(env, "MKBOOST", p.C, a.violation, learners)
	return newVote(a.s, mkboostKernels, p.T, true, learners), nil
}

// round returns the best machine, the examples that it gets wrong, and its weighted error.
func (a *adaBooster) round(ctx context.Context, p MKBoostParams) (learner, []bool, float64, error) {
	for i, d := range a.d {
		a.cost[i] = p.C * float64(a.s.n) * d
	}
	problem := svm.Classification(a.y, a.cost...)
	floor := a.leastError()
	best, least := -1, math.Inf(1)
	for k, matrix := range a.kernels {
		a.warm(k)
		if err := a.solver.Solve(ctx, matrix, problem, &a.last[k]); err != nil {
			return learner{}, nil, 0, fmt.Errorf("kernel %v: %w", mkboostKernels[k], err)
		}
		if e := a.errorOf(&a.last[k], nil); e < least {
			best, least = k, e
		}
		if least <= floor {
			break
		}
	}
	if best < 0 {
		return learner{}, nil, 0, errors.New("no kernel gives a finite machine: standardise the features")
	}
	wrong := make([]bool, a.s.n)
	sol := &a.last[best]
	least = a.errorOf(sol, wrong)
	a.violation = max(a.violation, sol.Gap)
	return learner{Kernel: best, Bias: sol.Bias, Coef: slices.Clone(sol.Beta), Capped: sol.Capped}, wrong, least, nil
}

// warm scales kernel k's last solution to the new costs, so that variables at a bound stay at the bound.
func (a *adaBooster) warm(k int) {
	if old := a.scale[k]; old != nil {
		for i, c := range a.cost {
			old[i] = c / old[i]
		}
		a.last[k].Scale(old)
	}
	a.scale[k] = append(a.scale[k][:0], a.cost...)
}

// errorOf returns the weighted error of the sign of sol, and marks the wrong examples in wrong, if wrong is not nil.
func (a *adaBooster) errorOf(sol *svm.Solution, wrong []bool) float64 {
	e := 0.0
	for i, y := range a.y {
		f := sol.Fit[i] + sol.Bias
		if math.IsNaN(f) {
			return math.NaN()
		}
		if (f >= 0) != (y > 0) {
			e += a.d[i]
			if wrong != nil {
				wrong[i] = true
			}
		}
	}
	return e
}

// leastError is the least weighted error that a function of x can have.
func (a *adaBooster) leastError() float64 {
	sum := 0.0
	for _, g := range a.groups {
		var side [2]float64
		for _, i := range g {
			if a.y[i] > 0 {
				side[1] += a.d[i]
			} else {
				side[0] += a.d[i]
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
