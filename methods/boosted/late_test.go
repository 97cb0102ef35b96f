package boosted

import (
	"context"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// Preparation of many rows notices the end of its context too.
func TestLate(t *testing.T) {
	data := testsplit.Waves(1, 34000, 100)
	for _, spec := range []registry.Spec{LGBM(), XGB()} {
		t.Run(spec.Name, func(t *testing.T) {
			testsplit.Late(t, func(ctx context.Context) error {
				_, err := spec.Fit(ctx, registry.Env{Seed: 1}, data, nil)
				return err
			}, 0, 20*time.Millisecond, 100*time.Millisecond, 250*time.Millisecond)
		})
	}
}
