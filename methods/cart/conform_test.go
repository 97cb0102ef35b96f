package cart

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConform(t *testing.T) {
	// All values are distinct: see cost.
	conform.Run(t, Spec(), conform.Cost(testsplit.Waves(3, 300, 5), 20))
}
