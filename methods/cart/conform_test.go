package cart

import (
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConform(t *testing.T) {
	testenv.NotUnderRace(t)
	// All values are distinct: see cost.
	conform.Run(t, Spec(), conform.Cost(testsplit.Waves(3, 300, 5), 20))
}
