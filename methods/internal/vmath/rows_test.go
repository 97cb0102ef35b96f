package vmath

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRowsExpCosLoss: the pass over rows has the bits of the pass over packed rows, on
// every instruction set and in Go, with arguments beyond the fast reduction too.
func TestRowsExpCosLoss(t *testing.T) {
	check := func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		normals := func(n int, scale float64) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = scale * rng.NormFloat64()
			}
			return x
		}
		for _, n := range []int{1, 7, 8, 9, 31, 32, 33, 127, 128, 129, 300, 1000} {
			for _, d := range []int{1, 3, 8, 17, 20} {
				for _, scale := range []float64{1, 1e12} {
					a, w, r := normals(n*d, scale), normals(d, 1), normals(n, 1)
					cosines, grad := make([]float64, n), make([]float64, d)
					got := RowsExpCosLoss(a, n, d, w, 0.3, r, cosines, grad)
					wantCosines, wantGrad := make([]float64, n), make([]float64, d)
					want := Pack(a, n, d).ExpCosLoss(w, 0.3, r, wantCosines, wantGrad)
					same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
					if !same(got, want) || !slices.EqualFunc(grad, wantGrad, same) || !slices.EqualFunc(cosines, wantCosines, same) {
						t.Fatalf("n=%d d=%d scale=%g: loss %v, packed %v; gradient %v, packed %v", n, d, scale, got, want, grad, wantGrad)
					}
					ref := rowsExpCosRef(a, n, d, w, 0.3, r, nil, grad) / float64(n)
					for k := range grad {
						grad[k] /= float64(n)
					}
					if !same(ref, want) || !slices.EqualFunc(grad, wantGrad, same) {
						t.Fatalf("n=%d d=%d scale=%g: reference %v, packed %v; gradient %v, packed %v", n, d, scale, ref, want, grad, wantGrad)
					}
				}
			}
		}
	}
	t.Run("default", check)
	t.Run("levels", func(t *testing.T) { onEveryLevel(t, check) })
}
