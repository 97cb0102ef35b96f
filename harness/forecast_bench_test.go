package harness

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// BenchmarkForecast takes the database that BENCH_DB names, as a run on this machine has left it. For every method and
// every two sets of it, it predicts a cell of one from the cells of the other alone, and reports how far that is from
// what the cells took: the share within a factor of 2, the factor that nine of ten are within, and the largest.
func BenchmarkForecast(b *testing.B) {
	path := os.Getenv("BENCH_DB")
	if path == "" {
		b.Skip("BENCH_DB names no database")
	}
	db := must.Get(store.OpenReader(context.Background(), path))(b)
	defer db.Close()
	timings := must.Get(db.Timings(context.Background(), environment.Current()))(b)
	var off []float64
	for b.Loop() {
		off = off[:0]
		for _, known := range timings {
			f := plan.NewForecast([]store.Timing{known})
			for _, t := range timings {
				if t.Method != known.Method || t.MethodVersion != known.MethodVersion || t.Dataset == known.Dataset {
					continue
				}
				c := &plan.Cell{Cell: runner.Cell{Method: t.Method, Dataset: t.Dataset}}
				c.Spec.Cost, c.Spec.Inputs.MethodVersion = t.CostUnits/float64(t.Cells), t.MethodVersion
				off = append(off, math.Exp(math.Abs(math.Log(f.Seconds(c)*float64(t.Cells)/t.Seconds))))
			}
		}
	}
	if off == nil {
		b.Fatalf("%s holds no method with two sets that this machine has run", path)
	}
	slices.Sort(off)
	within, _ := slices.BinarySearch(off, 2)
	b.ReportMetric(100*float64(within)/float64(len(off)), "%within2")
	b.ReportMetric(off[len(off)*9/10], "x9of10")
	b.ReportMetric(off[len(off)-1], "xworst")
}
