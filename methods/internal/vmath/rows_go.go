//go:build !cgo || !amd64 || windows || purego

package vmath

func rowsExpCos(a []float64, n, d int, w []float64, b float64, r, cosines, grad []float64) float64 {
	return rowsExpCosRef(a, n, d, w, b, r, cosines, grad)
}
