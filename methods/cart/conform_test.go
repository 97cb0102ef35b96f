package cart

import (
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConform(t *testing.T) {
	testenv.NotUnderRace(t)
	conform.Run(t, Spec())
}
