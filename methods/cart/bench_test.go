package cart

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/methods/internal/published"

	"github.com/kernelboosting/bench/registry"
)

// BenchmarkFold grows the tree that serves all ten depths on one fold of a split, 0.8 of 0.7 of the rows, by both
// growers, and compares the trees byte for byte. A cell takes five of them and a larger one, about 6.6 in all. The
// times are processor seconds.
//
//	go test ./methods/cart -run '^$' -bench Fold -benchtime 1x
func BenchmarkFold(b *testing.B) {
	for _, tb := range published.Tables {
		b.Run(strings.ReplaceAll(tb.Name, " ", "-"), func(b *testing.B) {
			data := tb.Read(b, 1<<30, 0.56)
			p := Params{"gini", 10}
			if tb.Task == registry.Regression {
				p.Criterion = "mse"
			}
			fit := func(by method) (m registry.Model, seconds float64) {
				seconds = cputime.Of(func() {
					var err error
					if m, err = by.fit(b.Context(), testEnv, data, p); err != nil {
						b.Fatal(err)
					}
				})
				return m, seconds
			}
			for b.Loop() {
				scanned, quick := fit(ours)
				grown, slow := fit(golearns)
				if !bytes.Equal(bytesOf(b, scanned), bytesOf(b, grown)) {
					b.Error("the trees differ")
				}
				b.ReportMetric(quick, "CART-s")
				b.ReportMetric(slow, "golearn-s")
				b.ReportMetric(slow/quick, "times")
			}
		})
	}
}
