package kernel

import (
	"fmt"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

func all() []registry.Spec {
	return []registry.Spec{GK(), GLK(), KRRGD(), SVM(), Falkon(), Nystroem(), EigenPro()}
}

func TestConform(t *testing.T) {
	for _, spec := range all() {
		t.Run(spec.Name, func(t *testing.T) { conform.Run(t, spec) })
	}
}

func TestConformBlocks(t *testing.T) { conform.Blocks(t, KRRGD()) }

// TestCancellation: on thousands of rows a fit notices the end of its context.
func TestCancellation(t *testing.T) {
	ends := []time.Duration{20 * time.Millisecond, 250 * time.Millisecond}
	if testenv.Thorough(t) {
		ends = append(ends, 600*time.Millisecond)
	}
	late := conform.Late(testsplit.Rough(4_000, 6), ends...)
	for _, spec := range all() {
		t.Run(spec.Name, func(t *testing.T) { late.Check(t, spec) })
	}
}

// TestDeclared compares declared memory and cost with those of fits: memory of GK's and GLK's grid, whose problems are solved together. On few rows KRR-GD leaves
// garbage, which would count as its memory; SVM declares the interior point that few problems come to.
func TestDeclared(t *testing.T) {
	var grid []string
	for lambda := 1e-5; lambda < 2e5; lambda *= 10 {
		grid = append(grid, fmt.Sprintf(`{"lambda": %g}`, lambda))
	}
	for _, n := range []int{300, 1400} {
		data := testsplit.Rough(n, 8)
		for _, spec := range all() {
			t.Run(fmt.Sprint(spec.Name, "/", n), func(t *testing.T) {
				if spec.Name == "KRR-GD" && n > 1000 {
					testenv.OnlyThorough(t)
				}
				conform.Cost(data, 8).Check(t, spec)
				switch {
				case spec.Name == "GK" || spec.Name == "GLK":
					conform.Memory(data, grid...).Check(t, spec)
				case (spec.Name == "KRR-GD" || spec.Name == "EIGENPRO") && n > 1000:
					conform.Memory(data).Check(t, spec)
				case spec.Name == "FALKON" && n > 1000:
					conform.Memory(data, `{"loss": "logistic"}`).Check(t, spec)
					conform.CostAt(data, []byte(`{"loss": "logistic"}`), 8).Check(t, spec)
				}
			})
		}
	}
}
