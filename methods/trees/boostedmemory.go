package trees

import (
	"github.com/kernelboosting/bench/methods/internal/gbdt"
	"github.com/kernelboosting/bench/registry"
)

// lgbmMemory counts the bins twice, the positions of the nonzero values in the rows from which bins are chosen, the
// targets and gradients, and a histogram for each open leaf.
func lgbmMemory(s registry.Shape, p gbdt.LeafwiseParams) int64 {
	n, d := int64(s.N), int64(s.D+7)/8*8
	leaves := min(int64(p.NumLeaves), n/int64(2*p.MinData)+2)
	bins := min(255, n/3+2)
	return n*d*2 + min(n, 200_000)*d*5 + n*64 + n*int64(s.Outputs())*40 + leaves*d*bins*16 +
		int64(p.Rounds*s.Outputs())*int64(p.NumLeaves)*16 + 1<<20
}

// xgbMemory counts the order of each feature three times, its ranks, the gradients and the scores.
func xgbMemory(s registry.Shape, p gbdt.DepthwiseParams) int64 {
	n, d := int64(s.N), int64(s.D)
	return n*d*30 + n*int64(s.Outputs())*32 + int64(p.Rounds*s.Outputs())*min(int64(1)<<p.MaxDepth, n)*128 + 1<<20
}
