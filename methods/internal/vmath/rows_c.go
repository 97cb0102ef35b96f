//go:build cgo && amd64 && !windows && !nokernels

package vmath

/*
#cgo CFLAGS: -O3 -std=c11
#define ROWS_EXPCOS(level) int vm_rows_expcos_rows_##level(const double *a, long n, long d, const double *w, double b, \
	const double *r, double *cosines, double *grad, double *lanes, double *tile, double *value);
ROWS_EXPCOS(avx512)
ROWS_EXPCOS(avx2)
static int vm_rows_expcos(int level, const double *a, long n, long d, const double *w, double b, const double *r,
	double *cosines, double *grad, double *lanes, double *tile, double *value) {
	return (level == 2 ? vm_rows_expcos_rows_avx512 : vm_rows_expcos_rows_avx2)(a, n, d, w, b, r, cosines, grad, lanes,
		tile, value);
}
#cgo noescape vm_rows_expcos
#cgo nocallback vm_rows_expcos
*/
import "C"

func rowsExpCos(a []float64, n, d int, w []float64, b float64, r, cosines, grad []float64) float64 {
	if useC(n, 4) {
		lanes, tile := scratch(8*d), scratch(block*d)
		defer pool.Put(lanes)
		defer pool.Put(tile)
		var value C.double
		if C.vm_rows_expcos(C.int(level), ptr(a), C.long(n), C.long(d), ptr(w), C.double(b), ptr(r), ptr(cosines),
			ptr(grad), ptr(*lanes), ptr(*tile), &value) == 0 {
			return float64(value)
		}
	}
	return rowsExpCosRef(a, n, d, w, b, r, cosines, grad)
}
