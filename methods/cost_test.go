//go:build unix

package methods_test

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/methods"
)

// BenchmarkCost compares times on real sets with the declared costs: -bench 'Cost/^LGBM$' of one method.
func BenchmarkCost(b *testing.B) {
	slow, kernel := []string{"BMKR", "MKBOOST"}, []string{"GK", "GLK", "KRR-GD"} // slow on spambase; cheap on low rank
	for _, spec := range methods.All().All() {
		large := []string{"spambase"}
		switch {
		case slices.Contains(slow, spec.Name):
			large = []string{"splice"}
		case spec.Name == "GMKL":
			large = []string{"splice", "spambase", "occupancy", "bankmarketing"}
		case slices.Contains(kernel, spec.Name):
			large = []string{"splice", "spambase", "occupancy"}
		}
		testsplit.Cost(b, append([]string{"wine", "pima", "german"}, large...), spec)
	}
}
