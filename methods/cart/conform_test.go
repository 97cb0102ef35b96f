package cart

import (
	"testing"

	"github.com/kernelboosting/bench/registry/conform"
)

func TestConform(t *testing.T) {
	conform.Run(t, Spec())
}
