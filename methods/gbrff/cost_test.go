//go:build unix

package gbrff

import (
	"testing"

	"github.com/kernelboosting/bench/internal/testsplit"
)

// BenchmarkCost compares times with the declared costs.
func BenchmarkCost(b *testing.B) {
	testsplit.Cost(b, []string{"wine", "pima", "german", "spambase"}, GBRFF1(), GBRFF2(), GBRFF(), GBRFFRandom())
}
