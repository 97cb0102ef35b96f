package vmath

import (
	"runtime"
	"slices"
	"testing"
)

// TestDeepProducts compares products with the references where the kernels pack b in several parts.
func TestDeepProducts(t *testing.T) {
	shapes := [][3]int{{3, 7000, 5}, {1, 6000, 30}, {9, 400, 700}, {2, 193, 2000}, {1, 500, 100}, {40, 3000, 33}, {2, 0, 3}}
	onEveryLevel(t, func(t *testing.T) {
		for _, s := range shapes {
			m, k, n := s[0], s[1], s[2]
			a, b, got, want := normals(m*k, 1), normals(k*n, 1), make([]float64, m*n), make([]float64, m*n)
			compare := func(what string) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Errorf("%s of %v differs", what, s)
				}
			}
			MatMul(got, a, m, k, b, n)
			matMulRef(want, a, k, m, k, b, n, false)
			compare("MatMul")
			MatMulT(got, a, m, k, b, n)
			matMulRef(want, a, k, m, k, b, n, true)
			compare("MatMulT")
			MatMulAdd(got, n, a, k, m, k, b, n, n)
			matMulAddRef(want, n, a, k, m, k, b, n, n)
			compare("MatMulAdd")
		}
	})
}

// TestProductsTakeLittleMemory: a product with a tall b does not copy b.
func TestProductsTakeLittleMemory(t *testing.T) {
	const k, n = 400_000, 4
	a, b, dst := make([]float64, k), make([]float64, k*n), make([]float64, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	MatMul(dst, a, 1, k, b, n)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
		t.Errorf("%d bytes allocated for a product with %d bytes", got, 8*k*n)
	}
}
