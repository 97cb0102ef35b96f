//go:build cgo && amd64 && !windows && !nokernels

package svm

/*
#cgo CFLAGS: -O3 -std=c11 -Wno-psabi
#cgo noescape svm_run_float
#cgo nocallback svm_run_float
#cgo noescape svm_run_double
#cgo nocallback svm_run_double
#cgo noescape svm_add_float
#cgo nocallback svm_add_float
#cgo noescape svm_add_double
#cgo nocallback svm_add_double
#include "dispatch.h"
*/
import "C"

import (
	"unsafe"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// level is the instruction set in use: 2 AVX-512, 1 AVX2 with FMA, 0 the Go function run. Only tests change level.
var level = vmath.Level()

// steps is run, in C where the processor allows.
func steps[F Float](w *work[F], n int, epsilon, tol float64,
	budget int) (s status, done, need int, minUp, maxDown float64) {
	if level == 0 {
		return run(w, n, epsilon, tol, budget)
	}
	var out [2]C.long
	var extremes [2]C.double
	d := func(x []float64) *C.double { return (*C.double)(unsafe.SliceData(x)) }
	slot, used := (*C.int)(unsafe.SliceData(w.slot)), (*C.longlong)(unsafe.SliceData(w.used))
	clock := (*C.longlong)(&w.clock)
	var got C.int
	if rows, ok := any(w.rows).([]float32); ok {
		got = C.svm_run_float(C.int(level), (*C.float)(unsafe.SliceData(rows)), slot, C.long(w.stride), used,
			d(w.g), d(w.up), d(w.down), d(w.beta), d(w.lo), d(w.hi), d(w.diag), C.long(n), C.double(epsilon),
			C.double(tol),
			C.long(budget), clock, &out[0], &extremes[0])
	} else {
		rows := any(w.rows).([]float64)
		got = C.svm_run_double(C.int(level), d(rows), slot, C.long(w.stride), used,
			d(w.g), d(w.up), d(w.down), d(w.beta), d(w.lo), d(w.hi), d(w.diag), C.long(n), C.double(epsilon),
			C.double(tol),
			C.long(budget), clock, &out[0], &extremes[0])
	}
	return status(got), int(out[0]), int(out[1]), float64(extremes[0]), float64(extremes[1])
}

// addFour is addFourRef, in C where the processor allows.
func addFour[F Float](fit []float64, rows *[4][]F, by *[4]float64) {
	if level == 0 {
		addFourRef(fit, rows, by)
		return
	}
	n, sum, factors := len(fit), (*C.double)(unsafe.SliceData(fit)), (*C.double)(&by[0])
	for _, row := range rows {
		_ = row[:n]
	}
	switch r := any(rows).(type) {
	case *[4][]float32:
		f := func(k int) *C.float { return (*C.float)(unsafe.SliceData(r[k])) }
		C.svm_add_float(C.int(level), sum, f(0), f(1), f(2), f(3), factors, C.long(n))
	case *[4][]float64:
		d := func(k int) *C.double { return (*C.double)(unsafe.SliceData(r[k])) }
		C.svm_add_double(C.int(level), sum, d(0), d(1), d(2), d(3), factors, C.long(n))
	}
}
