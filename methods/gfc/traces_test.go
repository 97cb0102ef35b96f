package gfc

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// trace is one run of the published program, from traces.json.
type trace struct {
	Method     string    `json:"method"`
	Dataset    string    `json:"dataset"`
	Seed       uint32    `json:"seed"`
	Features   int       `json:"num_features"`
	C          float64   `json:"C"`
	MethodSeed uint32    `json:"method_seed"`
	Start      []float64 `json:"init_spectrum_0"`
	Omega0     []float64 `json:"W_0"`
	Accuracy   float64   `json:"test_accuracy"`
}

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
	var traces []trace
	testenv.ReadOracle(t, "traces.json", &traces)
	for i, tr := range traces {
		if tr.Method != "GFC" {
			continue
		}
		t.Run(fmt.Sprintf("%d-%s-%d", i, tr.Dataset, tr.Seed), func(t *testing.T) {
			train, test := testsplit.Load(t, tr.Dataset, tr.Seed)
			env := registry.Env{Seed: tr.MethodSeed}
			omega, err := learn(t.Context(), env, train, 1)
			if err != nil {
				t.Fatal(err)
			}
			start := make([]float64, train.Shape().D)
			env.Rand().Norms(start)
			for j, want := range tr.Start {
				if got := start[j] / math.Sqrt(float64(len(start))); math.Abs(got-want) > startTol {
					t.Errorf("the first start has %v at %d, published %v", got, j, want)
				}
			}
			for j, want := range tr.Omega0 {
				if got := omega.At(0, j); math.Abs(got-want) > omegaTol {
					t.Errorf("the first frequency has %v at %d, published %v", got, j, want)
				}
			}
			correct := tr.correct(t, train, test)
			spread := 0
			for seed := range uint64(perturbed) {
				other := tr.correct(t, testsplit.Jitter(train, perturbation, seed), test)
				spread = max(spread, correct-other, other-correct)
			}
			published := int(math.Round(tr.Accuracy * float64(len(test.Y))))
			if apart := max(correct-published, published-correct); apart > accuracyRows+spread {
				t.Errorf("%d correct test rows, published %d; perturbed runs differ by up to %d", correct, published, spread)
			}
		})
	}
}

// correct fits the trace's setting and counts test rows on the right side.
func (tr trace) correct(t *testing.T, train, test registry.Data) int {
	t.Helper()
	raw, err := json.Marshal(Params{Features: tr.Features, C: tr.C})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Spec().Fit(t.Context(), registry.Env{Seed: tr.MethodSeed}, train, raw)
	if err != nil {
		t.Fatal(err)
	}
	return testsplit.Correct(t, m, test)
}
