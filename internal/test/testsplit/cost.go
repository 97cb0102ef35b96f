//go:build unix

package testsplit

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/registry"
)

// Cost times, on the training part of split 1 of each set, one fit with the defaults
// and the whole grid, as medians of processor time, and compares them with what the
// methods declare.
func Cost(b *testing.B, sets []string, specs ...registry.Spec) {
	for _, name := range sets {
		train, _ := Load(b, name, 1)
		shape := Shape(train)
		for _, spec := range specs {
			grid := must.Get(spec.Settings(shape, spec.DefaultGrid(), nil))(b)
			for i, settings := range [][]json.RawMessage{{spec.Defaults()}, grid} {
				what := [...]string{"fit", "grid"}[i]
				if what == "grid" && len(grid) == 1 {
					continue // the grid is the fit
				}
				b.Run(spec.Name+"/"+name+"/"+what, func(b *testing.B) {
					var took []float64
					for b.Loop() {
						took = append(took, cputime.Of(func() {
							must.Do(b, spec.FitAll(context.Background(), registry.Env{Seed: 1}, train, settings,
								func(int, registry.Model) error { return nil }))
						}))
					}
					slices.Sort(took)
					middle := took[len(took)/2]
					ns := must.Get(spec.PathCostEstimate(shape, settings))(b)
					b.ReportMetric(middle*1e3, "cpu-ms")
					b.ReportMetric(ns/1e9/middle, "predicted/measured")
				})
			}
		}
	}
}
