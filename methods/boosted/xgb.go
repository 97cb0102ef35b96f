package boosted

import (
	"context"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/gbdt"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// XGBParams are the parameters of XGBoost with the defaults of its sklearn interface. Its n_estimators is rounds here, and its reg_lambda lambda.
type XGBParams struct {
	Rounds       int     `json:"rounds" range:"[1,1e6]" means:"rounds"`
	LearningRate float64 `json:"learning_rate" range:"(0,1e6]" means:"share of each tree that is added"`
	MaxDepth     int     `json:"max_depth" range:"[1,30]" means:"splits from the root to a leaf at most"`
	MinHessian   float64 `json:"min_child_weight" range:"(0,1e30]" means:"sum of a leaf's second derivatives at least"`
	L2           float64 `json:"lambda" range:"[0,1e30]" means:"penalty on the squared values of leaves"`
}

// XGB declares XGBoost's boosting: trees grown level by level on exact splits. The
// grid is that of the 2019 paper: learning_rate 1, .5, .1, .05, .01 and max_depth
// 1..5; that paper's protocol has 200 rounds.
func XGB() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name:        "XGB",
		Version:     "3",
		Tasks:       registry.Binary | registry.Multiclass | registry.Regression,
		Source:      "Chen and Guestrin 2016 (XGBoost), Alg. 1",
		Summary:     "gradient boosting of depth-wise trees on exact splits, as XGBoost with tree_method exact",
		Load:        xgbModel(nil).load,
		Trees:       true,
		Gaps:        true,
		Probability: vmath.Sigmoid,
	}, XGBParams{Rounds: 100, LearningRate: 0.3, MaxDepth: 6, MinHessian: 1, L2: 1},
		registry.Grid{
			{Name: "learning_rate", Values: registry.Values(1, .5, .1, .05, .01)},
			{Name: "max_depth", Values: registry.Values(1, 2, 3, 4, 5)},
		},
		xgbPath,
		registry.Memory(xgbMemory),
		registry.PathCost(xgbPathCost))
}

func xgbModel(m *gbdt.Model) *Model { return &Model{name: "XGB", single: true, m: m} }

// xgbPath sorts the features once.
func xgbPath(ctx context.Context, _ registry.Env, train registry.Data, ps []XGBParams, yield func(i int, m registry.Model) error) error {
	n, d := train.X.Dims()
	sorted, err := gbdt.NewSorted(ctx, fitting.Rows(train.X), n, d)
	if err != nil {
		return err
	}
	for i, p := range ps {
		m, err := gbdt.Depthwise(ctx, sorted, targets(train), gbdt.DepthwiseParams(p))
		if err != nil {
			return err
		}
		if err := yield(i, xgbModel(m)); err != nil {
			return err
		}
	}
	return nil
}
