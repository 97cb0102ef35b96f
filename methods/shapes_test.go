//go:build unix

package methods_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testfit"
	"github.com/kernelboosting/bench/internal/test/toydata"

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/methods"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkShapes compares what methods declare with the processor time of their grids, on data of drawn shapes: 60 to
// 3,000 rows, 2 to 120 columns, of which some have few values, and two to four classes or a real target. It prints a
// line for each method: the least, the middle and the largest ratio of declared to measured time. The shapes of the
// least and the largest follow. go test ./methods -run '^$' -bench 'Shapes/^SVM$' -benchtime 1x
func BenchmarkShapes(b *testing.B) {
	const shapes, longest = 12, 10e9 // a grid that is declared to take longer, in nanoseconds, is not run
	for _, spec := range methods.All().All() {
		b.Run(spec.Name, func(b *testing.B) {
			ratios := map[float64]string{}
			for number := range uint64(shapes) {
				train := drawnShape(number, spec.Tasks)
				sh := testsplit.Shape(train)
				grid := must.Get(spec.Settings(sh, spec.DefaultGrid(), nil))(b)
				declared := must.Get(spec.PathCostEstimate(sh, grid))(b)
				if declared > longest {
					continue
				}
				took := cputime.Of(func() {
					if err := spec.FitAll(b.Context(), registry.Env{Seed: 1}, train, grid,
						func(int, registry.Model) error { return nil }); err != nil {
						b.Fatal(err)
					}
				})
				ratios[declared/1e9/took] = fmt.Sprintf("%v %d x %d, %d classes, %.2g s", sh.Task, sh.N, sh.D,
					sh.Classes, took)
			}
			var sorted []float64
			for ratio := range ratios {
				sorted = append(sorted, ratio)
			}
			slices.Sort(sorted)
			for _, ratio := range []float64{sorted[0], sorted[len(sorted)-1]} {
				b.Logf("%.2f of %s", ratio, ratios[ratio])
			}
			b.ReportMetric(sorted[0], "least")
			b.ReportMetric(sorted[len(sorted)/2], "middle")
			b.ReportMetric(sorted[len(sorted)-1], "largest")
		})
	}
}

// BenchmarkLabels measures the grid of a method on two sets of one shape. In one set a plane with a wide margin divides
// the classes, in the other a coin was tossed for each label. Where one takes more than four times as long as the
// other, no cost that is a function of the shape is within a factor of 2 of both. go test ./methods -run '^$' -bench
// 'Labels/^(BMKR|GMKL|KRR-GD|MKBOOST|SVM)$' -benchtime 1x
func BenchmarkLabels(b *testing.B) {
	for _, spec := range methods.All().All() {
		if spec.Tasks&registry.Binary == 0 {
			continue
		}
		b.Run(spec.Name, func(b *testing.B) {
			var took [2]float64
			for tossed := range took {
				rng := rand.New(rand.NewPCG(1, 10))
				train := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(560, 8, nil),
					Y: make([]float64, 560)}
				for i := range train.Y {
					x := train.X.RawRowView(i)
					for j := range x {
						x[j] = rng.NormFloat64()
					}
					train.Y[i] = float64(2*rng.IntN(2) - 1)
					if tossed == 0 {
						x[0] = 0.2*x[0] + train.Y[i]
					}
				}
				grid := must.Get(spec.Settings(testsplit.Shape(train), spec.DefaultGrid(), nil))(b)
				took[tossed] = cputime.Of(func() {
					if err := spec.FitAll(b.Context(), registry.Env{Seed: 1}, train, grid,
						func(int, registry.Model) error { return nil }); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(took[0], "s-divided")
			b.ReportMetric(took[1], "s-tossed")
			b.ReportMetric(took[1]/took[0], "ratio")
		})
	}
}

// drawnShape returns standardised data of a drawn shape and of one of the tasks. Half of the sets have columns of few
// values. The target depends on a product of columns, a column, and chance.
func drawnShape(number uint64, tasks registry.Task) registry.Data {
	rng := rand.New(rand.NewPCG(number, 10))
	var possible []registry.Task
	for _, task := range []registry.Task{registry.Binary, registry.Multiclass, registry.Regression} {
		if tasks&task != 0 {
			possible = append(possible, task)
		}
	}
	logarithmic := func(low, high float64) int { return int(low * math.Pow(high/low, rng.Float64())) }
	n, d, few := logarithmic(60, 3000), logarithmic(2, 120), rng.IntN(2) == 0
	train := registry.Data{Task: possible[rng.IntN(len(possible))], X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	noise := 0.2 + 1.5*rng.Float64()
	for j := range d {
		values := 2 + rng.IntN(6)
		coded := few && rng.IntN(2) == 0
		for i := range n {
			v := rng.NormFloat64()
			if coded {
				v = (float64(rng.IntN(values)) - float64(values-1)/2) / math.Sqrt(float64(values*values-1)/12)
			}
			train.X.Set(i, j, v)
		}
	}
	for i := range n {
		x := train.X.RawRowView(i)
		train.Y[i] = x[0]*x[d-1] + 0.5*x[0] + noise*rng.NormFloat64()
	}
	switch train.Task {
	case registry.Binary:
		train.Classes = 2
		for i, y := range train.Y {
			train.Y[i] = math.Copysign(1, y)
		}
	case registry.Multiclass:
		train.Classes = 3 + rng.IntN(2)
		for i, y := range train.Y {
			train.Y[i] = min(float64(train.Classes-1), max(0, math.Floor(y+float64(train.Classes)/2)))
		}
	}
	return train
}

// BenchmarkFit is a fit in processor seconds: -bench 'Fit/^XRFM$' of one method, with GOMAXPROCS=1 where it is compared
// with a program of one thread (rfm's testdata/time_published.py is such a one). The machines for large sets have up to
// a million rows.
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
				took += cputime.Of(func() { testfit.Fit(b, spec, 1, data, c.setting) })
			}
			b.ReportMetric(took/float64(b.N), "cpu-s")
		})
	}
}
