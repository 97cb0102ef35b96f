package kernel

import (
	"testing"

	"github.com/kernelboosting/bench/registry/conform"
)

func TestConformGK(t *testing.T) {
	conform.Run(t, GK())
}

func TestConformGLK(t *testing.T) {
	conform.Run(t, GLK())
}

func TestConformKRRGD(t *testing.T) {
	conform.Run(t, KRRGD())
}

func TestConformBlocks(t *testing.T) { conform.Blocks(t, KRRGD()) }

func TestConformSVM(t *testing.T) {
	conform.Run(t, SVM())
}

func TestConformFalkon(t *testing.T) {
	conform.Run(t, Falkon())
}

func TestConformNystroem(t *testing.T) {
	conform.Run(t, Nystroem())
}

func TestConformEigenPro(t *testing.T) {
	conform.Run(t, EigenPro())
}
