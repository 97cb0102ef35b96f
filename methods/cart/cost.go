package cart

import (
	"math"

	"github.com/kernelboosting/bench/registry"
)

// memory is the peak of the heap while golearn grows, measured for n = 124 to
// 14,000 and d = 5 to 57: two copies of the sample, doubled by the garbage
// collector's slack, lists of row headers (24 bytes each) on the path to the
// current node, and a floor. It is up to twice what was seen.
func memory(s registry.Shape, _ Params) int64 {
	n, d := int64(s.N), int64(s.D)
	return 32*n*(d+1) + 700*n + 4<<20
}

// cost is that of golearn, which counts all n labels anew, in a map, for each of the
// u distinct values of each of the d features: 6.5 ns a label, 24 ns a regression
// target, 350 ns a class. Deeper levels together add a few times the root's work. The
// shape does not tell u: for classes it is that of the catalogue's sets, which on
// average have few distinct values where they have many rows, so that measured
// values are up to 3 times larger (all distinct: 8 times) and on codes 9 times smaller;
// regression targets come with features that are measured, so u is n.
func cost(s registry.Shape, p Params) float64 {
	n, d := float64(s.N), float64(s.D)
	threshold, values := 24*n+100, n
	if s.Task != registry.Regression {
		threshold, values = 6.5*n+350*float64(classes(s)), min(0.6*n, 20*math.Pow(n, 0.45))
	}
	levels := 3.2
	if p.MaxDepth != NoLimit {
		levels = min(levels, 1+float64(p.MaxDepth-1)/2)
	}
	return levels * d * values * threshold
}

// pathCost knows that depths fitted together share the growth of the deepest.
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
