//go:build !cgo || !amd64 || windows || nokernels

package gbdt

var levels, level = 0, 0

func use(int) int { return 0 }

func (ds *Dataset) splitNode(c *nodeCall) { ds.splitNodeRef(c) }

func splitRows(bins []uint8, last, missing int, rows, spare []int32) int {
	return splitRowsRef(bins, last, missing, rows, spare)
}

func (r *ranked) cut(c *cutCall) { r.cutRef(c) }
