package classic

import (
	"testing"

	"github.com/kernelboosting/bench/registry/conform"
)

func TestConformLogistic(t *testing.T) { conform.Run(t, Logistic()) }

func TestConformLDA(t *testing.T) { conform.Run(t, LDA()) }

func TestConformKNN(t *testing.T) { conform.Run(t, KNN()) }
