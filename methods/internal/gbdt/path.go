package gbdt

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
)

// LeafwisePath fits a model for each of the grid points ps and calls yield with the model, in the order that costs
// least. The models are equal to those of separate fits. LeafwisePath stops at the first error of yield.
//
// Grid points that differ in the depth alone share the first rounds: as long as no tree of the deeper model is deeper
// than the smaller limit, both models are the same. NumLeaves must not limit these trees either, as in the grid of the
// 2020 paper (num_leaves = 2^max_depth).
func LeafwisePath(ctx context.Context, ds *Dataset, train registry.Data, ps []LeafwiseParams,
	yield func(i int, m *Model) error) error {
	if err := checkTargets(train); err != nil {
		return err
	}
	for _, family := range fitting.Groups(fitting.Upto(len(ps)), func(i int) LeafwiseParams {
		key := ps[i]
		if key.MaxDepth > 0 && key.MaxDepth < 17 && key.NumLeaves >= 1<<key.MaxDepth {
			key.MaxDepth, key.NumLeaves = 0, 0
		}
		return key
	}) {
		if err := fitFamily(ctx, ds, train, ps, family, yield); err != nil {
			return err
		}
	}
	return nil
}

// A fork is the round at which a grid point with a smaller depth begins to differ from one with a larger depth.
type fork struct {
	setting int
	depth   int
	round   int // the first round that is not shared
	scores  [][]float64
}

// fitFamily fits grid points that differ in depth alone, the deepest first.
func fitFamily(ctx context.Context, ds *Dataset, train registry.Data, ps []LeafwiseParams, family []int,
	yield func(i int, m *Model) error) error {
	slices.SortStableFunc(family, func(a, b int) int { return ps[b].MaxDepth - ps[a].MaxDepth })
	b := newBooster(ds, train, ps[family[0]])
	first := family[0]
	var shared []*Tree
	var ahead []*fork
	for _, i := range family[1:] {
		ahead = append(ahead, &fork{setting: i, depth: ps[i].MaxDepth, round: -1})
	}
	for {
		if err := b.run(ctx, ahead); err != nil {
			return err
		}
		if err := yield(first, b.model); err != nil {
			return err
		}
		if len(ahead) == 0 {
			return nil
		}
		next := ahead[0]
		first, ahead = next.setting, ahead[1:]
		if next.round < 0 { // no tree was deeper than its limit
			continue
		}
		shared = b.model.Trees[:next.round*b.model.Outputs]
		b.restart(ps[first], shared, next)
		for _, f := range ahead {
			if f.round >= next.round { // this grid point may share later rounds with the new model
				f.round, f.scores = -1, nil
			}
		}
	}
}

// run boosts to the last round. For each grid point ahead, it notes the first round that is not shared.
func (b *booster) run(ctx context.Context, ahead []*fork) error {
	before := make([][]float64, len(b.scores))
	for b.more() {
		if err := ctx.Err(); err != nil {
			return err
		}
		waiting := slices.ContainsFunc(ahead, func(f *fork) bool { return f.round < 0 })
		if waiting {
			for k, s := range b.scores {
				before[k] = append(before[k][:0], s...)
			}
		}
		b.grower.deepest = 0
		b.round()
		for _, f := range ahead {
			if f.round < 0 && b.grower.deepest > f.depth {
				f.round = b.rounds - 1
				for _, s := range before {
					f.scores = append(f.scores, slices.Clone(s))
				}
			}
		}
	}
	return nil
}

// restart begins a model with the shared trees and their scores.
func (b *booster) restart(p LeafwiseParams, shared []*Tree, f *fork) {
	m := *b.model
	m.Trees = slices.Clone(shared)
	b.model, b.p, b.grower.p = &m, p, p
	b.scores, b.rounds, b.ended = f.scores, f.round, false
}
