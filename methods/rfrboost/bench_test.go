package rfrboost

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkFit is a fit with the defaults, in processor seconds.
//
//	go test ./methods/rfrboost -run '^$' -bench Fit -benchtime 3x
func BenchmarkFit(b *testing.B) {
	for _, size := range [][2]int{{700, 23}, {3217, 57}} {
		b.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(b *testing.B) {
			data, took := toydata.Easy(registry.Binary, size[0], size[1], 1), 0.0
			for b.Loop() {
				took += cputime.Of(func() {
					if _, err := Gradient().Fit(b.Context(), registry.Env{Seed: 1}, data, nil); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(took/float64(b.N), "cpu-s")
		})
	}
}
