package vmath_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// BenchmarkLoops reports each kernel's time an example. Run it on an idle core.
func BenchmarkLoops(b *testing.B) {
	run := func(name string, n int, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/example")
		})
	}
	for _, n := range []int{128, 1024, 16384} {
		x, y, z := normals(n), normals(n), make([]float64, n)
		run(fmt.Sprintf("Dot/n=%d", n), n, func() { vmath.Dot(x, y) })
		run(fmt.Sprintf("SinCos/n=%d", n), n, func() { vmath.SinCos(y, z, x) })
		run(fmt.Sprintf("Exp/n=%d", n), n, func() { vmath.Exp(y, x) })
		s, c, f := make([]float64, n), make([]float64, n), normals(n)
		run(fmt.Sprintf("Wave/n=%d", n), n, func() { vmath.Wave(s, c, x, f, z) })
		h := vmath.Hinge{
			Y: signs(n), Slack: normals(n), Change: normals(n), Alpha: make([]float64, n), Next: make([]float64, n),
			Turned: make([]float64, n), Free: make([]uint8, (n+7)/8), Moved: make([]uint8, (n+7)/8),
		}
		run(fmt.Sprintf("ExpShiftLoss/n=%d", n), n, func() { vmath.ExpShiftLoss(x, s, c, 0.3) })
		run(fmt.Sprintf("Reweight/n=%d", n), n, func() { vmath.Reweight(f, z, c, h.Y, x, 1e-9) })
		run(fmt.Sprintf("Hinge.Move/n=%d", n), n, func() { h.Move(1e-9, 0.1, 1) })
		for _, d := range []int{4, 20, 60} {
			p := vmath.Pack(normals(n*d), n, d)
			w, r, grad, cosines := normals(d), normals(n), make([]float64, d), make([]float64, n)
			at := fmt.Sprintf("%dx%d", n, d)
			run("Packed.MatVec/"+at, n, func() { p.MatVec(z, w) })
			run("Packed.MatTVec/"+at, n, func() { p.MatTVec(grad, r) })
			run("ExpCosLoss/"+at, n, func() { p.ExpCosLoss(w, 0.1, r, cosines, grad) })
			omega, phase, cos := normals(8*d), make([]float64, 8), make([]float64, 8*n)
			run("Packed.Cosines of 8/"+at, n, func() { p.Cosines(cos, omega, phase) })
		}
	}
	for _, n := range []int{128, 1024, 16384} { // features of GBRFF1's round
		for _, k := range []int{10, 100} {
			p, t := vmath.Pack(normals(2*k*n), n, 2*k), normals(k)
			r, losses := normals(n), make([]float64, k)
			slopes := make([]float64, k)
			run(fmt.Sprintf("LandmarkLoss/%dx%d", n, 2*k), n, func() { p.LandmarkLoss(t, r, slopes) })
			run(fmt.Sprintf("PairLosses/%dx%d", n, 2*k), n, func() { p.PairLosses(t, r, losses) })
		}
	}
	for _, m := range []int{24, 104, 200} {
		const rows = 512
		a, c, u, shift := normals(rows*m), make([]float64, m*m), make([]float64, m*(m+8)), make([]float64, m)
		for i := range shift {
			shift[i] = 1
		}
		at := fmt.Sprintf("%dx%d", rows, m)
		run("Outer/"+at, rows, func() { vmath.Outer(c, m, a, m, rows, 0, vmath.Set) })
		run(fmt.Sprintf("Factor/%dx%d", m, m), m, func() { vmath.Factor(u, c, m, 1, shift) })
	}
	for _, s := range [][3]int{{5000, 20, 100}, {256, 256, 256}, {1000, 1000, 1000}} {
		m, k, n := s[0], s[1], s[2]
		x, w, dst := normals(m*k), normals(n*k), make([]float64, m*n)
		run(fmt.Sprintf("MatMulT/%dx%dx%d", m, k, n), m, func() { vmath.MatMulT(dst, x, m, k, w, n) })
	}
}

func signs(n int) []float64 {
	y := make([]float64, n)
	for i, v := range normals(n) {
		y[i] = math.Copysign(1, v)
	}
	return y
}

func normals(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}
