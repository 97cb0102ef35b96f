package cart

import (
	"github.com/kernelboosting/bench/registry"
)

// memory counts the columns and their order, and for each split its values and the counts of both sides by class.
func memory(s registry.Shape, p Params) int64 {
	n, d := int64(s.N), int64(s.D)
	splits := n
	if p.MaxDepth != NoLimit && p.MaxDepth < 40 {
		splits = min(n, 1<<p.MaxDepth)
	}
	return 12*n*d + 100*n + splits*(600+64*int64(max(1, classes(s)))) + 1<<20
}

// golearnMemory is the peak of the heap while golearn grows a tree, measured for n = 124 to 14,000 and d = 5 to 57. It
// counts two copies of the sample, twice because the garbage collector is slow to free them, lists of row headers (24
// bytes each) on the path to the current node, and a constant. The estimate is up to twice the measured peak.
func golearnMemory(s registry.Shape, _ Params) int64 {
	n, d := int64(s.N), int64(s.D)
	return 32*n*(d+1) + 700*n + 4<<20
}
