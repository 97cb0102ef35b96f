package gbdt

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"pgregory.net/rapid"
)

// onEveryLevel runs f with each set of kernels that the machine has.
func onEveryLevel(t *testing.T, f func(*testing.T)) {
	best := level
	defer func() { level = use(best) }()
	for l := range levels + 1 {
		level = use(l)
		t.Run([]string{"go", "avx2", "avx512"}[l], f)
	}
}

// The C kernels give the bits of the Go definition: whole models are compared, and
// single calls on histograms of every shape.
func TestKernelsEqualReference(t *testing.T) {
	for _, s := range []*sample{drawn(registry.Binary, 500, 9, 2, 1), drawn(registry.Regression, 777, 17, 0, 2),
		odd()[0], odd()[1]} {
		p := lightgbmDefaults
		p.Rounds, p.L2 = 20, 0.25
		var want []byte
		onEveryLevel(t, func(t *testing.T) {
			got := text(t, leafwise(t, s, p))
			if want == nil {
				want = got // of the Go definition, which comes first
			}
			must.Be(t, got, want, s.name)
		})
	}
}

// drawCall makes a dataset and a split of its rows in two, the larger one's
// histogram being the parent's.
func drawCall(t *rapid.T) (*Dataset, *nodeCall) {
	n, d := rapid.IntRange(2, 60).Draw(t, "n"), rapid.IntRange(1, 18).Draw(t, "d")
	r := rng.New(uint32(rapid.IntRange(1, 1e6).Draw(t, "seed")))
	x := make([]float64, n*d)
	r.Norms(x)
	coarse := rapid.Float64Range(0.1, 10).Draw(t, "coarse")
	for i := range x {
		x[i] = math.Round(x[i]*coarse) / coarse
	}
	ds := must.Get(NewDataset(t.Context(), x, n, d, 1))(t)
	blocks := ds.blocks()
	c := &nodeCall{pairs: make([]float32, 2*n), use: make([]uint8, blocks), fast: make([]uint8, blocks),
		best: make([]blockBest, 2*blocks)}
	c.limits = limits{rapid.SampledFrom([]float64{0, 0.25, 1}).Draw(t, "l2"),
		float64(rapid.IntRange(1, 5).Draw(t, "rows")), 1e-3, epsilon}
	all := side{scan: 1}
	for i := range n {
		c.pairs[2*i], c.pairs[2*i+1] = float32(r.Norm()), float32(r.Float64())
		all.gradient, all.raw, all.rows = all.gradient+float64(c.pairs[2*i]), all.raw+float64(c.pairs[2*i+1]),
			all.rows+1
		if 2*(len(c.index)+1) <= n && r.Float64() < 0.5 {
			c.index = append(c.index, int32(i))
		}
	}
	for b := range blocks {
		off := r.Uint32() // three lanes of four are in use
		c.use[b] = ^ds.padding[b] &^ uint8(off&r.Uint32())
		c.fast[b] = c.use[b]
	}
	all.hessian = all.raw + 2*epsilon
	root := *c
	root.index, root.rows, root.small = nil, n, make([]float64, ds.cells())
	root.sides[0] = all
	ds.splitNodeRef(&root)
	small := side{scan: 1}
	for _, i := range c.index {
		small.gradient, small.raw, small.rows = small.gradient+float64(c.pairs[2*i]), small.raw+float64(c.pairs[2*i+1]),
			small.rows+1
	}
	small.hessian = small.raw + 2*epsilon
	large := side{gradient: all.gradient - small.gradient, raw: all.raw - small.raw, rows: all.rows - small.rows,
		scan: 1}
	large.hessian = large.raw + 2*epsilon
	c.rows, c.sides = len(c.index), [2]side{small, large}
	if c.index == nil {
		c.index = []int32{}
	}
	c.small, c.large = make([]float64, ds.cells()), root.small
	return ds, c
}

func TestKernelCallEqualsReference(t *testing.T) {
	onEveryLevel(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			ds, c := drawCall(rt)
			other := *c
			other.small, other.large = slices.Clone(c.small), slices.Clone(c.large)
			other.best = slices.Clone(c.best)
			ds.splitNodeRef(c)
			ds.splitNode(&other)
			for b := range ds.blocks() {
				if c.use[b] == 0 {
					continue
				}
				for i := ds.at[b]; i < ds.at[b+1]; i++ {
					if c.use[b]>>(i/2%lanes)&1 != 0 && (c.small[i] != other.small[i] || c.large[i] != other.large[i]) {
						rt.Fatal("the histograms differ")
					}
				}
				for i := b; i < len(c.best); i += ds.blocks() {
					for lane := range lanes {
						if c.fast[b]>>lane&1 == 0 {
							continue
						}
						w, g := &c.best[i], &other.best[i]
						if w.bin[lane] != g.bin[lane] || w.bin[lane] >= 0 &&
							(w.gain[lane] != g.gain[lane] || w.gradient[lane] != g.gradient[lane] ||
								w.hessian[lane] != g.hessian[lane]) {
							rt.Fatalf("lane %d of block %d: %v, not %v", lane, b, g, w)
						}
					}
				}
			}
		})
	})
}

func TestSplitRowsEqualsReference(t *testing.T) {
	onEveryLevel(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			bins := rapid.SliceOfN(rapid.Uint8(), 8, 800).Draw(rt, "bins")
			last, missing := rapid.IntRange(0, 255).Draw(rt, "last"), rapid.IntRange(-1, 255).Draw(rt, "missing")
			var rows []int32
			for i := range int32(len(bins) / lanes) {
				if rapid.Bool().Draw(rt, "in the node") {
					rows = append(rows, i)
				}
			}
			want, spare := slices.Clone(rows), make([]int32, len(rows))
			must.Be(rt, splitRowsRef(bins, last, missing, want, spare), splitRows(bins, last, missing, rows, spare))
			must.Be(rt, rows, want)
		})
	})
}

// The oracle is exhaustive: every feature, every value as a threshold, gains from
// sums over rows. Tolerance 1e-6 relative: gradients are in single precision.
func TestFirstSplitIsTheBest(t *testing.T) {
	onEveryLevel(t, func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			s := drawn(registry.Regression, rapid.IntRange(6, 40).Draw(rt, "n"), rapid.IntRange(1, 12).Draw(rt, "d"), 0,
				uint32(rapid.IntRange(1, 1e6).Draw(rt, "seed")))
			p := LeafwiseParams{Rounds: 1, LearningRate: 1, NumLeaves: 2, MinData: 3, MinHessian: 1e-3,
				L2: rapid.SampledFrom([]float64{0, 0.5}).Draw(rt, "l2")}
			ds := must.Get(NewDataset(t.Context(), s.x, s.n, s.d, p.MinData))(rt)
			m := must.Get(fitLeafwise(t.Context(), ds, s.target(), p))(rt)
			// Bins hold three values each: the thresholds that exist are the bins' bounds.
			best, mean := 0.0, 0.0
			for _, y := range s.y {
				mean += float64(float32(y)) / float64(s.n)
			}
			gain := func(j int, threshold float64) float64 {
				var g, h [2]float64
				for i, y := range s.y {
					side := 0
					if s.x[i*s.d+j] > threshold {
						side = 1
					}
					g[side] += mean - float64(float32(y))
					h[side]++
				}
				if h[0] < 3 || h[1] < 3 {
					return 0
				}
				all := g[0] + g[1]
				return g[0]*g[0]/(h[0]+p.L2) + g[1]*g[1]/(h[1]+p.L2) - all*all/(h[0]+h[1]+p.L2)
			}
			for f, mp := range ds.mappers {
				for _, u := range mp.upper[:mp.bins()-1] {
					best = max(best, gain(ds.real[f], u))
				}
			}
			got := 0.0
			if t := m.Trees[0]; len(t.Feature) > 0 {
				got = gain(int(t.Feature[0]), t.Threshold[0])
			}
			must.Near(rt, got, best, 1e-6*max(1, best), "the first split gains")
		})
	})
}

func TestBinsAreCountsOfBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-2, 2),
			rapid.SampledFrom([]float64{0, 1, -1, math.NaN(), 1e-36})), 1, 900).Draw(rt, "values")
		ds := must.Get(NewDataset(t.Context(), values, len(values), 1, 1))(rt)
		for _, m := range ds.mappers {
			if m.bins() > maxBin {
				rt.Fatalf("%d bins", m.bins())
			}
			known := m.upper
			if m.nan {
				known = known[:len(known)-1]
			}
			if !slices.IsSorted(known) {
				rt.Fatalf("bounds %v do not ascend", known)
			}
			for _, v := range values {
				want := 0
				if v != v && m.nan {
					want = m.bins() - 1
				} else {
					for v > known[want] {
						want++
					}
				}
				must.Be(rt, m.bin(v), want, "bin", v, m.upper)
			}
		}
	})
}
