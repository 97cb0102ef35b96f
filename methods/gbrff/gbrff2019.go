package gbrff

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// Params2019 holds the parameters of GBRFF and GBRFF-random.
type Params2019 struct {
	T            int     `json:"rounds" range:"[1,)" means:"boosting rounds, each of which adds a learner"`
	K            int     `json:"features" range:"[1,)" means:"random features of a round"`
	Gamma        float64 `json:"gamma" range:"[0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2), whose frequencies are N(0, 2 gamma I); 0 is 1/2, N(0, I) as the paper writes"`
	Beta         float64 `json:"beta" range:"[0,)" means:"how sharply the better features are preferred; 0 weighs all alike"`
	LearningRate float64 `json:"learning_rate" range:"(0,)" means:"factor of each round in the sum"`
}

// withoutScaling returns p with beta = learning_rate = 0. Grid points with equal withoutScaling are trained together.
func (p Params2019) withoutScaling() Params2019 {
	p.Beta, p.LearningRate = 0, 0
	return p
}

// coefficient returns the kernel coefficient: gamma or, if gamma is 0, 1/2 as in the paper. The accuracies of the
// paper's Table 2 need gamma = 1/(2d) instead, for PBRFF and for GBRFF: see docs/explanation/methods.md and the
// protocol table2-2019.
func (p Params2019) coefficient() float64 {
	if p.Gamma == 0 {
		return 0.5
	}
	return p.Gamma
}

// GBRFF declares the method of Gautheron et al. 2019 with the grid of its experiments.
func GBRFF() registry.Spec {
	return spec2019(registry.Spec{
		Name:    "GBRFF",
		Growth:  registry.Growth{Rows: 0.4, Features: 0.25, Points: 0.5, By: registry.By{"features": 1.8, "rounds": 1}},
		Summary: "least-squares boosting of random Fourier features at learned landmarks",
	}, false)
}

// GBRFFRandom declares the variant of the same paper whose landmarks are training
// examples drawn at random.
func GBRFFRandom() registry.Spec {
	return spec2019(registry.Spec{
		Name:    "GBRFF-random",
		Growth:  registry.Growth{Rows: 0.9, Features: 0.25, Points: 0.5, By: registry.By{"features": 1, "rounds": 1}},
		Summary: "least-squares boosting of random Fourier features at random landmarks",
	}, true)
}

func spec2019(s registry.Spec, random bool) registry.Spec {
	s.Version, s.Tasks, s.Load = "3", registry.Binary, load
	s.Source = "Gautheron et al., arXiv:1906.06203 (2019), Algorithm 1 with Section 4.2"
	fit := func(ctx context.Context, env registry.Env, train registry.Data, ps []Params2019,
		yield func(int, registry.Model) error) error {
		return fit2019(ctx, env, train, ps, s.Name, random, yield)
	}
	return registry.DefinePath(s, Params2019{T: 200, K: 100, Beta: 16, LearningRate: 0.1}, registry.Grid{
		{Name: "beta", Values: append(registry.Values(0.0), registry.Powers(2, 0, 10)...)},
		{Name: "learning_rate", Values: registry.Values(1, 0.5, 0.1, 0.05, 0.01)},
	}, fit, registry.Memory(memory2019))
}

// gridSettings is the number of grid points of the published grid, which run together.
const gridSettings = 60

// memory2019 counts the cosines and sines with their products, the frequencies, and weights, phases, steps, residuals,
// values and combinations of each grid point of the published grid.
func memory2019(s registry.Shape, p Params2019) int64 {
	n, k, features := int64(s.N), int64(p.K), int64(p.T)*int64(p.K)
	rows := int64(fitting.Held(s.N, s.D, 2*p.K, rowsAtOnce, fitting.Few))
	return 8 * (features*int64(s.D) + 2*k*rows + 4*k*k + rowsAtOnce*k + gridSettings*(2*features+int64(p.T)+2*n+6*k))
}

// fit2019 is Algorithm 1 with the weak learners of Section 4.2. Grid points that differ in beta and learning_rate alone
// run together.
func fit2019(ctx context.Context, env registry.Env, train registry.Data, ps []Params2019, name string, random bool,
	yield func(i int, m registry.Model) error) error {
	return inGroups(name, ps, Params2019.withoutScaling, func(group []int) ([]*ensemble, error) {
		return boost2019(ctx, env, train, ps, group, random)
	}, yield)
}

// boost2019 fits the grid points ps[i], i of the group, which differ in beta and learning_rate alone.
func boost2019(ctx context.Context, env registry.Env, train registry.Data, ps []Params2019, group []int,
	random bool) ([]*ensemble, error) {
	p, x := ps[group[0]], rowsOf(train.X)
	rng := env.Rand()
	omegas := draw(rng, p.T*p.K*x.d, p.coefficient())
	var landmarks []int
	if random {
		landmarks = rng.Choice(x.n, p.T)
	}
	h0 := vmath.Sum(train.Y) / float64(x.n)                   // line 1
	w := newSquares(x, p.K, len(group), !random, train.Y, h0) // line 3
	models := make([]*ensemble, len(group))
	for at := range group {
		models[at] = newEnsemble(x.d, p.T, p.K, h0, omegas)
	}
	for t := range p.T { // line 2
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.setFrequencies(models[0].round(t))
		if !random {
			w.search() // line 4: equation (5)
		}
		for at, i := range group {
			m, landmark := models[at], w.searches[at].landmark
			if random {
				landmark = x.slice(landmarks[t], landmarks[t]+1)
			}
			copy(m.phases(t), w.place(landmark))
			w.weigh(m.weights(t), at, ps[i].Beta) // equation (7)
		}
		w.evaluate()
		for at, i := range group {
			alpha := w.step(at) // equation (8)
			if math.IsNaN(alpha) {
				return nil, fmt.Errorf("round %d: %w", t+1, errNotANumber)
			}
			models[at].Alpha[t] = ps[i].LearningRate * alpha
			w.subtract(at, models[at].Alpha[t]) // line 5; line 3 of the next round
		}
	}
	return models, nil
}
