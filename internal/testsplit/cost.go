//go:build unix

package testsplit

import (
	"context"
	"encoding/json"
	"slices"
	"syscall"
	"testing"

	"github.com/kernelboosting/bench/registry"
)

// Cost times, on the training part of split 1 of each set, one fit with the defaults
// and the whole grid, as medians of processor time, and compares them with what the
// methods declare.
func Cost(b *testing.B, sets []string, specs ...registry.Spec) {
	for _, name := range sets {
		train, _ := Load(b, name, 1)
		for _, spec := range specs {
			grid, err := spec.Settings(train.Shape(), spec.DefaultGrid(), nil)
			if err != nil {
				b.Fatal(err)
			}
			for _, settings := range [][]json.RawMessage{{spec.Defaults()}, grid} {
				what := "fit"
				if len(settings) > 1 {
					what = "grid"
				}
				b.Run(spec.Name+"/"+name+"/"+what, func(b *testing.B) {
					var took []float64
					for b.Loop() {
						start := processorSeconds()
						err := spec.FitAll(context.Background(), registry.Env{Seed: 1}, train, settings, func(int, registry.Model) error { return nil })
						if err != nil {
							b.Fatal(err)
						}
						took = append(took, processorSeconds()-start)
					}
					slices.Sort(took)
					middle := took[len(took)/2]
					ns, err := spec.PathCostEstimate(train.Shape(), settings)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(middle*1e3, "cpu-ms")
					b.ReportMetric(ns/1e9/middle, "predicted/measured")
				})
			}
		}
	}
}

func processorSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
