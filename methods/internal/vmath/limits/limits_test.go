package limits

import (
	"testing"
	"time"
)

// BenchmarkLimits reports this machine's limits; run it on an idle core.
func BenchmarkLimits(b *testing.B) {
	b.Run("FMA", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(FMARate(300*time.Millisecond), "GFLOPS")
	})
	for _, s := range []struct {
		name  string
		bytes int
	}{{"16KiB", 16 << 10}, {"512KiB", 512 << 10}, {"16MiB", 16 << 20}, {"512MiB", 512 << 20}} {
		b.Run("Read/"+s.name, func(b *testing.B) {
			for b.Loop() {
			}
			b.ReportMetric(ReadRate(s.bytes, 300*time.Millisecond), "GB/s")
		})
	}
}

// TestRatesArePlausible: no machine on which this runs is outside these bounds, and
// a loop that the compiler removed would be.
func TestRatesArePlausible(t *testing.T) {
	if f := FMARate(20 * time.Millisecond); f < 0.05 || f > 1000 {
		t.Errorf("%v GFLOPS", f)
	}
	if r := ReadRate(64<<10, 20*time.Millisecond); r < 0.2 || r > 2000 {
		t.Errorf("%v GB/s", r)
	}
}
