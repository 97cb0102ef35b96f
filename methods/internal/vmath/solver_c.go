//go:build cgo && amd64 && !windows && !nokernels

package vmath

/*
#cgo CFLAGS: -O3 -std=c11
#cgo noescape vm_outer
#cgo nocallback vm_outer
#cgo noescape vm_logistic
#cgo nocallback vm_logistic
#cgo noescape vm_scale
#cgo nocallback vm_scale
#cgo noescape vm_factor
#cgo nocallback vm_factor
#cgo noescape vm_back
#cgo nocallback vm_back
#cgo noescape vm_addrows
#cgo nocallback vm_addrows
#cgo noescape vm_columns
#cgo nocallback vm_columns
#cgo noescape vm_signed
#cgo nocallback vm_signed
#cgo noescape vm_hinge_move
#cgo nocallback vm_hinge_move
#cgo noescape vm_hinge_slope
#cgo nocallback vm_hinge_slope
#cgo noescape vm_wave
#cgo nocallback vm_wave
#cgo noescape vm_wave_slope
#cgo nocallback vm_wave_slope
#include "kernels.h"
*/
import "C"

import "unsafe"

func outer(c []float64, m int, a []float64, ld, rows, from int, how Change) {
	if !useC(m*m*rows, 64) {
		outerRef(c, m, a, ld, rows, from, how)
		return
	}
	C.vm_outer(ptr(c), C.long(m), ptr(a), C.long(ld), C.long(rows), C.long(from), C.int(how))
}

func scale(dst []float64, to int, a []float64, ld, rows, cols int, s []float64) {
	if !useC(rows*cols, 32) {
		scaleRef(dst, to, a, ld, rows, cols, s)
		return
	}
	C.vm_scale(ptr(dst), C.long(to), ptr(a), C.long(ld), C.long(rows), C.long(cols), ptr(s))
}

func factor(u, c []float64, m int, scale float64, shift []float64) bool {
	if !useC(m, 8) {
		return factorRef(u, c, m, scale, shift)
	}
	return C.vm_factor(ptr(u), ptr(c), C.long(m), C.double(scale), ptr(shift)) != 0
}

func back(x, u []float64, m, column int) {
	if !useC(m, 8) {
		backRef(x, u, m, column)
		return
	}
	C.vm_back(ptr(x), ptr(u), C.long(m), C.long(column))
}

func logistic(f, moved, y, residual, root, slope []float64, sums *[32]float64) {
	if !useC(len(f), 4) {
		logisticRef(f, moved, y, residual, root, slope, sums)
		return
	}
	C.vm_logistic(ptr(f), ptr(moved), ptr(y), ptr(residual), ptr(root), ptr(slope), length(f), ptr(sums[:]))
}

func numbers(which []int) *C.long { return (*C.long)(unsafe.Pointer(unsafe.SliceData(which))) }

func addRows(dst, a []float64, n int, which []int, c []float64) {
	if !useC(n*len(which), 32) {
		addRowsRef(dst, a, n, which, c)
		return
	}
	C.vm_addrows(ptr(dst), ptr(a), C.long(n), numbers(which), ptr(c), C.long(len(which)))
}

func columns(dst []float64, ld int, a []float64, n int, which []int) {
	if !useC(n*len(which), 64) {
		columnsRef(dst, ld, a, n, which)
		return
	}
	C.vm_columns(ptr(dst), C.long(ld), ptr(a), C.long(n), numbers(which), C.long(len(which)))
}

func signed(x, y []float64, b float64) {
	if !useC(len(x), 24) {
		signedRef(x, y, b)
		return
	}
	C.vm_signed(ptr(x), ptr(y), C.double(b), length(x))
}

func bytes(x []uint8) *C.uchar { return (*C.uchar)(unsafe.SliceData(x)) }

func hingeMove(h *Hinge, step, sigma, c float64) HingeSums {
	if !useC(len(h.Slack), 8) {
		return hingeMoveRef(h, step, sigma, c)
	}
	var s [4]C.double
	C.vm_hinge_move(ptr(h.Slack), ptr(h.Change), C.double(step), ptr(h.Alpha), ptr(h.Next), ptr(h.Y), ptr(h.Turned),
		bytes(h.Free), bytes(h.Moved), length(h.Slack), C.double(sigma), C.double(c), &s[0])
	return HingeSums{float64(s[0]), float64(s[1]), float64(s[2]), float64(s[3])}
}

func hingeSlope(h *Hinge, step, sigma, c float64) (product, square float64) {
	if !useC(len(h.Slack), 8) {
		return hingeSlopeRef(h, step, sigma, c)
	}
	var s [2]C.double
	C.vm_hinge_slope(ptr(h.Slack), ptr(h.Change), C.double(step), ptr(h.Alpha), length(h.Slack), C.double(sigma),
		C.double(c), &s[0])
	return float64(s[0]), float64(s[1])
}

func wave(s, c, z, f, y []float64) WaveSums {
	if useC(len(z), 4) {
		var k [7]C.double
		if C.vm_wave(ptr(s), ptr(c), ptr(z), ptr(f), ptr(y), length(z), &k[0]) == 0 {
			return WaveSums{float64(k[0]), float64(k[1]), float64(k[2]), float64(k[3]), float64(k[4]), float64(k[5]),
				float64(k[6])}
		}
	}
	return waveRef(s, c, z, f, y)
}

func waveSlope(slope, f, s, c, y []float64, a, t [3]float64) float64 {
	if !useC(len(slope), 8) {
		return waveSlopeRef(slope, f, s, c, y, a, t)
	}
	return float64(C.vm_wave_slope(ptr(slope), ptr(f), ptr(s), ptr(c), ptr(y), length(slope), ptr(a[:]), ptr(t[:])))
}
