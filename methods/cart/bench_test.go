package cart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/methods/internal/treetest"

	"github.com/kernelboosting/bench/registry"
)

// BenchmarkFold times the growth that serves all ten depths on one fold of a
// split: 0.8 of 0.7 of the rows. A cell takes five of them and a larger one, about
// 6.6 in all. predicted/op is the cost model's value for the same growth in seconds.
//
//	go test ./methods/cart -run '^$' -bench Fold -benchtime 1x
func BenchmarkFold(b *testing.B) {
	for _, tb := range tables {
		b.Run(strings.ReplaceAll(tb.name, " ", "-"), func(b *testing.B) {
			data := tb.read(b, 1<<30, 0.56)
			criterion := "gini"
			if tb.task == registry.Regression {
				criterion = "mse"
			}
			for b.Loop() {
				if _, err := fit(b.Context(), testEnv, data, Params{criterion, 10}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(cost(data.Shape(), Params{criterion, 10})/1e9, "predicted-s")
			b.ReportMetric(distinct(data), "distinct/n")
		})
	}
}

// distinct returns the mean over features of the share of distinct values.
func distinct(data registry.Data) float64 {
	n, d := data.X.Dims()
	sum := 0.0
	for j := range d {
		seen := map[float64]bool{}
		for i := range n {
			seen[data.X.At(i, j)] = true
		}
		sum += float64(len(seen)) / float64(n)
	}
	return sum / float64(d)
}

// BenchmarkSynthetic times growths on features whose values are all distinct, the
// case that the cost model is for.
func BenchmarkSynthetic(b *testing.B) {
	for _, c := range []struct {
		task           registry.Task
		n, d, k, depth int
	}{
		{registry.Binary, 124, 13, 2, 10}, {registry.Binary, 700, 23, 2, 10},
		{registry.Binary, 2200, 5, 2, 1}, {registry.Binary, 2200, 5, 2, 10},
		{registry.Multiclass, 2200, 5, 10, 10}, {registry.Regression, 2200, 5, 0, 10},
		{registry.Binary, 3200, 57, 2, 10}, {registry.Binary, 14000, 5, 2, 1}, {registry.Binary, 14000, 5, 2, 10},
	} {
		b.Run(fmt.Sprintf("%s-%dx%d-depth%d", c.task, c.n, c.d, c.depth), func(b *testing.B) {
			data := treetest.Synthetic(c.task, c.n, c.d, c.k)
			p := Params{"auto", c.depth}
			for b.Loop() {
				if _, err := fit(b.Context(), testEnv, data, p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(cost(data.Shape(), p)/1e9, "predicted-s")
		})
	}
}
