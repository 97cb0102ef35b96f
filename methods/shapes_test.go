//go:build unix

package methods_test

import (
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/toydata"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkFit is a fit in processor seconds: -bench 'Fit/^XRFM$' of one method, with GOMAXPROCS=1 where it is compared
// with a program of one thread. The machines for large sets have up to a million rows.
func BenchmarkFit(b *testing.B) {
	type row struct {
		method  string
		n, d    int
		setting string
	}
	rows := []row{{"RFM", 3000, 60, `{"iterations":2}`}, {"XRFM", 12_000, 20, `{}`}, {"RFRBoost", 700, 23, `{}`},
		{"RFRBoost", 3217, 57, `{}`}}
	for _, n := range []int{20_000, 100_000, 1_000_000} {
		rows = append(rows, row{"EIGENPRO", n, 20, `{"gamma":0.05}`}, row{"FALKON", n, 20, `{"gamma":0.05}`},
			row{"FALKON", n, 20, `{"gamma":0.05,"loss":"logistic"}`}, row{"NYSTROEM", n, 20, `{"gamma":0.05}`})
	}
	for _, c := range rows {
		b.Run(fmt.Sprintf("%s/%dx%d/%s", c.method, c.n, c.d, c.setting), func(b *testing.B) {
			spec, data, took := lookup(b, c.method), toydata.Easy(registry.Binary, c.n, c.d, 5), 0.0
			for b.Loop() {
				took += processes.CPUTimeOf(func() { fits.Fit(b, spec, 1, data, c.setting) })
			}
			b.ReportMetric(took/float64(b.N), "cpu-s")
		})
	}
}

// BenchmarkPeak is how much memory a fit with the defaults of 100,000 rows of 20 features takes besides these rows, in
// shares of their 16 MB: -bench 'Peak/^RF$' of one method, in a process of its own.
func BenchmarkPeak(b *testing.B) {
	for _, spec := range methods.All().All() {
		if spec.Tasks&registry.Binary == 0 {
			continue
		}
		b.Run(spec.Name, func(b *testing.B) {
			data := toydata.Easy(registry.Binary, 100_000, 20, 5)
			debug.FreeOSMemory()
			processes.ResetPeak()
			before := processes.Peak()
			for b.Loop() {
				fits.Fit(b, spec, 1, data, "{}")
			}
			b.ReportMetric(float64(processes.Peak()-before)/16e6, "peak/rows")
		})
	}
}
