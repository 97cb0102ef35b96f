package mfga

import (
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// squares is Waves with its labels as targets.
func squares(d registry.Data) registry.Data {
	d.Task, d.Classes = registry.Regression, 0
	return d
}

// classes is Waves with four classes.
func classes(d registry.Data) registry.Data {
	d.Task, d.Classes = registry.Multiclass, 4
	for i := range d.Y {
		d.Y[i] = float64(i % 4)
	}
	return d
}

func conforms(t *testing.T, spec registry.Spec) {
	t.Helper()
	conform.Run(t, spec,
		conform.Late(testsplit.Waves(1, 12000, 60), 0, 20*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond),
		conform.Memory(testsplit.Waves(9, 3000, 30), `{"features":30}`),
		conform.Cost(testsplit.Waves(3, 3000, 30), 4))
	conform.Memory(squares(testsplit.Waves(9, 3000, 30))).Check(t, spec)
	conform.Memory(squares(testsplit.Waves(1, 6000, 100)), `{"sigma":3,"features":60}`).Check(t, spec)
	conform.Memory(classes(testsplit.Waves(1, 2000, 20))).Check(t, spec)
	conform.Cost(squares(testsplit.Waves(3, 3000, 30)), 4).Check(t, spec)
}

func TestConformMFGA(t *testing.T) {
	conforms(t, MFGA())
	conform.Prefixes(t, MFGA(), "features")
}

func TestConformRKS(t *testing.T)  { conforms(t, RKS()) }
func TestConformEERF(t *testing.T) { conforms(t, EERF()) }
func TestConformLKRF(t *testing.T) { conforms(t, LKRF()) }
