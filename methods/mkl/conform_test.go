package mkl

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

func TestConform(t *testing.T) {
	for _, spec := range []registry.Spec{BMKR(), MKBoost(), GMKL()} {
		t.Run(spec.Name, func(t *testing.T) { conform.Run(t, spec) })
	}
}

func TestPrefixes(t *testing.T) {
	for _, spec := range []registry.Spec{BMKR(), MKBoost()} {
		t.Run(spec.Name, func(t *testing.T) { conform.Prefixes(t, spec, "rounds") })
	}
}

func TestConformBlocks(t *testing.T) { conform.Blocks(t, GMKL()) }

// TestCancellation: on thousands of rows, kernel matrices in memory or rows on demand, a path notices the end of its
// context.
func TestCancellation(t *testing.T) {
	sizes := []int{2600}
	if testenv.Thorough(t) {
		sizes = append(sizes, 9000)
	}
	for _, n := range sizes {
		late := conform.Late(testsplit.Rough(n, 40), 5*time.Millisecond, 100*time.Millisecond, 400*time.Millisecond)
		for _, spec := range []registry.Spec{BMKR(), GMKL(), MKBoost()} {
			t.Run(spec.Name, func(t *testing.T) { late.Check(t, spec) })
		}
	}
}

// TestDeclared compares the declared cost with a fit's. How long these machines take depends on the data far more than on its
// shape, so the factor is wide.
func TestDeclared(t *testing.T) {
	d := testsplit.Rough(300, 8)
	for _, m := range []struct {
		spec    registry.Spec
		setting json.RawMessage
	}{
		{BMKR(), nil},
		{GMKL(), nil},
		{MKBoost(), json.RawMessage(`{"c": 0.01}`)}, // it declares all rounds, and ends after the first with C = 1
	} {
		t.Run(m.spec.Name, func(t *testing.T) { conform.CostAt(d, m.setting, 15).Check(t, m.spec) })
	}
}
