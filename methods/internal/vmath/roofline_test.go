package vmath_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/methods/internal/vmath/limits"
)

// Arithmetic instructions an element, each of which occupies the multiply-add unit for one slot.
const (
	sinCosOps = 31
	expOps    = 19
)

// BenchmarkRoofline reports each kernel's time an example and the percentage of it that this machine's
// limits explain: the larger of the arithmetic at the peak rate of multiply-adds and the matrix's
// bytes at the rate of reading an array of its size. Run it on an idle core.
func BenchmarkRoofline(b *testing.B) {
	const quick = 100 * time.Millisecond
	slots := limits.FMARate(quick) / 2 // a nanosecond
	b.Logf("limits: %.0f GFLOPS", 2*slots)
	reading := map[int]float64{}
	run := func(name string, n int, opsPerExample, bytesPerExample float64, f func()) {
		size := int(bytesPerExample) * n
		if reading[size] == 0 {
			reading[size] = limits.ReadRate(size, quick)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
			ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(n)
			b.ReportMetric(ns, "ns/example")
			b.ReportMetric(100*max(opsPerExample/slots, bytesPerExample/reading[size])/ns, "%limit")
		})
	}
	for _, n := range []int{128, 1024, 16384} {
		x, y, z := normals(n), normals(n), make([]float64, n)
		run(fmt.Sprintf("Dot/n=%d", n), n, 1, 16, func() { vmath.Dot(x, y) })
		run(fmt.Sprintf("SinCos/n=%d", n), n, sinCosOps, 8, func() { vmath.SinCos(y, z, x) })
		run(fmt.Sprintf("Exp/n=%d", n), n, expOps, 8, func() { vmath.Exp(y, x) })
		s, c, f := make([]float64, n), make([]float64, n), normals(n)
		run(fmt.Sprintf("Wave/n=%d", n), n, sinCosOps+7, 40, func() { vmath.Wave(s, c, x, f, z) })
		h := vmath.Hinge{
			Y: signs(n), Slack: normals(n), Change: normals(n), Alpha: make([]float64, n), Next: make([]float64, n),
			Turned: make([]float64, n), Free: make([]uint8, (n+7)/8), Moved: make([]uint8, (n+7)/8),
		}
		run(fmt.Sprintf("ExpShiftLoss/n=%d", n), n, expOps+3, 24, func() { vmath.ExpShiftLoss(x, s, c, 0.3) })
		run(fmt.Sprintf("Reweight/n=%d", n), n, expOps+3, 48, func() { vmath.Reweight(f, z, c, h.Y, x, 1e-9) })
		run(fmt.Sprintf("Hinge.Move/n=%d", n), n, 12, 64, func() { h.Move(1e-9, 0.1, 1) })
		for _, d := range []int{4, 20, 60} {
			p := vmath.Pack(normals(n*d), n, d)
			w, r, grad, cosines := normals(d), normals(n), make([]float64, d), make([]float64, n)
			ops, bytes := float64(d), 8*float64(d)
			at := fmt.Sprintf("%dx%d", n, d)
			run("Packed.MatVec/"+at, n, ops, bytes, func() { p.MatVec(z, w) })
			run("Packed.MatTVec/"+at, n, ops, bytes, func() { p.MatTVec(grad, r) })
			run("ExpCosLoss/"+at, n, 2*ops+sinCosOps+expOps+5, bytes, func() { p.ExpCosLoss(w, 0.1, r, cosines, grad) })
			omega, phase, cos := normals(8*d), make([]float64, 8), make([]float64, 8*n)
			run("Packed.Cosines of 8/"+at, n, 8*(ops+sinCosOps), bytes+64, func() { p.Cosines(cos, omega, phase) })
			run("ExpLinearLoss/"+at, n, 2*ops+expOps+4, bytes, func() { p.ExpLinearLoss(w, r, nil, grad) })
		}
	}
	for _, n := range []int{128, 1024, 16384} { // features of GBRFF1's round
		for _, k := range []int{10, 100} {
			p, t := vmath.Pack(normals(2*k*n), n, 2*k), normals(k)
			r, losses := normals(n), make([]float64, k)
			ops, at := float64(k), fmt.Sprintf("%dx%d", n, 2*k)
			run("PairLosses/"+at, n, ops*(expOps+4), 16*ops, func() { p.PairLosses(t, r, losses) })
		}
	}
	for _, m := range []int{24, 104, 200} { // half of the products, as the matrices are symmetric
		const rows = 512
		a, c, u, shift := normals(rows*m), make([]float64, m*m), make([]float64, m*(m+8)), make([]float64, m)
		for i := range shift {
			shift[i] = 1
		}
		at := fmt.Sprintf("%dx%d", rows, m)
		run("Outer/"+at, rows, float64(m*(m+1))/2, 8*float64(m), func() { vmath.Outer(c, m, a, m, rows, 0, vmath.Set) })
		run(fmt.Sprintf("Factor/%dx%d", m, m), m, float64(m*m)/6+4*float64(m), 8*float64(m), func() { vmath.Factor(u, c, m, 1, shift) })
	}
	for _, s := range [][3]int{{5000, 20, 100}, {256, 256, 256}, {1000, 1000, 1000}} {
		m, k, n := s[0], s[1], s[2]
		x, w, dst := normals(m*k), normals(n*k), make([]float64, m*n)
		run(fmt.Sprintf("MatMulT/%dx%dx%d", m, k, n), m, float64(k*n), 8*float64(k), func() { vmath.MatMulT(dst, x, m, k, w, n) })
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
