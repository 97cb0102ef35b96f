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

// golearnMemory is the peak of the heap while golearn grows a tree, measured for n = 124 to 14,000 and d = 5 to 57. It
// counts two copies of the sample, twice because the garbage collector is slow to free them, lists of row headers (24
// bytes each) on the path to the current node, and a constant. The estimate is up to twice the measured peak.
func golearnMemory(s registry.Shape, _ Params) int64 {
	n, d := int64(s.N), int64(s.D)
	return 32*n*(d+1) + 700*n + 4<<20
}

// cost is the time to sort the rows by each feature, and to scan them for each level of the tree, in ns. A feature of
// few values takes 0.45 of this. The numbers were fitted to cells of the 16 sets of the protocol table2; that of
// regression was lowered alike. Beyond 14,000 rows a scan in the order of a feature reads labels that are no longer in
// a cache: 1.6 times as long at 50,000 rows, and twice as long at 200,000 (BenchmarkSynthetic).
func cost(s registry.Shape, p Params) float64 {
	n, d := float64(s.N), float64(s.D)-0.55*float64(s.Codes)
	levels := 2 * math.Log2(n+1)
	if p.MaxDepth != NoLimit {
		levels = min(levels, float64(p.MaxDepth))
	}
	cut := 11 + 3*float64(classes(s)) // for classes, if all values differ
	if s.Task == registry.Regression {
		cut = 20
	}
	far := 1 + 0.3*max(0, math.Log2(n/14000))
	return n * d * (4.5*math.Log2(n+1) + levels*cut) * far
}

// golearnCost is the time of golearn. For each of the u distinct values of each of the d features, golearn counts all n
// labels again, in a map. This takes 6.5 ns a label, 24 ns a regression target and 350 ns a class. The deeper levels
// together add a few times the work of the root. The shape does not tell u. For classes, u is an average over the
// catalogue's sets, where sets with many rows have few distinct values. A set of measured values takes up to 3 times
// longer than estimated (8 times if all values are distinct), and a set of codes 9 times less. For regression u is n,
// since the features of such sets are measured.
func golearnCost(s registry.Shape, p Params) float64 {
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

// pathCost counts one tree for all depths of a criterion, the deepest one.
func pathCost(cost func(registry.Shape, Params) float64) func(registry.Shape, []Params) float64 {
	return func(s registry.Shape, ps []Params) float64 {
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
}
