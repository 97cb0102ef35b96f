package gbdt

import "math"

// This file grows trees as Ke et al. 2017 (LightGBM) do: the leaf whose best split gains most is split next.
//
// For a leaf with gradient sum G and hessian sum H the value is -G/(H+L2), and a split gains G_l^2/(H_l+L2) +
// G_r^2/(H_r+L2) - G^2/(H+L2). Of equal gains in a leaf the smaller feature wins, and within a feature the larger
// threshold. Between leaves the smaller feature wins, and then the older leaf.
//
// Stopping rule: the tree has NumLeaves leaves, or no split gains.

// A grower grows the trees of one model. Its memory is reused from tree to tree.
type grower struct {
	ds       *Dataset
	p        LeafwiseParams
	index    []int32 // the rows of leaf l are index[leaves[l].from:][:rows]
	spare    []int32
	leaves   []growing
	parents  []int32
	pool     []*histogram
	best     []blockBest
	fast     []uint8
	deepest  int // the largest depth of the trees grown so far
	nothing  []uint8
	allLanes []uint8
}

// A histogram is the histogram of a leaf that is not split yet, with the lanes in which some split gains.
type histogram struct {
	sums []float64
	use  []uint8
}

type growing struct {
	from, rows, depth int
	gradient, hessian float64
	split             candidate
	hist              *histogram
}

// A candidate is the best split of a leaf; gain is not positive if there is none.
type candidate struct {
	gain                        float64
	feature, bin                int // used feature; last bin that goes left
	real                        int
	defaultLeft                 bool
	leftGradient, leftHessian   float64
	rightGradient, rightHessian float64
	leftValue, rightValue       float64
}

var noSplit = candidate{gain: math.Inf(-1), real: math.MaxInt}

func (c *candidate) above(o *candidate) bool {
	if c.gain != o.gain {
		return c.gain > o.gain
	}
	return c.real < o.real
}

func newGrower(ds *Dataset, p LeafwiseParams) *grower {
	g := &grower{ds: ds, p: p, index: make([]int32, ds.rows), spare: make([]int32, ds.rows)}
	g.best = make([]blockBest, 2*ds.blocks())
	g.fast, g.nothing, g.allLanes = make([]uint8, ds.blocks()), make([]uint8, ds.blocks()), make([]uint8, ds.blocks())
	for b := range g.allLanes {
		g.allLanes[b] = ^ds.padding[b]
	}
	return g
}

// grow returns a tree on the pairs (gradient, hessian) of each row. Its values are not yet multiplied by the learning
// rate. The rows of leaf l are then index[leaves[l].from:][:leaves[l].rows].
func (g *grower) grow(pairs []float32) *Tree {
	for i := range g.index {
		g.index[i] = int32(i)
	}
	for i := range g.leaves {
		g.release(&g.leaves[i])
	}
	root := growing{rows: g.ds.rows, split: noSplit}
	root.gradient, root.hessian = sumPairs(g.index, pairs)
	g.leaves = append(g.leaves[:0], root)
	g.parents = append(g.parents[:0], -1)
	t := constantTree(-root.gradient/(root.hessian+g.p.L2), g.ds.rows)
	left, right := 0, -1
	for len(g.leaves) < g.p.leafLimit() {
		g.search(pairs, left, right)
		best := 0
		for l := range g.leaves {
			if g.leaves[l].split.above(&g.leaves[best].split) {
				best = l
			}
		}
		if !(g.leaves[best].split.gain > 0) {
			break
		}
		left, right = best, g.apply(t, best)
	}
	return t
}

func (g *grower) release(l *growing) {
	if l.hist != nil {
		g.pool = append(g.pool, l.hist)
		l.hist = nil
	}
}

func (g *grower) take() *histogram {
	if n := len(g.pool); n > 0 {
		h := g.pool[n-1]
		g.pool = g.pool[:n-1]
		return h
	}
	blocks := g.ds.blocks()
	return &histogram{make([]float64, g.ds.cells()), make([]uint8, blocks)}
}

// search finds the best splits of two new siblings (right is -1 for the root). The left sibling still holds the
// parent's histogram.
func (g *grower) search(pairs []float32, left, right int) {
	l := &g.leaves[left]
	l.split = noSplit
	enough := 2 * g.p.MinData
	if right < 0 {
		if l.rows >= enough && g.ds.blocks() > 0 {
			g.searchPair(pairs, nil, l, nil)
		}
		return
	}
	r := &g.leaves[right]
	r.split = noSplit
	if g.p.MaxDepth > 0 && l.depth >= g.p.MaxDepth || l.rows < enough && r.rows < enough {
		g.release(l)
		return
	}
	small, large := r, l
	if l.rows < r.rows {
		small, large = l, r
	}
	g.searchPair(pairs, l, small, large)
}

// searchPair builds the histogram of small, changes the parent's histogram, which holder has, into the histogram of
// large, and scans both.
func (g *grower) searchPair(pairs []float32, holder, small, large *growing) {
	ds, blocks := g.ds, g.ds.blocks()
	c := nodeCall{rows: small.rows, pairs: pairs, use: g.allLanes, fast: g.fast, best: g.best}
	c.limits = limits{g.p.L2, float64(g.p.MinData), g.p.MinHessian, epsilon}
	hs := g.take()
	c.small = hs.sums
	var hl *histogram
	if large != nil {
		hl, holder.hist = holder.hist, nil
		large.hist = hl
		c.large, c.use = hl.sums, hl.use
		c.index = g.index[small.from:][:small.rows]
	}
	small.hist = hs
	for b := range blocks {
		g.fast[b] = c.use[b] &^ ds.slow[b]
	}
	for i, n := range [2]*growing{small, large} {
		if n != nil {
			c.sides[i] = side{gradient: n.gradient, raw: n.hessian, hessian: n.hessian + 2*epsilon,
				rows: float64(n.rows)}
			if n.rows >= 2*g.p.MinData {
				c.sides[i].scan = 1
			}
		}
	}
	ds.splitNode(&c)
	use := c.use
	if large != nil { // small is read before large's lanes are overwritten below
		use = append(g.nothing[:0], use...)
	}
	g.choose(&c, 0, small, use)
	if large != nil {
		g.choose(&c, 1, large, use)
	}
}

// choose takes the best split of a scanned node over its lanes.
func (g *grower) choose(c *nodeCall, which int, n *growing, use []uint8) {
	if c.sides[which].scan == 0 {
		g.release(n)
		return
	}
	ds, blocks, any := g.ds, g.ds.blocks(), false
	shift := leafGain(n.gradient, c.sides[which].hessian, g.p.L2)
	for b := range blocks {
		lanesLeft := uint8(0)
		out := &c.best[which*blocks+b]
		for lane := range lanes {
			if use[b]>>lane&1 == 0 {
				continue
			}
			f := b*lanes + lane
			defaultLeft := !ds.mappers[f].nan
			if ds.slow[b]>>lane&1 != 0 {
				defaultLeft = g.scanMissing(c, which, f, n.hist, out)
			}
			if out.bin[lane] < 0 {
				continue
			}
			lanesLeft |= 1 << lane
			any = true
			s := candidate{gain: out.gain[lane] - shift, real: ds.real[f]}
			if s.above(&n.split) {
				g.complete(&s, f, lane, out, &c.sides[which], defaultLeft)
				n.split = s
			}
		}
		n.hist.use[b] = lanesLeft
	}
	if !any {
		g.release(n)
	}
}

// scanMissing scans a feature with missing values from both ends and reports whether the missing values go left.
func (g *grower) scanMissing(c *nodeCall, which, f int, hist *histogram, out *blockBest) bool {
	b, lane := f/lanes, f%lanes
	h, s := hist.sums[g.ds.at[b]:g.ds.at[b+1]], &c.sides[which]
	out.gain[lane], out.bin[lane] = leafGain(s.gradient, s.hessian, g.p.L2), -1
	scanLane(h, lane, g.ds.mappers[f].bins()-2, &c.limits, s, out)
	return !g.ds.scanUpwards(h, f, &c.limits, s, out)
}

func (g *grower) complete(s *candidate, f, lane int, out *blockBest, n *side, defaultLeft bool) {
	s.feature, s.bin, s.defaultLeft = f, int(out.bin[lane]), defaultLeft
	lg, lh := out.gradient[lane], out.hessian[lane]
	rg, rh := n.gradient-lg, n.hessian-lh
	s.leftGradient, s.leftHessian, s.leftValue = lg, lh-epsilon, -lg/(lh+g.p.L2)
	s.rightGradient, s.rightHessian, s.rightValue = rg, rh-epsilon, -rg/(rh+g.p.L2)
}

// apply splits leaf l of t and returns the new leaf.
func (g *grower) apply(t *Tree, l int) int {
	n := &g.leaves[l]
	s := n.split
	m := g.ds.mappers[s.feature]
	var right int
	g.parents, right = t.split(g.parents, l)
	count := g.partition(n, &s, m)
	t.Feature = append(t.Feature, int32(s.real))
	t.Threshold = append(t.Threshold, m.upper[s.bin])
	t.DefaultLeft = append(t.DefaultLeft, s.defaultLeft)
	t.MissingNaN = append(t.MissingNaN, m.nan)
	t.Gain = append(t.Gain, float32(s.gain))
	t.NodeWeight = append(t.NodeWeight, s.leftHessian+s.rightHessian)
	t.NodeCount = append(t.NodeCount, int32(n.rows))
	t.LeafValue[l], t.LeafWeight[l], t.LeafCount[l] = s.leftValue, s.leftHessian, int32(count)
	t.LeafValue[right], t.LeafWeight[right], t.LeafCount[right] = s.rightValue, s.rightHessian, int32(n.rows-count)
	r := growing{from: n.from + count, rows: n.rows - count, depth: n.depth + 1,
		gradient: s.rightGradient, hessian: s.rightHessian, split: noSplit}
	n.rows, n.depth, n.gradient, n.hessian = count, n.depth+1, s.leftGradient, s.leftHessian
	g.deepest = max(g.deepest, n.depth)
	g.leaves = append(g.leaves, r)
	return right
}

// partition moves the rows that go left to the front, both sides in their order,
// and returns their number.
func (g *grower) partition(n *growing, s *candidate, m *mapper) int {
	missing := -1
	if m.nan && s.defaultLeft {
		missing = m.bins() - 1
	}
	return splitRows(g.ds.place(s.feature), s.bin, missing, g.index[n.from:][:n.rows], g.spare)
}

// splitRowsRef defines the result of the C kernel gb_split: rows whose bin is at most last, or missing, go left.
func splitRowsRef(bins []uint8, last, missing int, rows, spare []int32) int {
	left, right := 0, 0
	for _, r := range rows {
		bin := int(bins[int(r)*lanes])
		rows[left], spare[right] = r, r
		if bin <= last || bin == missing {
			left++
		} else {
			right++
		}
	}
	copy(rows[left:], spare[:right])
	return left
}
