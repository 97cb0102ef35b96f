package gbdt

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"pgregory.net/rapid"
)

// coded is a sample whose features have few to many distinct values.
func coded(task registry.Task, n, d int, seed uint32) *sample {
	s := drawn(task, n, d, 3, seed)
	for i := range s.x {
		if grain := float64(int(1) << (i % d)); i%d < 6 {
			s.x[i] = math.Round(s.x[i]*grain) / grain
		}
	}
	return s
}

// Histograms of ranks and sorted lists give the same models, with and without missing values.
func TestRanksEqualLists(t *testing.T) {
	for _, s := range []*sample{coded(registry.Binary, 300, 9, 1), coded(registry.Multiclass, 200, 17, 2),
		coded(registry.Regression, 900, 8, 3),
		gapped(coded(registry.Binary, 300, 9, 5), 0.1)} {
		for _, depth := range []int{1, 3, 5} {
			p := xgboostDefaults
			p.Rounds, p.MaxDepth = 30, depth
			sorted := must.Get(NewSorted(t.Context(), s.x, s.n, s.d))(t)
			if !sorted.ranked.pays(depth) {
				t.Fatalf("%s: depth %d does not use ranks, so this compares nothing", s.task, depth)
			}
			byRanks := must.Get(Depthwise(t.Context(), sorted, s.target(), p))(t)
			lists := *sorted
			lists.ranked = nil
			byLists := must.Get(Depthwise(t.Context(), &lists, s.target(), p))(t)
			if !bytes.Equal(text(t, byRanks), text(t, byLists)) {
				t.Errorf("%s, depth %d: ranks and lists differ: %s", s.task, depth, difference(byRanks, byLists))
			}
		}
	}
}

// The C kernels choose the cut that the Go one chooses, bit for bit.
func TestCutKernelsEqualReference(t *testing.T) {
	best := level
	defer func() { level = use(best) }()
	s := gapped(coded(registry.Binary, 400, 11, 4), 0.02)
	sorted := must.Get(NewSorted(t.Context(), s.x, s.n, s.d))(t)
	rapid.Check(t, func(t *rapid.T) {
		r := rng.New(rapid.Uint32().Draw(t, "seed"))
		pairs := make([]float32, 2*s.n)
		for i := range s.n {
			pairs[2*i], pairs[2*i+1] = float32(r.Norm()), float32(math.Abs(r.Norm()))
		}
		var index []int32
		keep := rapid.SampledFrom([]int{1, 2, 8, 40}).Draw(t, "one row in")
		for i := range s.n {
			if i%keep == 0 {
				index = append(index, int32(i))
			}
		}
		n := levelNode{rows: len(index)}
		n.gradient, n.hessian = sumPairs(index, pairs)
		p := DepthwiseParams{Rounds: 1, LearningRate: 1, MaxDepth: 3,
			MinHessian: rapid.SampledFrom([]float64{0.01, 1, 5}).Draw(t, "least"),
			L2:         rapid.SampledFrom([]float64{0, 1}).Draw(t, "l2")}
		var cuts []cut
		for l := 0; l <= levels; l++ {
			level = use(l)
			g := newLevelGrower(sorted, p)
			g.index = slices.Clone(index)
			c := cut{gain: leastGain, column: -1}
			g.searchRanks(&n, pairs, &c)
			cuts = append(cuts, c)
		}
		for l := range cuts {
			if cuts[l] != cuts[0] {
				t.Fatalf("kernel %d: cut %+v, not %+v", l, cuts[l], cuts[0])
			}
		}
	})
}
