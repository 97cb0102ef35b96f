package gbrff

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/registry"
)

// A pathFunc fits several settings: see [registry.Path].
type pathFunc[P any] func(ctx context.Context, env registry.Env, train registry.Data, ps []P, yield func(i int, m registry.Model) error) error

// one fits a single setting as a path of one, so that there is one algorithm.
func (fit pathFunc[P]) one(ctx context.Context, env registry.Env, train registry.Data, p P) (registry.Model, error) {
	var model registry.Model
	err := fit(ctx, env, train, []P{p}, func(_ int, m registry.Model) error {
		model = m
		return nil
	})
	return model, err
}

// inGroups fits the settings with equal keys together by boost, which is given their
// indices, and yields their models; name stands before errors.
func inGroups[P any, K comparable](name string, ps []P, key func(P) K, boost func(group []int) ([]*ensemble, error), yield func(i int, m registry.Model) error) error {
	var keys []K
	groups := map[K][]int{}
	for i, p := range ps {
		k := key(p)
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], i)
	}
	for _, k := range keys {
		models, err := boost(groups[k])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for at, i := range groups[k] {
			if err := yield(i, models[at]); err != nil {
				return err
			}
		}
	}
	return nil
}
