package methods_test

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/registry"
)

// TestConcurrentUse does what a run with several jobs does, for the race detector too: fits of one
// method share their data and nothing else, and a model is scored and saved by several at once.
func TestConcurrentUse(t *testing.T) {
	for _, m := range savedModels(t) {
		t.Run(m.String(), func(t *testing.T) {
			settings := []json.RawMessage{small(m.spec), small(m.spec)}
			want := m.scores(t, m.model)
			scored := func(by registry.Model) error {
				out := make([]float64, len(want))
				if err := by.Score(t.Context(), m.data.X, out); err != nil {
					return err
				}
				if !slices.Equal(out, want) {
					return fmt.Errorf("scores differ from those of a model alone")
				}
				return nil
			}
			var wait sync.WaitGroup
			together := func(do func() error) {
				wait.Go(func() {
					if err := do(); err != nil {
						t.Error(err)
					}
				})
			}
			for range 2 {
				together(func() error { return scored(m.model) })
				together(func() error { return m.model.Save(io.Discard) })
				together(func() error {
					env := registry.Env{Seed: 1}
					return m.spec.FitAll(t.Context(), env, m.data, settings,
						func(_ int, by registry.Model) error { return scored(by) })
				})
			}
			wait.Wait()
		})
	}
}
