//go:build cgo && amd64 && !windows && !nokernels

package gbdt

/*
#cgo CFLAGS: -O3 -std=c11
#cgo noescape gb_node
#cgo nocallback gb_node
#cgo noescape gb_split
#cgo nocallback gb_split
#cgo noescape gb_cut
#cgo nocallback gb_cut
#include "kernels.h"
*/
import "C"
import (
	"unsafe"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// levels is the highest level of kernels that the machine runs: 0 the Go ones, 1 AVX2, 2 AVX-512.
var levels = vmath.Level()

var level = use(levels)

// use makes splitNode call the kernels of level l, and returns l.
func use(l int) int {
	C.gb_use(C.int(l))
	return l
}

func (ds *Dataset) splitNode(c *nodeCall) {
	if level == 0 || c.limits.minHessian <= 0 { // the kernel's test without division needs positive sums
		ds.splitNodeRef(c)
		return
	}
	var index *C.int32_t
	if c.index != nil {
		index = (*C.int32_t)(unsafe.SliceData(c.index))
	}
	var start *C.int32_t
	var cells *C.uint16_t
	if s := ds.sparse; s != nil {
		start, cells = (*C.int32_t)(unsafe.SliceData(s.start)), (*C.uint16_t)(unsafe.SliceData(s.cells))
	}
	C.gb_node((*C.uint8_t)(unsafe.SliceData(ds.bins)), C.long(ds.rows), C.long(ds.blocks()),
		(*C.int32_t)(unsafe.SliceData(ds.top)), (*C.int64_t)(unsafe.SliceData(ds.at)),
		(*C.uint8_t)(unsafe.SliceData(ds.mostFreq)),
		index, C.long(c.rows), (*C.float)(unsafe.SliceData(c.pairs)),
		(*C.uint8_t)(unsafe.SliceData(c.use)), (*C.uint8_t)(unsafe.SliceData(c.fast)),
		(*C.double)(unsafe.Pointer(&c.limits)), (*C.double)(unsafe.Pointer(&c.sides)),
		(*C.double)(unsafe.SliceData(c.small)), (*C.double)(unsafe.SliceData(c.large)),
		(*C.double)(unsafe.Pointer(unsafe.SliceData(c.best))), start, cells)
}

func splitRows(bins []uint8, last, missing int, rows, spare []int32) int {
	if level == 0 {
		return splitRowsRef(bins, last, missing, rows, spare)
	}
	return int(C.gb_split((*C.uint8_t)(unsafe.SliceData(bins)), C.int(last), C.int(missing),
		(*C.int32_t)(unsafe.SliceData(rows)), C.long(len(rows)), (*C.int32_t)(unsafe.SliceData(spare))))
}

func (r *ranked) cut(c *cutCall) {
	if level == 0 {
		r.cutRef(c)
		return
	}
	C.gb_cut((*C.uint16_t)(unsafe.SliceData(r.bins)), C.long(r.rows), C.long(len(r.top)),
		(*C.int32_t)(unsafe.SliceData(r.top)),
		(*C.uint8_t)(unsafe.SliceData(r.use)), (*C.int32_t)(unsafe.SliceData(c.index)), C.long(len(c.index)),
		(*C.float)(unsafe.SliceData(c.pairs)),
		(*C.double)(unsafe.Pointer(&c.limits)), (*C.double)(unsafe.SliceData(c.hist)),
		(*C.uint8_t)(unsafe.SliceData(c.seen)), (*C.int32_t)(unsafe.SliceData(c.list)),
		(*C.double)(unsafe.Pointer(unsafe.SliceData(c.best))))
}
