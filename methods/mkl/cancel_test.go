package mkl

import (
	"context"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// TestCancellation: on thousands of rows, kernel matrices in memory or rows on demand, a path notices the end of its
// context.
func TestCancellation(t *testing.T) {
	for _, n := range []int{2600, 9000} {
		data := testsplit.Rough(n, 40)
		for _, spec := range []registry.Spec{BMKR(), GMKL(), MKBoost()} {
			t.Run(spec.Name, func(t *testing.T) {
				points, err := spec.Settings(data.Shape(), spec.DefaultGrid(), nil)
				if err != nil {
					t.Fatal(err)
				}
				testsplit.Late(t, func(ctx context.Context) error {
					return spec.FitAll(ctx, registry.Env{}, data, points[len(points)/2:], func(int, registry.Model) error { return nil })
				}, 5*time.Millisecond, 100*time.Millisecond, 400*time.Millisecond)
			})
		}
	}
}
