package trees

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/gbdt"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// XGB declares XGBoost's boosting: trees grown level by level on exact splits. The
// grid is that of the 2019 paper: learning_rate 1, .5, .1, .05, .01 and max_depth
// 1..5; that paper's protocol has 200 rounds.
func XGB() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "XGB",
		Growth: registry.Growth{Rows: 1, Features: 0.5, Outputs: 1, Points: 0.95,
			By: registry.By{"max_depth": 0.75, "rounds": 0.9}},
		Version:     "3",
		Tasks:       registry.Binary | registry.Multiclass | registry.Regression,
		Source:      "Chen and Guestrin 2016 (XGBoost), Alg. 1",
		Summary:     "gradient boosting of depth-wise trees on exact splits, as XGBoost with tree_method exact",
		Load:        xgbModel(nil).load,
		LightGBM:    true,
		Gaps:        true,
		Probability: vmath.Sigmoid,
	}, gbdt.DepthwiseParams{Rounds: 100, LearningRate: 0.3, MaxDepth: 6, MinHessian: 1, L2: 1},
		registry.Grid{
			{Name: "learning_rate", Values: registry.Values(1, .5, .1, .05, .01)},
			{Name: "max_depth", Values: registry.Values(1, 2, 3, 4, 5)},
		},
		fitting.WarnPath("XGB", 1e5, xgbPath), // which rounds features to 32 bits
		registry.Memory(xgbMemory))
}

func xgbModel(m *gbdt.Model) *Boosted { return &Boosted{name: "XGB", single: true, m: m} }

// xgbPath sorts the features once.
func xgbPath(ctx context.Context, _ registry.Env, train registry.Data, ps []gbdt.DepthwiseParams,
	yield func(i int, m registry.Model) error) error {
	n, d := train.X.Dims()
	sorted, err := gbdt.NewSorted(ctx, fitting.Rows(train.X), n, d)
	if err != nil {
		return err
	}
	for i, p := range ps {
		m, err := gbdt.Depthwise(ctx, sorted, train, p)
		if err != nil {
			return err
		}
		if err := yield(i, xgbModel(m)); err != nil {
			return err
		}
	}
	return nil
}
