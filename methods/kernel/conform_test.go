package kernel

import (
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConformGK(t *testing.T) {
	testenv.NotUnderRace(t)
	conform.Run(t, GK())
}

func TestConformGLK(t *testing.T) {
	testenv.NotUnderRace(t)
	conform.Run(t, GLK())
}

func TestConformKRRGD(t *testing.T) {
	testenv.NotUnderRace(t)
	conform.Run(t, KRRGD())
}

func TestConformBlocks(t *testing.T) { conform.Blocks(t, KRRGD()) }

func TestConformSVM(t *testing.T) {
	testenv.NotUnderRace(t)
	conform.Run(t, SVM())
}
