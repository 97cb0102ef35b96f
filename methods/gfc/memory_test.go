//go:build !race

// The race detector makes pools forget, and so more is allocated.

package gfc

import (
	"math"
	"runtime"
	"testing"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// TestMemoryEstimate: what a fit allocates is what is declared, within a quarter.
func TestMemoryEstimate(t *testing.T) {
	data := testsplit.Waves(9, 2000, 30)
	declared, err := Spec().MemoryEstimate(data.Shape(), []byte(`{"features":50}`))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Spec().Fit(t.Context(), registry.Env{Seed: 1}, data, []byte(`{"features":50}`)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if allocated := float64(after.TotalAlloc - before.TotalAlloc); math.Abs(allocated/float64(declared)-1) > 0.25 {
		t.Errorf("%d bytes declared, %.0f allocated", declared, allocated)
	}
}
