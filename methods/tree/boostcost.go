package tree

import (
	"math"

	"github.com/kernelboosting/bench/registry"
)

// The estimates of the boosted trees and of the forest, fitted to processor times of
// one core for n = 100 to 1,000,000 and d = 5 to 60.

// levels is how deep trees of at most depth levels grow when a leaf keeps least rows.
func levels(n, least float64, depth int) float64 {
	most := math.Log2(max(2, n/least))
	if depth < 1 {
		return most
	}
	return min(float64(depth), most)
}

func outputs(s registry.Shape) float64 { return float64(s.Outputs()) }

// lgbmMemory: bins, targets and gradients, and a histogram for each open leaf.
func lgbmMemory(s registry.Shape, p LGBMParams) int64 {
	n, d := int64(s.N), int64(s.D+7)/8*8
	leaves := min(int64(p.NumLeaves), n/int64(2*p.MinData)+2)
	bins := min(255, n/3+2)
	return n*d + n*int64(s.Outputs())*40 + leaves*d*bins*16 + int64(p.Rounds*s.Outputs())*int64(p.NumLeaves)*16 + 1<<20
}

func lgbmCost(s registry.Shape, p LGBMParams) float64 { return lgbmBins(s) + lgbmTrees(s, p) }

// lgbmBins: a sort of each feature and a search of each value.
func lgbmBins(s registry.Shape) float64 { return 100 * float64(s.N) * float64(s.D) }

func lgbmTrees(s registry.Shape, p LGBMParams) float64 {
	n, d := float64(s.N), math.Ceil(float64(s.D)/8)*8
	depth := levels(n, float64(p.MinData), p.MaxDepth)
	leaves := min(math.Pow(2, depth), float64(p.NumLeaves), n/float64(p.MinData)+1)
	row := 15 + depth*(3+0.6*d)
	node := 300 + 0.8*d*min(255, n/3)
	return float64(p.Rounds) * outputs(s) * (n*row + leaves*node)
}

// lgbmPathCost has bins once; shallow settings share rounds with deep ones on small sets.
func lgbmPathCost(s registry.Shape, ps []LGBMParams) float64 {
	sum := lgbmBins(s)
	for _, p := range ps {
		sum += lgbmTrees(s, p)
	}
	return sum
}

// xgbMemory: each feature's order three times, gradients and scores.
func xgbMemory(s registry.Shape, p XGBParams) int64 {
	n, d := int64(s.N), int64(s.D)
	return n*d*28 + n*int64(s.Outputs())*32 + int64(p.Rounds*s.Outputs())<<min(p.MaxDepth, 12)*128 + 1<<20
}

func xgbCost(s registry.Shape, p XGBParams) float64 { return xgbSort(s) + xgbTrees(s, p) }

func xgbSort(s registry.Shape) float64 {
	return 12 * float64(s.N) * float64(s.D) * math.Log2(float64(s.N)+1)
}

func xgbTrees(s registry.Shape, p XGBParams) float64 {
	n, d := float64(s.N), float64(s.D)
	depth := levels(n, p.MinHessian, p.MaxDepth)
	return float64(p.Rounds) * outputs(s) * n * (15 + d*(2.5+4*(depth-1)))
}

func xgbPathCost(s registry.Shape, ps []XGBParams) float64 {
	sum := xgbSort(s)
	for _, p := range ps {
		sum += xgbTrees(s, p)
	}
	return sum
}
