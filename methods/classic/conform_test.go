package classic

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConformLogistic(t *testing.T) { conform.Run(t, Logistic()) }

func TestConformLDA(t *testing.T) { conform.Run(t, LDA()) }

func TestConformKNN(t *testing.T) { conform.Run(t, KNN()) }

// TestLogisticDeclaresItsMemory: products for several classes at once copy a part of the rows, those for one output copy nothing.
func TestLogisticDeclaresItsMemory(t *testing.T) {
	data := testsplit.Rough(20_000, 50)
	conform.Memory(data, `{"c": 0.001}`).Check(t, Logistic())
	data.Task, data.Classes = registry.Multiclass, 3
	for i := range data.Y {
		data.Y[i] = float64(i % 3)
	}
	conform.Memory(data, `{"c": 0.001}`).Check(t, Logistic())
}
