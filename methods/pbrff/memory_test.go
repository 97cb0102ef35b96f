//go:build !race

// The race detector makes pools forget, and so more is allocated.

package pbrff

import (
	"context"
	"math"
	"runtime"
	"testing"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// TestMemoryEstimate: what a path over beta allocates is what is declared, within a quarter.
func TestMemoryEstimate(t *testing.T) {
	data := testsplit.Waves(9, 2000, 30)
	declared, err := Spec().MemoryEstimate(data.Shape(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var ps []Params
	for beta := range gridBetas {
		ps = append(ps, Params{Landmarks: 100, K: 10, Beta: float64(beta), C: 1})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	first := true
	stop := context.Canceled
	err = fitPath(t.Context(), registry.Env{Seed: 1}, data, ps, func(_ int, m registry.Model) error {
		if first { // all representations exist, and one machine
			first = false
			if err := m.Score(t.Context(), data.X, make([]float64, len(data.Y))); err != nil {
				return err
			}
			return stop
		}
		return nil
	})
	if err != stop {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := float64(after.TotalAlloc - before.TotalAlloc); math.Abs(allocated/float64(declared)-1) > 0.25 {
		t.Errorf("%d bytes declared, %.0f allocated", declared, allocated)
	}
}
