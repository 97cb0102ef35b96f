package cart

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
)

// NoLimit is the MaxDepth with which a tree grows until every leaf is pure or cannot be improved.
const NoLimit = -1

// Params are CART's parameters. golearn itself accepts values outside their ranges, and then gives wrong trees.
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

// Spec declares CART. The grid is the depth alone, 1 to 10, with the default criterion of the task. So one grid fits
// classes and regression, and one grown tree gives all ten depths. A protocol that also wants entropy replaces the
// grid.
func Spec() registry.Spec {
	return define("CART", registry.Spec{
		Growth:  registry.Growth{Rows: 0.95, Features: 0.7, Outputs: 0.5, Points: 0.2},
		Source:  "Breiman et al. 1984",
		Summary: "single decision tree, depth chosen by cross-validation",
	}, growSorted, registry.Memory(memory))
}

// Golearn declares CART-golearn: the same trees, grown by golearn's own program, which takes 10 to 340 times longer.
func Golearn() registry.Spec {
	return define("CART-golearn", registry.Spec{
		Growth:  registry.Growth{Rows: 1.45, Features: 1, Outputs: 0.3, Points: 0.1},
		Source:  "Breiman et al. 1984, as implemented by golearn (commit 74ae077eafb2)",
		Summary: "CART as golearn grows it: the same trees, slowly",
		Named:   true,
	}, growGolearn, registry.Memory(golearnMemory))
}

func define(name string, s registry.Spec, by grower, opts ...registry.Option[Params]) registry.Spec {
	s.Name, s.Version = name, "1"
	s.Tasks = registry.Binary | registry.Multiclass | registry.Regression
	s.Load = load
	// a score is the share of +1 minus that of -1
	s.Probability = func(score float64) float64 { return (score + 1) / 2 }
	return registry.DefinePath(s, Params{Criterion: "auto", MaxDepth: NoLimit},
		registry.Grid{{Name: "max_depth", Values: registry.Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)}},
		method{name, by}.fitPath, opts...)
}

// A grower returns the splits of a tree of at most depth levels, the root first. It returns none if no split lowers the
// criterion.
type grower func(ctx context.Context, env registry.Env, train registry.Data, criterion string, depth int) ([]split,
	error)

// A method is CART by one of the growers.
type method struct {
	name string
	grow grower
}

// fitPath grows one tree for each criterion, to the largest depth, and cuts it at each depth. This is exact: the depth
// only decides where growing stops, so a shallower tree is the top of a deeper one.
func (by method) fitPath(ctx context.Context, env registry.Env, train registry.Data, ps []Params,
	yield func(i int, m registry.Model) error) error {
	if err := fitting.CheckSizes(by.name, train); err != nil {
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
		t, err := by.tree(ctx, env, train, criteria[members[0]], deepest(ps, members))
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

// tree grows one tree and gives its leaves their values.
func (by method) tree(ctx context.Context, env registry.Env, train registry.Data, criterion string,
	depth int) (*grown, error) {
	t := &grown{task: train.Task, outputs: train.Shape().Outputs(), rows: len(train.Y)}
	_, t.features = train.X.Dims()
	t.setRoot(train)
	if constant(train.Y) {
		return t, nil // for a pure root golearn would search all splits and predict 0 on the right side
	}
	var err error
	if t.splits, err = by.grow(ctx, env, train, criterion, depth); err != nil {
		return nil, err
	}
	if train.Task != registry.Regression {
		if err := t.count(train); err != nil {
			return nil, err
		}
	}
	return t, nil
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
