//go:build unix

package methods_test

import (
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/methods"
)

// BenchmarkCost compares times on real sets with the declared costs: -bench 'Cost/^LGBM$' of one method.
func BenchmarkCost(b *testing.B) {
	slow := []string{"BMKR", "GMKL", "MKBOOST", "GK", "GLK", "KRR-GD"} // on spambase
	for _, spec := range methods.All().All() {
		large := "spambase"
		if slices.Contains(slow, spec.Name) {
			large = "splice"
		}
		testsplit.Cost(b, []string{"wine", "pima", "german", large}, spec)
	}
}
