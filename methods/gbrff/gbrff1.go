package gbrff

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// Params1 holds GBRFF1's parameters.
type Params1 struct {
	T     int     `json:"rounds" range:"[1,)" means:"boosting rounds, each of which adds a learner"`
	K     int     `json:"features" range:"[1,)" means:"random features of a round"`
	Gamma float64 `json:"gamma" range:"[0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2); 0 is 1/d"`
	Beta  float64 `json:"beta" range:"[0,)" means:"how sharply the better features are preferred; 0 weighs all alike"`
}

// withoutBeta returns p with beta = 0. Grid points that differ in beta alone have the same withoutBeta and are advanced
// together.
func (p Params1) withoutBeta() Params1 {
	p.Beta = 0
	return p
}

// GBRFF1 declares Algorithm 2 of the paper with the grid of its experiments.
func GBRFF1() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "GBRFF1", Version: "2", Tasks: registry.Binary,
		Growth:  registry.Growth{Rows: 0.9, Features: 0.2, Points: 0.95, By: registry.By{"features": 0.8, "rounds": 1}},
		Source:  "Gautheron et al., ECML PKDD 2020, Algorithm 2",
		Summary: "boosted sums of weighted random Fourier features at learned landmarks",
		Load:    load,
	}, Params1{T: 100, K: 10, Beta: 1}, registry.Grid{
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
		{Name: "beta", Values: registry.Powers(10, -2, 2)},
	}, fit1,
		registry.Memory(memory1))
}

// memory1 counts the packed rows, the normals, the cosines and sines, and the values of the
// learner besides the model.
func memory1(s registry.Shape, p Params1) int64 {
	return memory(s, p.T, p.K) + int64(vmath.PackedBytes(s.N, s.D)+vmath.PackedBytes(s.N, 2*p.K)) +
		8*int64(p.T*p.K*s.D+s.N)
}

// fit1 is Algorithm 2. The published program stops the search for the landmark after ten L-BFGS iterations from the
// origin, and so does this one. Grid points that differ in beta alone run round by round together, and all gammas scale
// the same normals.
func fit1(ctx context.Context, env registry.Env, train registry.Data, ps []Params1,
	yield func(i int, m registry.Model) error) error {
	if err := bothClasses(train.Y); err != nil {
		return fmt.Errorf("GBRFF1: %w", err)
	}
	x := rowsOf(train.X).pack()
	drawn := map[int][]float64{} // the normals, by their number
	return inGroups("GBRFF1", ps, Params1.withoutBeta, func(group []int) ([]*ensemble, error) {
		p, d := ps[group[0]], x.Cols()
		count := p.T * p.K * d
		if drawn[count] == nil {
			drawn[count] = draw(env.Rand(), count, 0.5)
		}
		// line 5 of every round
		omegas := floats.ScaleTo(make([]float64, count), math.Sqrt(2*coefficient(p.Gamma, d)), drawn[count])
		return boost1(ctx, x, train.Y, omegas, ps, group)
	}, yield)
}

// boost1 fits the grid points ps[i], i of the group, with the frequencies of all rounds.
func boost1(ctx context.Context, x *vmath.Packed, y, omegas []float64, ps []Params1, group []int) ([]*ensemble, error) {
	p, d := ps[group[0]], x.Cols()
	b := newLearner(x, p.K)
	votes, models := make([]*state, len(group)), make([]*ensemble, len(group))
	for at := range group {
		votes[at] = newState(y) // lines 1, 3 and 4
		models[at] = newEnsemble(d, p.T, p.K, votes[at].h0, omegas)
	}
	for t := range p.T { // line 2
		b.setFrequencies(models[0].round(t)) // line 5
		for at, i := range group {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v, m := votes[at], models[at]
			copy(m.phases(t), b.findLandmark(v.residual))                // line 6
			b.weigh(m.weights(t), ps[i].Beta*math.Sqrt(float64(len(y)))) // line 7
			alpha, err := v.add(b.values(m.weights(t)))                  // lines 8 and 9; 3 and 4 of the next round
			if err != nil {
				return nil, fmt.Errorf("round %d: %w", t+1, err)
			}
			m.Alpha[t] = alpha
		}
	}
	return models, nil
}
