package mkl

import (
	"testing"

	"github.com/kernelboosting/bench/registry/conform"
)

func TestConformBMKR(t *testing.T) { conform.Run(t, BMKR()) }

func TestConformMKBoost(t *testing.T) { conform.Run(t, MKBoost()) }

func TestConformGMKL(t *testing.T) { conform.Run(t, GMKL()) }
