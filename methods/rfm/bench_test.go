package rfm

import (
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkFit is a fit of 3,000 rows of 60 features with three solutions, in processor seconds.
//
//	go test ./methods/rfm -run '^$' -bench Fit -benchtime 5x
func BenchmarkFit(b *testing.B) {
	data, took := toydata.Easy(registry.Binary, 3000, 60, 1), 0.0
	for b.Loop() {
		took += cputime.Of(func() {
			if _, err := RFM().Fit(b.Context(), registry.Env{Seed: 1}, data, []byte(`{"iterations":2}`)); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.ReportMetric(took/float64(b.N), "cpu-s")
}
