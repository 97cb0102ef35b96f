package gbrff

import (
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
)

// inGroups calls boost for each group of grid points with equal keys, gives it their indices, and yields the models
// that boost returns. The name of the method stands before errors.
func inGroups[P any, K comparable](name string, ps []P, key func(P) K,
	boost func(group []int) ([]*ensemble, error), yield func(i int, m registry.Model) error) error {
	for _, group := range fitting.Groups(fitting.Upto(len(ps)), func(i int) K { return key(ps[i]) }) {
		models, err := boost(group)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for at, i := range group {
			if err := yield(i, models[at]); err != nil {
				return err
			}
		}
	}
	return nil
}
