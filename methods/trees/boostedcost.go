package trees

import (
	"math"

	"github.com/kernelboosting/bench/methods/internal/gbdt"
	"github.com/kernelboosting/bench/registry"
)

// The estimates below were fitted to processor times of one core for n = 100 to 1,000,000 and d = 5 to 60.

// levels is the likely depth of a tree of at most depth levels on n rows, when each leaf has at least `least` rows.
func levels(n, least float64, depth int) float64 {
	most := math.Log2(max(2, n/least))
	if depth < 1 {
		return most
	}
	return min(float64(depth), most)
}

func outputs(s registry.Shape) float64 { return float64(s.Outputs()) }

// lgbmMemory counts the bins twice, the positions of the nonzero values in the rows from which bins are chosen, the
// targets and gradients, and a histogram for each open leaf.
func lgbmMemory(s registry.Shape, p gbdt.LeafwiseParams) int64 {
	n, d := int64(s.N), int64(s.D+7)/8*8
	leaves := min(int64(p.NumLeaves), n/int64(2*p.MinData)+2)
	bins := min(255, n/3+2)
	return n*d*2 + min(n, 200_000)*d*5 + n*64 + n*int64(s.Outputs())*40 + leaves*d*bins*16 +
		int64(p.Rounds*s.Outputs())*int64(p.NumLeaves)*16 + 1<<20
}

// lgbmBins is the time to sort each feature and to look up the bin of each value.
func lgbmBins(s registry.Shape) float64 { return 100 * float64(s.N) * float64(s.D) }

func lgbmTrees(s registry.Shape, p gbdt.LeafwiseParams) float64 {
	n, d := float64(s.N), math.Ceil(float64(s.D)/8)*8
	depth := min(levels(n, float64(p.MinData), p.MaxDepth), math.Log2(float64(p.NumLeaves)))
	leaves := min(math.Pow(2, depth), n/float64(p.MinData)+1)
	row := 8 + depth*(1.4+0.2*d)
	bins := min(80, n/3) // most sets have features with few values
	if s.Task == registry.Regression {
		bins = min(255, n/3)
	}
	node := 380 + d*bins
	return float64(p.Rounds) * outputs(s) * (n*row + leaves*node)
}

// lgbmPathCost counts the bins once. A grid point costs nothing more if its depth limit is deeper than its trees grow.
func lgbmPathCost(s registry.Shape, ps []gbdt.LeafwiseParams) float64 {
	sum, grown := lgbmBins(s), map[gbdt.LeafwiseParams]bool{}
	for _, p := range ps {
		cost, key := lgbmTrees(s, p), p
		if deepest := int(levels(float64(s.N), float64(p.MinData), noLimit)) + 2; p.MaxDepth > deepest &&
			p.NumLeaves >= 1<<deepest {
			key.MaxDepth, key.NumLeaves = noLimit, 0
		}
		if !grown[key] {
			sum += cost
		}
		grown[key] = true
	}
	return sum
}

// xgbMemory counts the order of each feature three times, its ranks, the gradients and the scores.
func xgbMemory(s registry.Shape, p gbdt.DepthwiseParams) int64 {
	n, d := int64(s.N), int64(s.D)
	return n*d*30 + n*int64(s.Outputs())*32 + int64(p.Rounds*s.Outputs())*min(int64(1)<<p.MaxDepth, n)*128 + 1<<20
}

func xgbSort(s registry.Shape) float64 {
	return 12 * float64(s.N) * float64(s.D) * math.Log2(float64(s.N)+1)
}

// xgbTrees is the time to grow the trees. A row has a hessian of about a tenth, and a node needs MinHessian. With the
// square loss a row has the hessian 1, and the features have more values.
func xgbTrees(s registry.Shape, p gbdt.DepthwiseParams) float64 {
	n, d, hessian, level := float64(s.N), math.Ceil(float64(s.D)/8)*8, 0.1, 1.2
	if s.Task == registry.Regression {
		hessian, level = 1, 3
	}
	depth := levels(n*hessian, p.MinHessian, p.MaxDepth)
	return float64(p.Rounds) * outputs(s) * n * (30 + d*(0.8+level*(depth-1)))
}

func xgbPathCost(s registry.Shape, ps []gbdt.DepthwiseParams) float64 {
	sum := xgbSort(s)
	for _, p := range ps {
		sum += xgbTrees(s, p)
	}
	return sum
}
