package kernel

import (
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// TestCancellation: on thousands of rows a fit notices the end of its context, in the partial factor, the products with the kernel and what
// follows.
func TestCancellation(t *testing.T) {
	testenv.NotUnderRace(t)
	late := conform.Late(testsplit.Rough(10_000, 6), 20*time.Millisecond, 250*time.Millisecond, 600*time.Millisecond)
	for _, spec := range []registry.Spec{GK(), GLK(), KRRGD(), SVM()} {
		t.Run(spec.Name, func(t *testing.T) { late.Check(t, spec) })
	}
}

// TestDeclared compares declared memory and cost with those of a fit. KRR-GD leaves garbage, which would count as its memory;
// SVM declares the interior point that few problems come to.
func TestDeclared(t *testing.T) {
	testenv.NotUnderRace(t)
	memory, cost := conform.Memory(testsplit.Rough(800, 8)), conform.Cost(testsplit.Rough(300, 8), 8)
	for _, spec := range []registry.Spec{GK(), GLK()} {
		t.Run(spec.Name, func(t *testing.T) { memory.Check(t, spec) })
	}
	for _, spec := range []registry.Spec{GK(), GLK(), KRRGD(), SVM()} {
		t.Run(spec.Name, func(t *testing.T) { cost.Check(t, spec) })
	}
}

// TestDeclaredLarge is TestDeclared beyond exactRows.
func TestDeclaredLarge(t *testing.T) {
	testenv.NotUnderRace(t)
	memory, cost := conform.Memory(testsplit.Rough(1400, 8)), conform.Cost(testsplit.Rough(1100, 8), 8)
	for _, spec := range []registry.Spec{GK(), GLK(), KRRGD()} {
		t.Run(spec.Name, func(t *testing.T) { memory.Check(t, spec); cost.Check(t, spec) })
	}
}
