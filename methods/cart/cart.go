package cart

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
)

// NoLimit is the MaxDepth with which a tree grows until every leaf is pure or cannot be improved.
const NoLimit = -1

// Params are CART's parameters.
type Params struct {
	Criterion string `json:"criterion" range:"auto|gini|entropy|mse" means:"impurity that a split lowers: gini or entropy for classes, mse for regression, auto for gini or mse by the task"`
	MaxDepth  int    `json:"max_depth" range:"-1|[1,)" means:"splits from the root to a leaf at most; -1 is no limit"`
}

// criterion returns the impurity to use for the task.
func (p Params) criterion(task registry.Task) (string, error) {
	regression := task == registry.Regression
	switch {
	case p.Criterion == "auto" && regression:
		return "mse", nil
	case p.Criterion == "auto":
		return "gini", nil
	case (p.Criterion == "mse") != regression:
		return "", fmt.Errorf("criterion %q does not fit a %s problem; use auto", p.Criterion, task)
	}
	return p.Criterion, nil
}

// Spec declares CART. The grid is the depth alone, 1 to 10, with the default criterion of the task. So one grid fits classes
// and regression, and one grown tree gives all ten depths. A protocol that also wants entropy replaces the grid.
func Spec() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "CART", Version: "1", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Source:      "Breiman et al. 1984",
		Summary:     "single decision tree, depth chosen by cross-validation",
		Load:        load,
		Trees:       true,
		Probability: func(score float64) float64 { return (score + 1) / 2 }, // a score is the share of +1 minus that of -1
	}, Params{Criterion: "auto", MaxDepth: NoLimit}, registry.Grid{
		{Name: "max_depth", Values: registry.Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)},
	}, fitPath, registry.Memory(memory), registry.Cost(cost), registry.PathCost(pathCost))
}

// fitPath grows one tree for each criterion, to the largest depth, and cuts it at each depth. This is exact: the depth only
// decides where growing stops, so a shallower tree is the top of a deeper one.
func fitPath(ctx context.Context, _ registry.Env, train registry.Data, ps []Params, yield func(i int, m registry.Model) error) error {
	if err := fitting.CheckSizes("CART", train); err != nil {
		return err
	}
	criteria := make([]string, len(ps))
	for i, p := range ps {
		var err error
		if criteria[i], err = p.criterion(train.Task); err != nil {
			return err
		}
	}
	for _, members := range fitting.Groups(fitting.Upto(len(ps)), func(i int) string { return criteria[i] }) {
		t, err := grow(ctx, train, criteria[members[0]], deepest(ps, members))
		if err != nil {
			return err
		}
		for _, i := range members {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := yield(i, t.cut(ps[i].MaxDepth)); err != nil {
				return err
			}
		}
	}
	return nil
}

func deepest(ps []Params, members []int) int {
	depth := 0
	for _, i := range members {
		if ps[i].MaxDepth == NoLimit {
			return NoLimit
		}
		depth = max(depth, ps[i].MaxDepth)
	}
	return depth
}
