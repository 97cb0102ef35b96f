package mkl

import (
	"testing"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConformBMKR(t *testing.T) {
	conform.Run(t, BMKR())
}

func TestConformMKBoost(t *testing.T) {
	conform.Run(t, MKBoost())
}

func TestConformGMKL(t *testing.T) {
	conform.Run(t, GMKL())
}

func TestPrefixes(t *testing.T) {
	for _, spec := range []registry.Spec{BMKR(), MKBoost()} {
		t.Run(spec.Name, func(t *testing.T) { conform.Prefixes(t, spec, "rounds") })
	}
}

func TestConformBlocks(t *testing.T) { conform.Blocks(t, GMKL()) }
