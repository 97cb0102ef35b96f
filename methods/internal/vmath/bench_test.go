package vmath

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Benchmarks report ns/element, an element being an example for elementwise kernels and
// an element of the matrix for products and fused passes, or GFLOPS for matrix products.

var lengths = []int{16, 128, 1024, 16384}

func perElement(b *testing.B, elements int, f func()) {
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(elements), "ns/element")
}

func normals(n int, scale float64) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = scale * rng.NormFloat64()
	}
	return x
}

func BenchmarkElementary(b *testing.B) {
	each := func(f func(float64) float64) func(dst, x []float64) {
		return func(dst, x []float64) {
			for i, v := range x {
				dst[i] = f(v)
			}
		}
	}
	for _, f := range []struct {
		name string
		run  func(dst, x []float64)
	}{
		{"Cos", Cos}, {"Cos/ref", cosArrayRef}, {"Cos/math", each(math.Cos)},
		{"SinCos", func(dst, x []float64) { SinCos(dst[:len(x)], dst[len(x):2*len(x)], x) }},
		{"Exp", Exp}, {"Exp/ref", expArrayRef}, {"Exp/math", each(math.Exp)},
		{"LogScalar", each(LogScalar)}, {"Log/math", each(math.Log)},
	} {
		for _, n := range lengths {
			x, dst := normals(n, 10), make([]float64, 2*n)
			if f.name[0] == 'L' {
				for i := range x {
					x[i] = math.Abs(x[i])
				}
			}
			out := dst[:n]
			if f.name == "SinCos" {
				out = dst
			}
			b.Run(fmt.Sprintf("%s/n=%d", f.name, n), func(b *testing.B) { perElement(b, n, func() { f.run(out, x) }) })
		}
	}
}

var sink float64

func BenchmarkReduce(b *testing.B) {
	for _, n := range lengths {
		x, y := normals(n, 1), normals(n, 1)
		z := make([]float64, n)
		b.Run(fmt.Sprintf("Dot/n=%d", n), func(b *testing.B) { perElement(b, n, func() { sink = Dot(x, y) }) })
		b.Run(fmt.Sprintf("Dot/ref/n=%d", n), func(b *testing.B) { perElement(b, n, func() { sink = dotRef(x, y) }) })
		b.Run(fmt.Sprintf("Sum/n=%d", n), func(b *testing.B) { perElement(b, n, func() { sink = Sum(x) }) })
		b.Run(fmt.Sprintf("Axpy/n=%d", n), func(b *testing.B) { perElement(b, n, func() { Axpy(1e-9, x, z) }) })
		b.Run(fmt.Sprintf("Axpy/ref/n=%d", n), func(b *testing.B) { perElement(b, n, func() { axpyRef(1e-9, x, z) }) })
	}
}

var shapes = [][2]int{{16, 20}, {128, 20}, {1024, 4}, {1024, 20}, {1024, 60}, {16384, 20}, {16384, 60}}

func BenchmarkProducts(b *testing.B) {
	for _, s := range shapes {
		n, d := s[0], s[1]
		a, v, c, dst, g := normals(n*d, 1), normals(d, 1), normals(n, 1), make([]float64, n), make([]float64, d)
		p := Pack(a, n, d)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%dx%d", name, n, d), func(b *testing.B) { perElement(b, n*d, f) })
		}
		run("MatVec", func() { MatVec(dst, a, n, d, v) })
		run("MatVec/ref", func() { matVecRef(dst, a, n, d, v) })
		run("MatTVec", func() { MatTVec(g, a, n, d, c) })
		run("MatTVec/ref", func() { matTVecRef(g, a, d, n, d, c) })
		run("Packed.MatVec", func() { p.MatVec(dst, v) })
		run("Packed.MatTVec", func() { p.MatTVec(g, c) })
		run("Pack", func() { Pack(a, n, d) })
	}
}

// BenchmarkFused reports ns per example.
func BenchmarkFused(b *testing.B) {
	const k = 10
	for _, s := range shapes {
		n, d := s[0], s[1]
		p := Pack(normals(n*d, 1), n, d)
		w, r, y, h := normals(d, 0.3), normals(n, 1), normals(n, 1), normals(n, 1)
		cosines, grad := make([]float64, n), make([]float64, d)
		wk, t, losses, gk := normals(k*d, 0.3), normals(k, 1), make([]float64, k), make([]float64, k)
		trig := p.Trig(nil, wk, k)
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%dx%d", name, n, d), func(b *testing.B) { perElement(b, n, f) })
		}
		run("ExpCosLoss", func() { sink = p.ExpCosLoss(w, 0.5, r, cosines, grad) })
		run("ExpCosLoss/ref", func() { sink = expCosRef(p.data, n, d, w, 0.5, r, cosines, grad) })
		run("Trig/K=10", func() { p.Trig(trig, wk, k) })
		run("LandmarkLoss/K=10", func() { sink = trig.LandmarkLoss(t, r, nil, gk) })
		run("PairLosses/K=10", func() { trig.PairLosses(t, r, losses) })
		run("ExpShiftLoss", func() { sink = ExpShiftLoss(r, y, h, 0.5) })
		w2, score := make([]float64, n), make([]float64, n)
		run("Reweight", func() { sink = Reweight(score, w2, nil, y, h, 1e-9) })
		run("MarginSums", func() { sink, _ = MarginSums(y, h, r) })
	}
}

// BenchmarkGemm reports GFLOPS, two operations for each multiply-add of the full product.
func BenchmarkGemm(b *testing.B) {
	rate := func(b *testing.B, m, k, n int, f func()) {
		for b.Loop() {
			f()
		}
		b.ReportMetric(2*float64(m*k*n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOPS")
	}
	for _, s := range [][3]int{{32, 32, 32}, {256, 256, 256}, {1000, 1000, 1000}, {5000, 20, 100}, {1000, 200, 1000}} {
		m, k, n := s[0], s[1], s[2]
		x, y, dst := normals(m*k, 1), normals(k*n, 1), make([]float64, m*n)
		b.Run(fmt.Sprintf("MatMul/%dx%dx%d", m, k, n), func(b *testing.B) { rate(b, m, k, n, func() { MatMul(dst, x, m, k, y, n) }) })
		b.Run(fmt.Sprintf("MatMulT/%dx%dx%d", m, k, n), func(b *testing.B) { rate(b, m, k, n, func() { MatMulT(dst, x, m, k, y, n) }) })
	}
	for _, s := range [][2]int{{1000, 20}, {1000, 200}} {
		n, k := s[0], s[1]
		x, dst := normals(n*k, 1), make([]float64, n*n)
		b.Run(fmt.Sprintf("Gram/%dx%d", n, k), func(b *testing.B) { rate(b, n, k, n, func() { Gram(dst, x, n, k) }) })
		squares := make([]float64, n)
		if k == 20 {
			points, coefs := normals(256, 1), normals(256*Doublings, 1)
			sums, dots := make([]float64, Doublings*n), make([]float64, 256*n)
			for j := range dots {
				dots[j] = 0.1 * float64(j%50)
			}
			b.Run("AddGaussians", func(b *testing.B) {
				perElement(b, 256*n, func() { AddGaussians(sums, dots, squares, points, coefs, 0.0625) })
			})
		}
		b.Run(fmt.Sprintf("Gaussian/n=%d", n), func(b *testing.B) { perElement(b, n, func() { Gaussian(dst[:n], dst[n:2*n], squares, 1, 0.1) }) })
	}
}
