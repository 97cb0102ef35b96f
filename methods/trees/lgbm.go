package trees

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/gbdt"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// noLimit is the MaxDepth of LGBM with which only the number of leaves limits a tree.
const noLimit = -1

// LGBM declares LightGBM's boosting: leaf-wise trees on histograms of at most 255
// bins. The grid is that of the 2020 paper: max_depth 1..10 with num_leaves
// 2^max_depth, and lambda 0, 2^-5..2^-2. docs/explanation/methods.md says how far the trees agree with those of
// LightGBM itself.
func LGBM() registry.Spec {
	var depths []any
	for depth := 1; depth <= 10; depth++ {
		depths = append(depths, map[string]any{"max_depth": depth, "num_leaves": 1 << depth})
	}
	return registry.DefinePath(registry.Spec{
		Name:        "LGBM",
		Growth:      registry.Growth{Rows: 1, Features: 0.45, Outputs: 1, Points: 0.9, By: registry.By{"rounds": 1}},
		Version:     "1",
		Tasks:       registry.Binary | registry.Multiclass | registry.Regression,
		Source:      "Ke et al. 2017 (LightGBM)",
		Summary:     "gradient boosting of leaf-wise histogram trees, split for split as LightGBM",
		Load:        lgbmModel(nil).load,
		LightGBM:    true,
		Gaps:        true,
		Probability: vmath.Sigmoid,
	}, gbdt.LeafwiseParams{Rounds: 100, LearningRate: 0.1, NumLeaves: 31, MaxDepth: noLimit, MinData: 20,
		MinHessian: 1e-3},
		registry.Grid{{Values: depths}, {Name: "lambda", Values: append([]any{0.0}, registry.Powers(2, -5, -2)...)}},
		lgbmPath,
		registry.Memory(lgbmMemory))
}

func lgbmModel(m *gbdt.Model) *Boosted { return &Boosted{name: "LGBM", m: m} }

// lgbmPath puts the sample into bins once for each min_child_samples, since the bins depend on it. Grid points of
// different depths share their first rounds.
func lgbmPath(ctx context.Context, _ registry.Env, train registry.Data, ps []gbdt.LeafwiseParams,
	yield func(i int, m registry.Model) error) error {
	n, d := train.X.Dims()
	for _, members := range fitting.Groups(fitting.Upto(len(ps)), func(i int) int { return ps[i].MinData }) {
		ds, err := gbdt.NewDataset(ctx, fitting.Rows(train.X), n, d, ps[members[0]].MinData)
		if err != nil {
			return err
		}
		params := make([]gbdt.LeafwiseParams, len(members))
		for j, i := range members {
			params[j] = ps[i]
		}
		if err := gbdt.LeafwisePath(ctx, ds, train, params, func(j int, m *gbdt.Model) error {
			return yield(members[j], lgbmModel(m))
		}); err != nil {
			return err
		}
	}
	return nil
}
