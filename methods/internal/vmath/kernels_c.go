//go:build cgo && amd64 && !windows && !nokernels

package vmath

/*
#cgo CFLAGS: -O3 -std=c11
#cgo noescape vm_sincos
#cgo nocallback vm_sincos
#cgo noescape vm_cos
#cgo nocallback vm_cos
#cgo noescape vm_exp
#cgo nocallback vm_exp
#cgo noescape vm_tanh
#cgo nocallback vm_tanh
#cgo noescape vm_dot
#cgo nocallback vm_dot
#cgo noescape vm_sum
#cgo nocallback vm_sum
#cgo noescape vm_axpy
#cgo nocallback vm_axpy
#cgo noescape vm_matvec
#cgo nocallback vm_matvec
#cgo noescape vm_rowdots
#cgo nocallback vm_rowdots
#cgo noescape vm_mattvec
#cgo nocallback vm_mattvec
#cgo noescape vm_transpose
#cgo nocallback vm_transpose
#cgo noescape vm_pack
#cgo nocallback vm_pack
#cgo noescape vm_packed_matvec
#cgo nocallback vm_packed_matvec
#cgo noescape vm_packed_mattvec
#cgo nocallback vm_packed_mattvec
#cgo noescape vm_packed_trig
#cgo nocallback vm_packed_trig
#cgo noescape vm_packed_cos
#cgo nocallback vm_packed_cos
#cgo noescape vm_expcos
#cgo nocallback vm_expcos
#cgo noescape vm_explinear
#cgo nocallback vm_explinear
#cgo noescape vm_exppairs
#cgo nocallback vm_exppairs
#cgo noescape vm_expshift
#cgo nocallback vm_expshift
#cgo noescape vm_reweight
#cgo nocallback vm_reweight
#cgo noescape vm_margins
#cgo nocallback vm_margins
#cgo noescape vm_matmul
#cgo nocallback vm_matmul
#cgo noescape vm_mirror
#cgo nocallback vm_mirror
#cgo noescape vm_gaussian
#cgo nocallback vm_gaussian
#cgo noescape vm_laplace
#cgo nocallback vm_laplace
#cgo noescape vm_addgaussians
#cgo nocallback vm_addgaussians
#include "kernels.h"
*/
import "C"

import (
	"math"
	"unsafe"
)

// level is the instruction set in use: 2 AVX-512, 1 AVX2 with FMA, 0 the Go references. everyLength sends inputs of
// every length to C. Only tests change these variables.
var (
	level       = setLevel(Level())
	everyLength = false
)

func setLevel(l int) int {
	C.vm_use(C.int(l))
	return l
}

// useC reports whether work of n element operations repays a C call. At the limits that callers pass, C and Go took
// equal time.
func useC(n, limit int) bool { return level > 0 && (n >= limit || everyLength) }

func ptr(x []float64) *C.double { return (*C.double)(unsafe.SliceData(x)) }

func length(x []float64) C.long { return C.long(len(x)) }

// far reports whether v is an argument that a trigonometric kernel left unchanged, since it is too large for its
// reduction. No sine or cosine is that large.
func far(v float64) bool { return !(math.Abs(v) <= maxNear) }

func cos(c, x []float64) {
	if !useC(len(x), 4) {
		cosArrayRef(c, x)
	} else if C.vm_cos(ptr(c), ptr(x), length(x)) != 0 {
		for i, v := range c {
			if far(v) {
				_, c[i] = sinCosRef(v)
			}
		}
	}
}

func sinCos(s, c, x []float64) {
	if !useC(len(x), 4) {
		sinCosArrayRef(s, c, x)
	} else if C.vm_sincos(ptr(s), ptr(c), ptr(x), length(x)) != 0 {
		for i, v := range s {
			if far(v) {
				s[i], c[i] = sinCosRef(v)
			}
		}
	}
}

func exp(dst, x []float64) {
	if !useC(len(x), 4) {
		expArrayRef(dst, x)
		return
	}
	C.vm_exp(ptr(dst), ptr(x), length(x))
}

func tanh(dst, x []float64, b float64) {
	if !useC(len(x), 4) {
		tanhRef(dst, x, b)
		return
	}
	C.vm_tanh(ptr(dst), ptr(x), C.double(b), length(x))
}

func dot(x, y []float64) float64 {
	if !useC(len(x), 48) {
		return dotRef(x, y)
	}
	return float64(C.vm_dot(ptr(x), ptr(y), length(x)))
}

func sum(x []float64) float64 {
	if !useC(len(x), 48) {
		return sumRef(x)
	}
	return float64(C.vm_sum(ptr(x), length(x)))
}

func axpy(a float64, x, y []float64) {
	if !useC(len(x), 56) {
		axpyRef(a, x, y)
		return
	}
	C.vm_axpy(C.double(a), ptr(x), ptr(y), length(x))
}

func matVec(dst, a []float64, rows, cols int, v []float64) {
	if rows < 3 && !everyLength || !useC(rows*cols, 64) { // C takes eight rows at a time
		matVecRef(dst, a, rows, cols, v)
		return
	}
	C.vm_matvec(ptr(dst), ptr(a), C.long(rows), C.long(cols), ptr(v))
}

func rowDots(dst, a []float64, ld, rows, cols int, v []float64) {
	if rows < 3 && !everyLength || !useC(rows*cols, 64) {
		rowDotsRef(dst, a, ld, rows, cols, v)
		return
	}
	C.vm_rowdots(ptr(dst), ptr(a), C.long(ld), C.long(rows), C.long(cols), ptr(v))
}

func matTVec(dst, a []float64, ld, rows, cols int, c []float64) {
	if !useC(rows*cols, 32) {
		matTVecRef(dst, a, ld, rows, cols, c)
		return
	}
	lanes := scratch(8 * (cols + 7))
	defer pool.Put(lanes)
	C.vm_mattvec(ptr(dst), ptr(a), C.long(ld), C.long(rows), C.long(cols), ptr(c), ptr(*lanes))
}

func transpose(dst []float64, ldd int, src []float64, lds, rows, cols int) {
	if !useC(rows*cols, 64) {
		transposeRef(dst, ldd, src, lds, rows, cols)
		return
	}
	C.vm_transpose(ptr(dst), C.long(ldd), ptr(src), C.long(lds), C.long(rows), C.long(cols))
}

func pack(x, a []float64, n, d int) {
	if !useC(n*d, 16) {
		packRef(x, a, n, d)
		return
	}
	C.vm_pack(ptr(x), ptr(a), C.long(n), C.long(d))
}

func packedMatVec(dst, x []float64, n, d int, v []float64) {
	if !useC(n*d, 64) {
		packedMatVecRef(dst, x, n, d, v)
		return
	}
	C.vm_packed_matvec(ptr(dst), ptr(x), C.long(n), C.long(d), ptr(v))
}

func packedMatTVec(dst, x []float64, n, d int, c []float64) {
	if !useC(n*d, 64) {
		packedMatTVecRef(dst, x, n, d, c)
		return
	}
	lanes := scratch(8 * d)
	defer pool.Put(lanes)
	C.vm_packed_mattvec(ptr(dst), ptr(x), C.long(n), C.long(d), ptr(c), ptr(*lanes))
}

func packedTrig(dst, x []float64, n, d int, w []float64, m int) {
	if useC(n*m, 4) && C.vm_packed_trig(ptr(dst), ptr(x), C.long(n), C.long(d), ptr(w), C.long(m)) == 0 {
		return
	}
	packedTrigRef(dst, x, n, d, w, m)
}

func packedCosines(dst, x []float64, n, d int, w, phase []float64) {
	if useC(n*len(phase), 4) && C.vm_packed_cos(ptr(dst), ptr(x), C.long(n), C.long(d), ptr(w), ptr(phase),
		length(phase)) == 0 {
		return
	}
	packedCosinesRef(dst, x, n, d, w, phase)
}

func expCos(x []float64, n, d int, w []float64, b float64, r, cosines, grad []float64) float64 {
	if useC(n, 4) {
		lanes := scratch(8 * d)
		defer pool.Put(lanes)
		var value C.double
		if C.vm_expcos(ptr(x), C.long(n), C.long(d), ptr(w), C.double(b), ptr(r), ptr(cosines), ptr(grad), ptr(*lanes),
			&value) == 0 {
			return float64(value)
		}
	}
	return expCosRef(x, n, d, w, b, r, cosines, grad)
}

func expLinear(x []float64, n, d int, v, r, grad []float64) float64 {
	if !useC(n, 4) {
		return expLinearRef(x, n, d, v, r, grad)
	}
	lanes := scratch(8 * d)
	defer pool.Put(lanes)
	return float64(C.vm_explinear(ptr(x), C.long(n), C.long(d), ptr(v), ptr(r), ptr(grad), ptr(*lanes)))
}

func expPairs(x []float64, n, m int, cu, su, r, losses []float64) {
	if !useC(n*m, 4) {
		expPairsRef(x, n, m, cu, su, r, losses)
		return
	}
	lanes := scratch(8 * m)
	defer pool.Put(lanes)
	C.vm_exppairs(ptr(x), C.long(n), C.long(m), ptr(cu), ptr(su), ptr(r), ptr(losses), ptr(*lanes))
}

func expShift(r, c, s []float64, cb, sb float64) float64 {
	if !useC(len(r), 4) {
		return expShiftRef(r, c, s, cb, sb)
	}
	return float64(C.vm_expshift(ptr(r), ptr(c), ptr(s), length(r), C.double(cb), C.double(sb)))
}

func reweight(score, w, r, y, h []float64, alpha float64) float64 {
	if !useC(len(score), 4) {
		return reweightRef(score, w, r, y, h, alpha)
	}
	return float64(C.vm_reweight(ptr(score), ptr(w), ptr(r), ptr(y), ptr(h), C.double(alpha), length(score)))
}

func margins(y, h, w []float64) (plus, minus float64) {
	if !useC(len(y), 24) {
		return marginsRef(y, h, w)
	}
	var p, q C.double
	C.vm_margins(ptr(y), ptr(h), ptr(w), length(y), &p, &q)
	return float64(p), float64(q)
}

// panelWidth is the least number of columns of b with which one row of a times b is faster row by row, without packing.
const panelWidth = 64

func cMatMul(dst []float64, ldc int, a []float64, lda int, b []float64, ldb, m, k, n int, turned, upper, add C.int) {
	width := n + panelSlack
	depth := max(1, panelValues/width/panelDepth) * panelDepth
	panels := rough(min(k, depth) * width)
	defer pool.Put(panels)
	for q := 0; q == 0 || q < k; q += depth {
		from := q * ldb
		if turned != 0 {
			from = q
		}
		C.vm_matmul(ptr(dst), C.long(ldc), ptr(a[q:]), C.long(lda), ptr(b[from:]), C.long(ldb), C.long(m),
			C.long(min(k-q, depth)), C.long(n),
			turned, upper, add, ptr(*panels))
		add = 1 // the chains of multiply-adds go on
	}
}

func matMul(dst, a []float64, lda, m, k int, b []float64, n int, turned bool) {
	if !useC(m*k*n, 64) {
		matMulRef(dst, a, lda, m, k, b, n, turned)
		return
	}
	if turned && m == 1 { // the same chains of multiply-adds, without a copy of b
		matVec(dst, b, n, k, a[:k])
		return
	}
	if !turned && n == 1 && lda == k {
		matVec(dst, a, m, k, b)
		return
	}
	if !turned && m == 1 && n >= panelWidth {
		clear(dst)
		rowAdd(dst, a[:k], b, n, n)
		return
	}
	ldb, t := n, C.int(0)
	if turned {
		ldb, t = k, 1
	}
	cMatMul(dst, n, a, lda, b, ldb, m, k, n, t, 0, 0)
}

func gram(dst, a []float64, n, k int) {
	if !useC(n*n*k, 64) {
		gramRef(dst, a, n, k)
		return
	}
	cMatMul(dst, n, a, k, a, k, n, k, n, 1, 1, 0)
	C.vm_mirror(ptr(dst), C.long(n))
}

func matMulAdd(dst []float64, ldc int, a []float64, lda, m, k int, b []float64, ldb, n int) {
	if !useC(m*k*n, 64) {
		matMulAddRef(dst, ldc, a, lda, m, k, b, ldb, n)
		return
	}
	if m == 1 && n >= panelWidth {
		rowAdd(dst, a[:k], b, ldb, n)
		return
	}
	cMatMul(dst, ldc, a, lda, b, ldb, m, k, n, 0, 0, 1)
}

// rowAdd adds the product of one row and b to dst, without packing b.
func rowAdd(dst, a, b []float64, ldb, n int) {
	for q, v := range a {
		axpy(v, b[q*ldb:q*ldb+n], dst[:n])
	}
}

func gramAdd(dst []float64, ldc int, a []float64, lda, n, k, from, to int) {
	if !useC((to-from)*(n-from)*k, 64) {
		gramAddRef(dst, ldc, a, lda, n, k, from, to)
		return
	}
	cMatMul(dst[from*ldc+from:], ldc, a[from*lda:], lda, a[from*lda:], lda, to-from, k, n-from, 1, 1, 1)
}

func mirror(c []float64, n int) {
	if !useC(n*n, 64) {
		mirrorRef(c, n)
		return
	}
	C.vm_mirror(ptr(c), C.long(n))
}

func gaussian(dst, dots, squares []float64, square, g float64) {
	if !useC(len(dst), 4) {
		gaussianRef(dst, dots, squares, square, g)
		return
	}
	C.vm_gaussian(ptr(dst), ptr(dots), ptr(squares), C.double(square), C.double(g), length(dst))
}

func laplace(dst, slopes, dots, squares []float64, square, bandwidth float64) {
	if !useC(len(dst), 4) {
		laplaceRef(dst, slopes, dots, squares, square, bandwidth)
		return
	}
	C.vm_laplace(ptr(dst), ptr(slopes), ptr(dots), ptr(squares), C.double(square), C.double(bandwidth), rounding,
		length(dst))
}

func addGaussians(dst, dots, rows, points, coefs []float64, g float64) {
	if !useC(len(dots), 4) {
		addGaussiansRef(dst, dots, rows, points, coefs, g)
		return
	}
	C.vm_addgaussians(ptr(dst), ptr(dots), ptr(rows), ptr(points), ptr(coefs), C.double(g), length(rows),
		length(points))
}
