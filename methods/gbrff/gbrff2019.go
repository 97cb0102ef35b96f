package gbrff

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// Params2019 holds the parameters of GBRFF and GBRFF-random.
type Params2019 struct {
	T            int     `json:"rounds" range:"[1,)" means:"rounds"`
	K            int     `json:"features" range:"[1,)" means:"random features of a round"`
	Gamma        float64 `json:"gamma" range:"[0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2), whose frequencies are N(0, 2 gamma I); 0 is 1/2, N(0, I) as the paper writes"`
	Beta         float64 `json:"beta" range:"[0,)" means:"how sharply the better features are preferred; 0 weighs all alike"`
	LearningRate float64 `json:"learning_rate" range:"(0,)" means:"share of a round that is added"`
}

// withoutScaling returns p with beta = learning_rate = 0. Grid points with equal withoutScaling are trained together.
func (p Params2019) withoutScaling() Params2019 {
	p.Beta, p.LearningRate = 0, 0
	return p
}

// coefficient returns the kernel coefficient: gamma or, if gamma is 0, 1/2 as in the paper. The accuracies of the paper's Table 2
// need gamma = 1/(2d) instead, for PBRFF and for GBRFF: see docs/methods.md and the protocol table2-2019.
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
		Summary: "least-squares boosting of random Fourier features at learned landmarks",
	}, false)
}

// GBRFFRandom declares the variant of the same paper whose landmarks are training
// examples drawn at random.
func GBRFFRandom() registry.Spec {
	return spec2019(registry.Spec{
		Name:    "GBRFF-random",
		Summary: "least-squares boosting of random Fourier features at random landmarks",
	}, true)
}

func spec2019(s registry.Spec, random bool) registry.Spec {
	s.Version, s.Tasks, s.Load = "2", registry.Binary, load
	s.Source = "Gautheron et al., arXiv:1906.06203 (2019), Algorithm 1 with Section 4.2"
	fit := func(ctx context.Context, env registry.Env, train registry.Data, ps []Params2019, yield func(int, registry.Model) error) error {
		return fit2019(ctx, env, train, ps, s.Name, random, yield)
	}
	cost := func(s registry.Shape, ps []Params2019) float64 { return pathCost2019(s, ps, random) }
	return registry.DefinePath(s, Params2019{T: 200, K: 100, Beta: 16, LearningRate: 0.1}, registry.Grid{
		{Name: "beta", Values: append(registry.Values(0.0), registry.Powers(2, 0, 10)...)},
		{Name: "learning_rate", Values: registry.Values(1, 0.5, 0.1, 0.05, 0.01)},
	}, fit, registry.Memory(memory2019), registry.PathCost(cost))
}

// gridSettings is the number of grid points of the published grid, which run together.
const gridSettings = 60

// memory2019 counts the packed rows, the cosines and sines, the frequencies, and weights,
// phases, steps and residuals of each grid point of the published grid.
func memory2019(s registry.Shape, p Params2019) int64 {
	features := int64(p.T) * int64(p.K)
	return int64(vmath.PackedBytes(s.N, s.D)+vmath.PackedBytes(s.N, 2*p.K)) +
		8*(features*int64(s.D)+gridSettings*(2*features+int64(p.T+s.N))+2*int64(s.N))
}

// pathCost2019 was fitted to n from 125 to 3217 and d from 8 to 60: see
// docs/performance.md. Grid points share draws, cosines and sines, but not searches.
func pathCost2019(s registry.Shape, ps []Params2019, random bool) float64 {
	n, d := float64(s.N), float64(s.D)
	shared := map[Params2019]bool{}
	ns := 0.0
	for _, p := range ps {
		features := float64(p.T) * float64(p.K)
		if key := p.withoutScaling(); !shared[key] {
			shared[key] = true
			ns += features * (20*d + n*(1+0.03*d))
		}
		far := vmath.PackedBytes(s.N, 2*p.K) > 2<<20 // beyond a core's own cache
		perRow := 4.5                                // about 13 passes over cosines and sines
		switch {
		case random && far && len(ps) > 1:
			perRow = 1.1 // two passes; between them other grid points use the cache
		case random:
			perRow = 0.3 // two passes
		case far:
			perRow = 10
		}
		ns += features * (4*d + n*perRow)
	}
	return ns
}

// leastSquares is the criterion of equations (5) and (7):
//
//	landmark  min over l in R^d of  mean (r_i - (1/K) sum_j cos(omega_j.(l - x_i)))^2
//	weights   q_j proportional to exp(-beta mean (r_i - cos(omega_j.(l - x_i)))^2)
//
// (the paper's second line of (7) lacks the minus sign of its first).
var leastSquares = criterion{landmark: (*vmath.Packed).LandmarkSquareLoss, features: (*vmath.Packed).PairSquareLosses}

// fit2019 is Algorithm 1 with the weak learners of Section 4.2. The search for the landmark is that of GBRFF1. Grid points that
// differ in beta and learning_rate alone run together.
func fit2019(ctx context.Context, env registry.Env, train registry.Data, ps []Params2019, name string, random bool, yield func(i int, m registry.Model) error) error {
	x := rowsOf(train.X).pack()
	return inGroups(name, ps, Params2019.withoutScaling, func(group []int) ([]*ensemble, error) {
		return boost2019(ctx, env, train, x, ps, group, random)
	}, yield)
}

// boost2019 fits the grid points ps[i], i of the group, which differ in beta and learning_rate alone.
func boost2019(ctx context.Context, env registry.Env, train registry.Data, x *vmath.Packed, ps []Params2019, group []int, random bool) ([]*ensemble, error) {
	p, d := ps[group[0]], x.Cols()
	rng := env.Rand()
	omegas := draw(rng, p.T*p.K*d, p.coefficient())
	var landmarks []int
	if random {
		landmarks = rng.Choice(len(train.Y), p.T)
	}
	b := newLearner(x, p.K, leastSquares)
	residuals, models := make([][]float64, len(group)), make([]*ensemble, len(group))
	for at := range group {
		h0 := vmath.Sum(train.Y) / float64(len(train.Y)) // line 1
		models[at] = newEnsemble(d, p.T, p.K, h0, omegas)
		residuals[at] = slices.Clone(train.Y) // line 3
		floats.AddConst(-h0, residuals[at])
	}
	for t := range p.T { // line 2
		b.setFrequencies(models[0].round(t))
		for at, i := range group {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			r, m := residuals[at], models[at]
			if random { // line 4: equation (5)
				copy(m.phases(t), b.placeLandmark(train.X.RawRowView(landmarks[t]), r))
			} else {
				copy(m.phases(t), b.findLandmark(r))
			}
			b.weigh(m.weights(t), ps[i].Beta) // equation (7)
			h := b.values(m.weights(t))
			alpha := leastSquaresStep(r, h) // equation (8)
			if math.IsNaN(alpha) {
				return nil, fmt.Errorf("round %d: %w", t+1, errNotANumber)
			}
			m.Alpha[t] = ps[i].LearningRate * alpha
			vmath.Axpy(-m.Alpha[t], h, r) // line 5; line 3 of the next round
		}
	}
	return models, nil
}

// leastSquaresStep returns the alpha that minimises sum (r_i - alpha h_i)^2, or 0 if h is zero.
func leastSquaresStep(r, h []float64) float64 {
	hh := vmath.Dot(h, h)
	if hh == 0 {
		return 0
	}
	return vmath.Dot(r, h) / hh
}
