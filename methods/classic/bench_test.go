package classic

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// BenchmarkCost compares declared with measured processor time. For KNN it is that of scoring a quarter as many rows.
//
//	go test ./methods/classic -run '^$' -bench Cost -benchtime 3x
func BenchmarkCost(b *testing.B) {
	for _, spec := range []registry.Spec{Logistic(), LDA(), KNN()} {
		for _, params := range []string{`{}`, `{"c": 0.001}`, `{"c": 1000}`, `{"neighbours": 51}`} {
			if _, err := spec.CostEstimate(registry.Shape{Task: registry.Binary, N: 10, D: 2, Classes: 2}, json.RawMessage(params)); err != nil {
				continue // a parameter of another method
			}
			for _, s := range []struct {
				task registry.Task
				n, d int
			}{{registry.Binary, 200, 10}, {registry.Binary, 3000, 60}, {registry.Multiclass, 1000, 20}, {registry.Binary, 100, 400}, {registry.Binary, 20000, 10}} {
				b.Run(fmt.Sprintf("%s%s-%s-%dx%d", spec.Name, params, s.task, s.n, s.d), func(b *testing.B) {
					data, test := toydata.Easy(s.task, s.n, s.d, 1), toydata.Easy(s.task, s.n/4, s.d, 2)
					out := make([]float64, s.n/4*data.Shape().Outputs())
					took := 0.0
					for b.Loop() {
						took += cputime.Of(func() {
							m, err := spec.Fit(b.Context(), registry.Env{Seed: 1}, data, json.RawMessage(params))
							if err != nil {
								b.Fatal(err)
							}
							if spec.Name == "KNN" {
								if err := m.Score(b.Context(), test.X, out); err != nil {
									b.Fatal(err)
								}
							}
						})
					}
					declared, err := spec.CostEstimate(data.Shape(), json.RawMessage(params))
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(1e3*took/float64(b.N), "ms")
					b.ReportMetric(declared/1e9/(took/float64(b.N)), "declared/measured")
				})
			}
		}
	}
}
