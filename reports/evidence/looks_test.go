package evidence_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
)

// go test -run '^$' -bench Looks -benchtime 1x ./reports/evidence
//
// Two equal methods are compared after each of 20 splits. It prints on how many pages, in percent, a difference is
// found at some look, and at the last one. The true differences of sets vary with so many standard deviations of a
// split.
func BenchmarkLooks(b *testing.B) {
	for _, sets := range []int{7, 13, 54} {
		for _, spread := range []float64{0, 0.5, 1, 2} {
			b.Run(fmt.Sprintf("%d sets, spread %v", sets, spread), func(b *testing.B) {
				const pages = 4000
				some, last := 0, 0
				for b.Loop() {
					stream := rng.New(3)
					judge := evidence.Judge{Level: 0.05}
					for range pages {
						truth, sums, found := make([]float64, sets), make([]float64, sets), false
						for s := range truth {
							truth[s] = spread*stream.Norm() + math.Sqrt(3./7)*stream.Norm()
						}
						verdict := evidence.Inconclusive
						for k := 1; k <= 20; k++ {
							gains := make([]float64, sets)
							for s := range sums {
								sums[s] += truth[s] + stream.Norm()
								gains[s] = sums[s] / float64(k)
							}
							verdict = judge.Verdicts([][]float64{gains}, [][]float64{make([]float64, sets)})[0]
							found = found || verdict.Found()
						}
						if found {
							some++
						}
						if verdict.Found() {
							last++
						}
					}
				}
				b.ReportMetric(100*float64(some)/pages, "%some")
				b.ReportMetric(100*float64(last)/pages, "%last")
			})
		}
	}
}
