package svm

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
)

// BenchmarkSolve times cold solves at C = 1 and the default tolerance, with the Gaussian kernel of
// coefficient 1/d, its matrix being given.
func BenchmarkSolve(b *testing.B) {
	for _, name := range []string{"pima", "german", "splice", "spambase"} {
		train, _ := testsplit.Load(b, name, 1)
		_, d := train.X.Dims()
		k := gramOf[float32](train.X, kernelFunction("rbf", 1/float64(d)))
		for kind, p := range map[string]Problem{"SVC": Classification(train.Y, 1), "SVR": Regression(train.Y, 0.1, 1)} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				var s Solver[float32]
				for b.Loop() {
					var sol Solution
					if err := s.Solve(b.Context(), k, p, &sol); err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(sol.Steps), "steps")
				}
			})
		}
	}
}
