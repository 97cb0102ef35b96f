//go:build unix

package gbrff

import (
	"context"
	"runtime"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// counted counts the passes over the rows.
type counted struct {
	examples
	passes int
}

func (c *counted) MatVec(dst, v []float64) {
	c.passes++
	c.examples.MatVec(dst, v)
}

func (c *counted) ExpCosLoss(w []float64, b float64, r, cosines, grad []float64) float64 {
	c.passes++
	return c.examples.ExpCosLoss(w, b, r, cosines, grad)
}

// BenchmarkMillion trains GBRFF2 (100 rounds) on a million rows of 20 features. It
// reports the passes over the rows, the processor time of all and of a row and pass, and
// the memory that the fit allocates as a multiple of the rows'.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("takes a quarter of a minute and more")
	}
	data := testsplit.Waves(1, 1_000_000, 20)
	x := rowsOf(data.X)
	bytes := 8 * x.n * x.d
	for b.Loop() {
		c := &counted{examples: asExamples(x)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		took := cputime.Of(func() {
			must.Get(boost2(context.Background(), registry.Env{Seed: 1}, c, x.d, data.Y, Params2{T: 100}))(b)
		})
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(c.passes)/100, "passes/round")
		b.ReportMetric(took, "cpu-s")
		b.ReportMetric(1e9*took/float64(c.passes*x.n), "ns/row-and-pass")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(bytes), "allocated/data")
	}
}
