package trees

import (
	"context"
	"math"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
)

// ForestParams are the parameters of a random forest.
type ForestParams struct {
	Trees    int `json:"trees" range:"[1,1e6]" means:"trees of the forest"`
	Features int `json:"max_features" range:"[0,)" means:"features tried in each node; 0 is sqrt(d), for regression d/3"`
}

// tried returns how many of d features a node tries.
func (p ForestParams) tried(s registry.Shape) int {
	switch {
	case p.Features > 0:
		return min(p.Features, s.D)
	case s.Task == registry.Regression:
		return max(1, s.D/3)
	}
	return max(1, int(math.Sqrt(float64(s.D))))
}

// RF declares the random forest by Breiman's rules. Each tree is grown on n rows
// drawn with replacement; each node takes the split with the least Gini impurity
// (regression: squared error) among some features drawn without replacement, where
// features that are constant in the node do not count. Trees are not pruned
// and grow until nodes are pure (regression: at most 5 rows). Each tree has one vote.
// The grid is one point, so there is nothing to choose by cross-validation.
func RF() registry.Spec {
	return registry.Define(registry.Spec{
		Name:    "RF",
		Growth:  registry.Growth{Rows: 1.15, Features: 0.45, Points: 1, By: registry.By{"trees": 1}},
		Version: "3",
		Tasks:   registry.Binary | registry.Multiclass | registry.Regression,
		Source:  "Breiman 2001",
		Summary: "random forest: bootstrap, sqrt(d) features a split, unpruned Gini trees, one vote a tree",
		Load:    loadForest,
	}, ForestParams{Trees: 200}, nil, fitForest,
		registry.Memory(memoryForest))
}

func fitForest(ctx context.Context, env registry.Env, train registry.Data, p ForestParams) (registry.Model, error) {
	g, err := newGrower(ctx, train)
	if err != nil {
		return nil, err
	}
	shape := train.Shape()
	f := &Forest{Task: train.Task.String(), Features: shape.D, Outputs: shape.Outputs(),
		Splits: make([]int, shape.D), Gain: make([]float64, shape.D)}
	tried, draws := p.tried(shape), env.Rand()
	for range p.Trees {
		// Each tree has its own generator, so that it does not depend on how the other trees grew.
		t, err := g.grow(f, rng.New(draws.Uint32()), tried)
		if err != nil {
			return nil, err
		}
		f.Trees = append(f.Trees, t)
	}
	return f, nil
}

// memoryForest counts the ranks, the tallies of classes by rank, and the trees, which have two nodes for each distinct
// row.
func memoryForest(s registry.Shape, p ForestParams) int64 {
	n := int64(s.N)
	return n*int64(s.D)*12 + n*64 + n*16*int64(s.Classes) + int64(p.Trees)*n*2/3*2*40 + 1<<20
}
