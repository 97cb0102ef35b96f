package cart

import (
	"math"

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

// cost is the time to sort the rows by each feature, and to scan them for each level of the tree, in ns: see BenchmarkSynthetic.
func cost(s registry.Shape, p Params) float64 {
	n, d := float64(s.N), float64(s.D)
	levels := 2 * math.Log2(n+1)
	if p.MaxDepth != NoLimit {
		levels = min(levels, float64(p.MaxDepth))
	}
	cut := 20 + 6*float64(classes(s)) // for classes, if all values differ
	if s.Task == registry.Regression {
		cut = 35
	}
	return n * d * (8*math.Log2(n+1) + levels*cut)
}

// pathCost counts one tree for all depths of a criterion, the deepest one.
func pathCost(s registry.Shape, ps []Params) float64 {
	deepest := map[string]float64{}
	for _, p := range ps {
		deepest[p.Criterion] = max(deepest[p.Criterion], cost(s, p))
	}
	sum := 0.0
	for _, c := range deepest {
		sum += c
	}
	return sum
}
