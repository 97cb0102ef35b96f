package mkl

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkBMKR times one model of T = 100, kernel matrices included.
func BenchmarkBMKR(b *testing.B) {
	for _, name := range []string{"wine", "pima", "german", "splice", "occupancy"} {
		train, _ := testsplit.Load(b, name, 1)
		for _, c := range []float64{0.01, 0.1, 1, 10, 100} {
			b.Run(fmt.Sprintf("%s/C=%v", name, c), func(b *testing.B) {
				for b.Loop() {
					if _, err := registry.PathFunc[BMKRParams](pathBMKR[float32]).One(b.Context(), quiet(), train, BMKRParams{T: 100, C: c, LearningRate: 1, Epsilon: 0.1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkBMKRCell times what the harness does for one split: the whole grid on each of five folds.
func BenchmarkBMKRCell(b *testing.B) {
	split := testsplit.Of(b, "german", 1)
	for b.Loop() {
		split.Folds(func(train, valid registry.Data) bool {
			var ps []BMKRParams
			for _, c := range []float64{0.01, 0.1, 1, 10, 100} {
				ps = append(ps, BMKRParams{T: 100, C: c, LearningRate: 1, Epsilon: 0.1})
			}
			err := pathBMKR[float32](b.Context(), quiet(), train, ps, func(_ int, m registry.Model) error {
				testsplit.Correct(b, m, valid)
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			return true
		})
	}
}
