package gfc

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/methods/internal/published"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// The published program and this one do the same operations in another order. The first
// start is equal; the first frequency is where L-BFGS stops, equal to rounding or, where the
// last iterations stop on a flat objective, to omegaTol. Rounding grows from step to step, so the
// accuracy may differ by accuracyRows test rows and as much again as runs on features
// changed by one part in 1e15 differ from ours. (The published support vector machine also
// stops after 10,000 iterations.)
const (
	startTol     = 1e-15
	omegaTol     = 1e-4
	accuracyRows = 2
	perturbation = 1e-15
	perturbed    = 4 // runs
)

func TestPublishedTraces(t *testing.T) {
	published.EachTrace(t, "GFC", func(t *testing.T, tr published.Trace, train, test registry.Data) {
		env := registry.Env{Seed: tr.MethodSeed}
		omega := must.Get(learn(t.Context(), env, train, 1))(t)
		start := make([]float64, train.Shape().D)
		env.Rand().Norms(start)
		for j, want := range tr.Start {
			if got := start[j] / math.Sqrt(float64(len(start))); math.Abs(got-want) > startTol {
				t.Errorf("the first start has %v at %d, published %v", got, j, want)
			}
		}
		for j, want := range tr.W0 {
			if got := omega.At(0, j); math.Abs(got-want) > omegaTol {
				t.Errorf("the first frequency has %v at %d, published %v", got, j, want)
			}
		}
		fitted := func(train registry.Data) int {
			raw := must.Get(json.Marshal(Params{Features: tr.Features, C: tr.C}))(t)
			return testsplit.Correct(t, must.Get(Spec().Fit(t.Context(), env, train, raw))(t), test)
		}
		correct, spread := fitted(train), 0
		for seed := range uint64(perturbed) {
			other := fitted(testsplit.Jitter(train, perturbation, seed))
			spread = max(spread, correct-other, other-correct)
		}
		published.Near(t, correct, tr.Accuracy, test, accuracyRows+spread)
	})
}
