package kernel

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// BenchmarkFactor times one Cholesky factorisation, with its rate.
func BenchmarkFactor(b *testing.B) {
	const n = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(n, 10, normals(rng, n*10))
	k, a := make([]float64, n*n), make([]float64, n*n)
	scaled, squares := scaleRows(x.RawMatrix().Data, 10, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	gaussian(k, scaled, squares, scaled, squares, 10)
	for i := range n {
		k[i*n+i] += 1e-3
	}
	f := newFactorizer(n)
	for b.Loop() {
		copy(a, k)
		if err := f.factor(context.Background(), a); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*n*n/3/(float64(b.Elapsed().Nanoseconds())/float64(b.N)), "GFLOPS")
}

// BenchmarkFits times single fits with the defaults on 500 rows of 10 features.
func BenchmarkFits(b *testing.B) {
	const n, d = 500, 10
	rng := rand.New(rand.NewPCG(1, 1))
	for _, task := range []registry.Task{registry.Binary, registry.Regression} {
		data := registry.Data{Task: task, X: mat.NewDense(n, d, normals(rng, n*d)), Y: make([]float64, n)}
		for i := range n {
			data.Y[i] = data.X.At(i, 0) + 0.5*rng.NormFloat64()
			if task == registry.Binary {
				data.Classes = 2
				data.Y[i] = 1
				if data.X.At(i, 0)+0.5*rng.NormFloat64() < 0 {
					data.Y[i] = -1
				}
			}
		}
		for _, spec := range []registry.Spec{GK(), KRRGD()} {
			b.Run(spec.Name+"/"+task.String(), func(b *testing.B) {
				for b.Loop() {
					if _, err := spec.Fit(b.Context(), registry.Env{}, data, nil); err != nil {
						b.Fatal(err)
					}
				}
				ns, err := spec.CostEstimate(data.Shape(), nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(ns, "ns-predicted")
			})
		}
	}
}
