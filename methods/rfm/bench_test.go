package rfm

import (
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkFit is a fit in processor seconds: of RFM to 3,000 rows of 60 features with three solutions, and of XRFM to 12,000 rows
// of 20 features with the defaults, in four leaves. testdata/time_published.py is the published program's.
//
//	GOMAXPROCS=1 go test ./methods/rfm -run '^$' -bench Fit -benchtime 3x
func BenchmarkFit(b *testing.B) {
	for _, c := range []struct {
		spec    registry.Spec
		n, d    int
		setting string
	}{{RFM(), 3000, 60, `{"iterations":2}`}, {XRFM(), 12000, 20, `{}`}} {
		b.Run(c.spec.Name, func(b *testing.B) {
			data, took := toydata.Easy(registry.Binary, c.n, c.d, 1), 0.0
			for b.Loop() {
				took += cputime.Of(func() {
					if _, err := c.spec.Fit(b.Context(), registry.Env{Seed: 1}, data, []byte(c.setting)); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(took/float64(b.N), "cpu-s")
		})
	}
}
