//go:build cgo && amd64 && !windows && !purego

package gbdt

/*
#cgo CFLAGS: -O3 -std=c11
#cgo noescape gb_node
#cgo nocallback gb_node
#include "kernels.h"
*/
import "C"
import "unsafe"

// levels are the kernels that the machine runs: 0 the Go ones, 1 AVX2, 2 AVX-512.
var levels = int(C.gb_level())

var level = use(levels)

// use makes level l the one that splitNode calls, and returns it.
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
	C.gb_node((*C.uint8_t)(unsafe.SliceData(ds.bins)), C.long(ds.rows), C.long(ds.blocks()),
		(*C.int32_t)(unsafe.SliceData(ds.top)), (*C.int64_t)(unsafe.SliceData(ds.at)), (*C.uint8_t)(unsafe.SliceData(ds.mostFreq)),
		index, C.long(c.rows), (*C.float)(unsafe.SliceData(c.pairs)),
		(*C.uint8_t)(unsafe.SliceData(c.use)), (*C.uint8_t)(unsafe.SliceData(c.fast)),
		(*C.double)(unsafe.Pointer(&c.limits)), (*C.double)(unsafe.Pointer(&c.sides)),
		(*C.double)(unsafe.SliceData(c.small)), (*C.double)(unsafe.SliceData(c.large)), (*C.double)(unsafe.Pointer(unsafe.SliceData(c.best))))
}
