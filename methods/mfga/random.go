package mfga

import (
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// RKSParams holds the parameters of RKS.
type RKSParams struct {
	Features   int     `json:"features" range:"[1,)" means:"M: random columns"`
	Candidates int     `json:"candidates" range:"[1,)" means:"columns that are drawn; the first M are used, so that the draws are those of EERF and LKRF"`
	Step       int     `json:"step" range:"[0,)" means:"columns between stages; 0 is one fit on all, without stages"`
	Lambda     float64 `json:"lambda" range:"(0,)" means:"penalty"`
	Intercept  bool    `json:"intercept" means:"whether the function has an intercept, which is not penalised"`
	Neighbour  int     `json:"neighbour" range:"[1,)" means:"the width is the mean distance to this nearest neighbour"`
	Width      float64 `json:"width" range:"[0,)" means:"width s of the kernel exp(-|x-x'|^2 / 2 s^2); 0 is by neighbour"`
}

// EERFParams holds the parameters of EERF.
type EERFParams struct {
	Features   int     `json:"features" range:"[1,)" means:"M: random columns that are used"`
	Candidates int     `json:"candidates" range:"[1,)" means:"M0: random columns among which they are chosen"`
	Step       int     `json:"step" range:"[0,)" means:"columns between stages; 0 is one fit on all, without stages"`
	Lambda     float64 `json:"lambda" range:"(0,)" means:"penalty"`
	Centred    bool    `json:"centred" means:"whether columns are scored by the target less its mean"`
	Intercept  bool    `json:"intercept" means:"whether the function has an intercept, which is not penalised"`
	Neighbour  int     `json:"neighbour" range:"[1,)" means:"the width is the mean distance to this nearest neighbour"`
	Width      float64 `json:"width" range:"[0,)" means:"width s of the kernel exp(-|x-x'|^2 / 2 s^2); 0 is by neighbour"`
}

// LKRFParams holds the parameters of LKRF.
type LKRFParams struct {
	Features   int     `json:"features" range:"[1,)" means:"M: random columns that are used"`
	Candidates int     `json:"candidates" range:"[1,)" means:"M0: random columns from which they are drawn, with replacement"`
	Step       int     `json:"step" range:"[0,)" means:"columns between stages; 0 is one fit on all, without stages"`
	Lambda     float64 `json:"lambda" range:"(0,)" means:"penalty"`
	Centred    bool    `json:"centred" means:"whether columns are scored by the target less its mean"`
	Rho        float64 `json:"rho" range:"[0,)" means:"how far the weights may be from uniform, as a sum of squares"`
	Intercept  bool    `json:"intercept" means:"whether the function has an intercept, which is not penalised"`
	Neighbour  int     `json:"neighbour" range:"[1,)" means:"the width is the mean distance to this nearest neighbour"`
	Width      float64 `json:"width" range:"[0,)" means:"width s of the kernel exp(-|x-x'|^2 / 2 s^2); 0 is by neighbour"`
}

// Defaults of all three: the paper's values for its classification sets.
const (
	defaultFeatures   = 100
	defaultCandidates = 2000
	defaultNeighbour  = 50
	defaultLambda     = 1e-3
)

// RKS declares random kitchen sinks.
func RKS() registry.Spec {
	return define("RKS", "Rahimi and Recht, NIPS 2008; "+source, "linear model on random Fourier features",
		RKSParams{Features: defaultFeatures, Candidates: defaultCandidates, Lambda: defaultLambda, Intercept: true, Neighbour: defaultNeighbour})
}

// EERF declares the energy-based exploration of random features.
func EERF() registry.Spec {
	return define("EERF", "Shahrampour, Beirami and Tarokh, AAAI 2018; "+source, "linear model on the random features that correlate most with the target",
		EERFParams{Features: defaultFeatures, Candidates: defaultCandidates, Lambda: defaultLambda, Centred: true, Intercept: true, Neighbour: defaultNeighbour})
}

// LKRF declares learning kernels with random features.
func LKRF() registry.Spec {
	return define("LKRF", "Sinha and Duchi, NIPS 2016; "+source, "linear model on random features drawn by learned weights",
		LKRFParams{Features: defaultFeatures, Candidates: defaultCandidates, Lambda: defaultLambda, Centred: true, Rho: 0.005, Intercept: true, Neighbour: defaultNeighbour})
}

// A choice is the rule by which columns are chosen.
type choice int

const (
	byOrder     choice = iota // RKS
	byScore                   // EERF
	byAlignment               // LKRF
)

// A random is a setting of any of the three.
type random struct {
	choice                     choice
	features, candidates, step int
	lambda                     float64
	centred                    bool
	rho                        float64
	intercept                  bool
	neighbour                  int
	width                      float64
}

func (p RKSParams) random() random {
	return random{choice: byOrder, features: p.Features, candidates: p.Candidates, step: p.Step, lambda: p.Lambda,
		intercept: p.Intercept, neighbour: p.Neighbour, width: p.Width}
}

func (p EERFParams) random() random {
	return random{choice: byScore, features: p.Features, candidates: p.Candidates, step: p.Step, lambda: p.Lambda, centred: p.Centred,
		intercept: p.Intercept, neighbour: p.Neighbour, width: p.Width}
}

func (p LKRFParams) random() random {
	return random{choice: byAlignment, features: p.Features, candidates: p.Candidates, step: p.Step, lambda: p.Lambda, centred: p.Centred,
		rho: p.Rho, intercept: p.Intercept, neighbour: p.Neighbour, width: p.Width}
}

// Validate reports more columns than are drawn.
func (p RKSParams) Validate() error { return enough(p.Features, p.Candidates) }

// Validate reports more columns than are drawn.
func (p EERFParams) Validate() error { return enough(p.Features, p.Candidates) }

func enough(features, candidates int) error {
	if features > candidates {
		return fmt.Errorf("features = %d of candidates = %d; there must be as many candidates as features, or more", features, candidates)
	}
	return nil
}

func define[P interface{ random() random }](name, source, summary string, defaults P) registry.Spec {
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []P, yield func(int, registry.Model) error) error {
		return fitRandom(ctx, name, env, train, randoms(ps), yield)
	}
	cost := func(s registry.Shape, ps []P) float64 { return randomPathCost(s, randoms(ps)) }
	return registry.DefinePath(registry.Spec{
		Name: name, Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression, Source: source, Summary: summary,
		Load: load,
	}, defaults, lambdas(), path,
		registry.Memory(func(s registry.Shape, p P) int64 { return randomMemory(s, p.random()) }),
		registry.PathCost(cost))
}

func randoms[P interface{ random() random }](ps []P) []random {
	out := make([]random, len(ps))
	for i, p := range ps {
		out[i] = p.random()
	}
	return out
}

// fitRandom trains settings. Those of one width and number of draws share the draws; those that differ in the penalty
// alone also the scores, the columns, and for the square loss their products.
func fitRandom(ctx context.Context, name string, env registry.Env, train registry.Data, ps []random, yield func(int, registry.Model) error) error {
	_, d := train.X.Dims()
	type drawn struct {
		kernel               kernelOf
		candidates, uniforms int
	}
	key := func(i int) drawn {
		k := drawn{kernelOf{Width: ps[i].width}, ps[i].candidates, 0}
		if ps[i].width == 0 {
			k.kernel.Neighbour = ps[i].neighbour
		}
		if ps[i].choice == byAlignment {
			k.uniforms = ps[i].features
		}
		return k
	}
	for _, alike := range fitting.Groups(fitting.Upto(len(ps)), key) {
		k := key(alike[0])
		if err := k.kernel.measure(ctx, fitting.Rows(train.X), d); err != nil {
			return err
		}
		f, err := drawFourier(ctx, env.Rand(), fitting.Rows(train.X), d, k.kernel.Width, k.candidates, k.uniforms)
		if err != nil {
			return err
		}
		unpenalised := func(i int) random {
			p := ps[i]
			p.lambda = 0
			return p
		}
		for _, group := range fitting.Groups(alike, unpenalised) {
			p := ps[group[0]]
			err := fitOutputs(ctx, name, train, group, func(y []float64) fitOne {
				a := newActive(train.Task, f, y, p.features, p.intercept)
				var chosen []int
				return func(i int) (out output, err error) {
					if chosen == nil {
						if chosen, err = f.choose(ctx, p, y); err != nil {
							return out, err
						}
					}
					return a.fitColumns(ctx, f, chosen, p.step, ps[i].lambda)
				}
			}, p.step > 0, yield)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// choose returns the columns of a setting for the target y, the best ones first.
func (f *fourier) choose(ctx context.Context, p random, y []float64) ([]int, error) {
	if p.choice == byOrder {
		return fitting.Upto(p.features), nil
	}
	scores, err := f.scores(ctx, target(p, y))
	if err != nil {
		return nil, err
	}
	if p.choice == byScore {
		return largest(scores, nil, p.features), nil
	}
	floats.Mul(scores, scores)
	return sample(align(scores, p.rho), f.u), nil
}

// target is what columns are scored by.
func target(p random, y []float64) []float64 {
	t := slices.Clone(y)
	if p.centred {
		floats.AddConst(-vmath.Sum(y)/float64(len(y)), t)
	}
	return t
}

// fitColumns solves on the first columns, step more at a time, or on all at once if step is 0.
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
