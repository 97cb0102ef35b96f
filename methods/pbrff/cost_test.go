//go:build unix

package pbrff

import (
	"testing"

	"github.com/kernelboosting/bench/internal/testsplit"
)

// BenchmarkCost compares times with the declared costs.
func BenchmarkCost(b *testing.B) {
	testsplit.Cost(b, []string{"wine", "pima", "german", "spambase"}, Spec())
}
