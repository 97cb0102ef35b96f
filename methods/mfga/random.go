package mfga

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// Drawn holds the parameters that RKS, EERF and LKRF begin with.
type Drawn struct {
	Features   int     `json:"features" range:"[1,)" means:"random columns that the model uses (M in the paper)"`
	Candidates int     `json:"candidates" range:"[1,)" means:"random columns that are drawn (M0 in the paper); RKS uses the first M, EERF the M of the largest scores, LKRF draws M with replacement"`
	Step       int     `json:"step" range:"[0,)" means:"columns between stages; 0 is one fit on all, without stages"`
	Lambda     float64 `json:"lambda" range:"(0,)" means:"penalty of the squared coefficients"`
	rff.How
}

// RKSParams holds the parameters of RKS.
type RKSParams struct {
	Drawn
	Function
}

// EERFParams holds the parameters of EERF.
type EERFParams struct {
	Drawn
	Centred bool `json:"centred" means:"whether columns are scored by the target less its mean"`
	Function
}

// LKRFParams holds the parameters of LKRF.
type LKRFParams struct {
	Drawn
	Centred bool    `json:"centred" means:"whether columns are scored by the target less its mean"`
	Radius  float64 `json:"radius" range:"[0,)" means:"how far the weights may be from uniform, as a sum of squares"`
	Function
}

var defaultDrawn = Drawn{Features: defaultFeatures, Candidates: defaultCandidates, Lambda: defaultLambda}

// RKS declares random kitchen sinks.
func RKS() registry.Spec {
	return define("RKS", "Rahimi and Recht, NIPS 2008; "+source, "linear model on random Fourier features",
		RKSParams{defaultDrawn, defaultFunction})
}

// EERF declares the energy-based exploration of random features.
func EERF() registry.Spec {
	return define("EERF", "Shahrampour, Beirami and Tarokh, AAAI 2018; "+source,
		"linear model on the random features that correlate most with the target",
		EERFParams{defaultDrawn, true, defaultFunction})
}

// LKRF declares learning kernels with random features.
func LKRF() registry.Spec {
	return define("LKRF", "Sinha and Duchi, NIPS 2016; "+source,
		"linear model on random features drawn by learned weights",
		LKRFParams{defaultDrawn, true, 0.005, defaultFunction})
}

// A choice is the rule by which columns are chosen.
type choice int

const (
	byOrder     choice = iota // RKS
	byScore                   // EERF
	byAlignment               // LKRF
)

// A random is a grid point of any of the three methods.
type random struct {
	choice choice
	LKRFParams
}

func (p RKSParams) random() random {
	return random{byOrder, LKRFParams{Drawn: p.Drawn, Function: p.Function}}
}
func (p EERFParams) random() random {
	return random{byScore, LKRFParams{p.Drawn, p.Centred, 0, p.Function}}
}
func (p LKRFParams) random() random { return random{byAlignment, p} }

// Validate reports more columns than are drawn.
func (p RKSParams) Validate() error { return p.enough() }

// Validate reports more columns than are drawn.
func (p EERFParams) Validate() error { return p.enough() }

func (d Drawn) enough() error {
	if d.Features > d.Candidates {
		return fmt.Errorf("features = %d of candidates = %d; there must be as many candidates as features, or more",
			d.Features, d.Candidates)
	}
	return nil
}

func define[P interface{ random() random }](name, papers, summary string, defaults P) registry.Spec {
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []P,
		yield func(int, registry.Model) error) error {
		return fitRandom(ctx, name, env, train, randoms(ps), yield)
	}
	return registry.DefinePath(registry.Spec{
		Name: name, Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression, Source: papers,
		Growth: registry.Growth{Rows: 0.9, Features: 0.1, Outputs: 0.9, Points: 0.3,
			By: registry.By{"candidates": 0.1, "features": 0.1}},
		Summary: summary,
		Load:    load,
	}, defaults, lambdas(), path,
		registry.Memory(func(s registry.Shape, p P) int64 { return randomMemory(s, p.random()) }))
}

func randoms[P interface{ random() random }](ps []P) []random {
	out := make([]random, len(ps))
	for i, p := range ps {
		out[i] = p.random()
	}
	return out
}

// fitRandom fits the grid points. Grid points with one width and one number of draws share the draws. Grid points that
// differ in the penalty alone also share the scores, the columns, and for the square loss the products of the columns.
func fitRandom(ctx context.Context, name string, env registry.Env, train registry.Data, ps []random,
	yield func(int, registry.Model) error) error {
	_, d := train.X.Dims()
	type drawn struct {
		kernel               kernelOf
		candidates, uniforms int
		how                  rff.How
	}
	key := func(i int) drawn {
		k := drawn{kernelOf{Width: ps[i].Sigma}, ps[i].Candidates, 0, ps[i].How}
		if ps[i].Sigma == 0 {
			k.kernel.Neighbour = ps[i].Neighbour
		}
		if ps[i].choice == byAlignment {
			k.uniforms = ps[i].Features
		}
		return k
	}
	for _, alike := range fitting.Groups(fitting.Upto(len(ps)), key) {
		k := key(alike[0])
		if err := k.kernel.measure(ctx, env, fitting.Rows(train.X), d); err != nil {
			return err
		}
		f := drawFourier(env.Rand(), fitting.Rows(train.X), d, k.kernel.Width, k.how, k.candidates, k.uniforms)
		unpenalised := func(i int) random {
			p := ps[i]
			p.Lambda = 0
			return p
		}
		for _, group := range fitting.Groups(alike, unpenalised) {
			p := ps[group[0]]
			err := fitOutputs(ctx, env, name, train, group, func(y []float64) fitOne {
				a := newActive(train.Task, f, y, d, p.Features, p.Intercept)
				var chosen []int
				return func(i int) (out output, err error) {
					if chosen == nil {
						if chosen, err = f.choose(ctx, p, y); err != nil {
							return out, err
						}
					}
					return a.fitColumns(ctx, f, chosen, p.Step, ps[i].Lambda)
				}
			}, p.Step > 0, yield)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// choose returns the columns of a grid point for the target y, the best ones first.
func (f *fourier) choose(ctx context.Context, p random, y []float64) ([]int, error) {
	if p.choice == byOrder {
		return fitting.Upto(p.Features), nil
	}
	scores, err := f.scores(ctx, target(p.Centred, y))
	if err != nil {
		return nil, err
	}
	if p.choice == byScore {
		return largest(scores, nil, p.Features), nil
	}
	floats.Mul(scores, scores)
	return sample(align(scores, p.Radius), f.u), nil
}

// target returns the vector by which columns are scored: y, or y minus its mean.
func target(centred bool, y []float64) []float64 {
	t := slices.Clone(y)
	if centred {
		floats.AddConst(-vmath.Sum(y)/float64(len(y)), t)
	}
	return t
}

// fitColumns solves on the first step columns of chosen, then on the first 2 step columns, and so on. If step is 0, it
// solves only on all columns.
func (a *active) fitColumns(ctx context.Context, f *fourier, chosen []int, step int, lambda float64) (output, error) {
	if step == 0 {
		step = len(chosen)
	}
	if err := a.start(); err != nil {
		return output{}, err
	}
	for a.size() < len(chosen) {
		if err := a.add(ctx, chosen[a.size():min(a.size()+step, len(chosen))]); err != nil {
			return output{}, err
		}
		if err := a.solve(ctx, lambda); err != nil {
			return output{}, err
		}
	}
	out := a.record
	out.Frequencies = f.frequencies(chosen)
	return out, nil
}
