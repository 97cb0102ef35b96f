package fourier

import (
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry/conform"
)

// TestDeclared compares declared memory and cost with those of a fit.
func TestDeclared(t *testing.T) {
	for _, spec := range all() {
		t.Run(spec.Name, func(t *testing.T) {
			conform.Memory(testsplit.Rough(1500, 6)).Check(t, spec)
			conform.Memory(testsplit.Rough(300, 30)).Check(t, spec) // more columns than rows
			conform.Cost(testsplit.Rough(1000, 6), 4).Check(t, spec)
		})
	}
}

// TestCancellation: fits on thousands of rows notice the end of their context, in the products, the solutions and what is between.
func TestCancellation(t *testing.T) {
	for _, spec := range all() {
		t.Run(spec.Name, func(t *testing.T) {
			n := 20000
			switch spec.Name {
			case SQLSKL().Name: // one product
				n = 100000
			case SQLMKL().Name, MKL().Name: // fast
				n = 80000
			}
			ends := []time.Duration{20 * time.Millisecond, 250 * time.Millisecond}
			if testenv.Thorough(t) {
				ends = append(ends, 600*time.Millisecond)
			}
			conform.Late(testsplit.Rough(n, 20), ends...).Check(t, spec)
		})
	}
}
