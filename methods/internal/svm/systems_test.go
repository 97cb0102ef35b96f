package svm

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"pgregory.net/rapid"
)

// TestSystems: both systems solve (1 + D K) v = b, for the K that mixture.go states, whose sums are written out here. D
// spans twelve orders of magnitude, and is 0 in places.
func TestSystems(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, kernels := rapid.IntRange(3, 40).Draw(rt, "n"), rapid.IntRange(1, 4).Draw(rt, "kernels")
		normal := rapid.Map(rapid.IntRange(-1_000_000, 1_000_000), func(k int) float64 { return float64(k) / 1e6 })
		var factors [][]float64
		for range kernels {
			rank := rapid.IntRange(1, 5).Draw(rt, "rank")
			factors = append(factors, rapid.SliceOfN(normal, rank*n, rank*n).Draw(rt, "factor"))
		}
		k := make([][]float64, kernels)
		for j, f := range factors {
			k[j] = make([]float64, n*n)
			for i := range n {
				for q := range n {
					for lo := 0; lo < len(f); lo += n {
						k[j][i*n+q] += f[lo+i] * f[lo+q]
					}
				}
			}
		}
		var room scratch
		m := newMixture(n, Stacked(n, factors, make([][]float64, kernels)), rapid.Bool().Draw(rt, "learn"), &room)
		beta, fit := rapid.SliceOfN(normal, n, n).Draw(rt, "beta"), make([]float64, n)
		for j := range m.learned() {
			m.d[j] = math.Exp(rapid.Float64Range(-5, 5).Draw(rt, "log weight"))
			m.w[j] = math.Exp(rapid.Float64Range(-5, 1).Draw(rt, "log slack"))
		}
		must.Do(rt, m.evaluate(t.Context(), fit, beta))
		sum := make([]float64, n*n)
		for j := range k {
			kb := make([]float64, n)
			for i := range n {
				for q, b := range beta {
					kb[i] += k[j][i*n+q] * b
				}
			}
			for i := range n {
				for q := range n {
					sum[i*n+q] += m.d[j] * k[j][i*n+q]
					if m.learn {
						sum[i*n+q] += m.d[j] / m.w[j] * kb[i] * kb[q]
					}
				}
			}
		}
		d, b := make([]float64, n), make([]float64, n)
		for i := range d {
			if rapid.IntRange(0, 9).Draw(rt, "zero") > 0 {
				d[i] = math.Pow(10, rapid.Float64Range(-6, 6).Draw(rt, "log10 D"))
			}
			b[i] = d[i] * normal.Draw(rt, "b / D")
		}
		for name, s := range map[string]system{"dense": newDense(m, &room), "lowRank": newLowRank(m, &room)} {
			v, kv := make([]float64, n), make([]float64, n)
			if err := s.prepare(t.Context(), d); err != nil {
				rt.Fatalf("%s: %v", name, err)
			}
			if err := s.solve(t.Context(), v, kv, b); err != nil {
				rt.Fatalf("%s: %v", name, err)
			}
			// The symmetric system with the unknowns v / sqrt(D) has a matrix whose norm is below size. lowRank refines
			// until the residual is the share refined of the right side, or rounding of the products prevents it.
			left, right, length, size := 0.0, 0.0, 0.0, 1.0
			for i := range n {
				if d[i] == 0 {
					continue
				}
				off := (b[i] - v[i]) / d[i]
				for q := range n {
					off -= sum[i*n+q] * v[q]
				}
				left, right = left+d[i]*off*off, right+b[i]*b[i]/d[i]
				length, size = length+v[i]*v[i]/d[i], size+d[i]*sum[i*n+i]
			}
			most := 1.01*refined*math.Sqrt(right) + 1e-12*size*math.Sqrt(length)
			if !(math.Sqrt(left) <= most) {
				rt.Errorf("%s: a residual of %.2g, above %.2g", name, math.Sqrt(left), most)
			}
		}
	})
}
