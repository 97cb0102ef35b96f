package cart

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConform(t *testing.T) {
	conform.Run(t, Spec())
	// All values are distinct: see golearnCost.
	conform.Run(t, Golearn(), conform.Cost(testsplit.Waves(3, 300, 5), 20))
}
