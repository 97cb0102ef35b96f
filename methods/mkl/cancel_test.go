package mkl

import (
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// TestCancellation: on thousands of rows, kernel matrices in memory or rows on demand, a path notices the end of its
// context.
func TestCancellation(t *testing.T) {
	testenv.NotUnderRace(t)
	for _, n := range []int{2600, 9000} {
		late := conform.Late(testsplit.Rough(n, 40), 5*time.Millisecond, 100*time.Millisecond, 400*time.Millisecond)
		for _, spec := range []registry.Spec{BMKR(), GMKL(), MKBoost()} {
			t.Run(spec.Name, func(t *testing.T) { late.Check(t, spec) })
		}
	}
}
