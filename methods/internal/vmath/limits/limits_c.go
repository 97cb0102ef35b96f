//go:build cgo && amd64 && !windows && !purego

package limits

/*
#cgo CFLAGS: -O3 -std=c11
#cgo noescape lim_fma
#cgo nocallback lim_fma
#cgo noescape lim_read
#cgo nocallback lim_read
long lim_fma(int level, long rounds);
double lim_read(int level, const double *x, long n, long repeat);
*/
import "C"

import (
	"unsafe"

	"github.com/kernelboosting/bench/methods/internal/simd"
)

// fma runs the rounds and returns the number of multiply-adds they made.
func fma(rounds int) int { return int(C.lim_fma(C.int(simd.Level()), C.long(rounds))) }

func read(x []float64, repeat int) {
	C.lim_read(C.int(simd.Level()), (*C.double)(unsafe.SliceData(x)), C.long(len(x)), C.long(repeat)) // C keeps its loop
}
