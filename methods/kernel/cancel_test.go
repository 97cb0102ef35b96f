package kernel

import (
	"context"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// TestCancellation: on thousands of rows a fit notices the end of its context, in the kernel matrix, the factorisation and what
// follows.
func TestCancellation(t *testing.T) {
	data := testsplit.Rough(4000, 6)
	for _, spec := range []registry.Spec{GK(), GLK(), KRRGD()} {
		t.Run(spec.Name, func(t *testing.T) {
			testsplit.Late(t, func(ctx context.Context) error {
				_, err := spec.Fit(ctx, registry.Env{}, data, nil)
				return err
			}, 20*time.Millisecond, 250*time.Millisecond, 600*time.Millisecond)
		})
	}
}
