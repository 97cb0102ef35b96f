package rfm

import (
	"fmt"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry/conform"
)

// TestCancellation: on thousands of rows a fit notices the end of its context.
func TestCancellation(t *testing.T) {
	conform.Late(testsplit.Rough(4_000, 6), 20*time.Millisecond, 250*time.Millisecond).Check(t, RFM())
}

// TestDeclared compares declared memory and cost with those of fits.
func TestDeclared(t *testing.T) {
	for _, n := range []int{300, 1400} {
		data := testsplit.Rough(n, 8)
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			conform.Cost(data, 4).Check(t, RFM())
			conform.Memory(data).Check(t, RFM())
		})
	}
}
