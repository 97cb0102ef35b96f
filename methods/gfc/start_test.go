package gfc

import (
	"context"
	"testing"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/methods/internal/linear"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkStart times the grid's path of C, the frequencies learned, from zero for each C as
// fitPath has it and from the solution before, and reports the Newton steps.
func BenchmarkStart(b *testing.B) {
	for _, set := range []string{"wine", "pima", "german", "spambase"} {
		train, _ := testsplit.Load(b, set, 1)
		omega, err := learn(b.Context(), registry.Env{Seed: 1}, train, 100)
		if err != nil {
			b.Fatal(err)
		}
		svm, err := represent(b.Context(), train, omega)
		if err != nil {
			b.Fatal(err)
		}
		for _, start := range []struct {
			name  string
			solve func(ctx context.Context, c float64, limit int) (linear.Solution, error)
		}{{"zero", svm.Solve}, {"last", svm.Continue}} {
			b.Run(set+"/"+start.name, func(b *testing.B) {
				steps := 0
				for b.Loop() {
					for at, c := range registry.Powers(10, -2, 2) {
						solve := start.solve
						if at == 0 {
							solve = svm.Solve
						}
						s, err := solve(b.Context(), c.(float64), 0)
						if err != nil {
							b.Fatal(err)
						}
						steps += s.Steps
					}
				}
				b.ReportMetric(float64(steps)/float64(b.N), "steps")
			})
		}
	}
}
