package gbdt

import (
	"math"
	"slices"
)

// A levelGrower grows the trees of one model level by level. Its memory is reused
// from tree to tree.
//
// The rows of a node are index[from:][:rows], ascending. The list of each feature holds the same rows at the same
// places, sorted by value.
type levelGrower struct {
	s           *Sorted
	p           DepthwiseParams
	l2          float64
	least       float64
	index, copy []int32
	lists       [2][]entry // of the current level and of the next
	goesRight   []uint8
	level, next []levelNode
	parents     []int32
	ranks       bool // cuts come from histograms of ranks, and there are no lists
	call        cutCall
}

type levelNode struct {
	leaf, from, rows  int
	gradient, hessian float64
	value             float32 // before the learning rate
}

// A cut is the best split of a node: rows of at least rank go right, or left in a mirrored column.
type cut struct {
	gain                 float32
	column, rank, before int32 // before is the largest rank below `rank` that rows of the node have
	place                int32 // the place of the column in ranked
}

func newLevelGrower(s *Sorted, p DepthwiseParams) *levelGrower {
	g := &levelGrower{s: s, p: p, l2: float64(float32(p.L2)), least: float64(float32(p.MinHessian))}
	g.index, g.copy, g.goesRight = make([]int32, s.rows), make([]int32, s.rows), make([]uint8, s.rows)
	if r := s.ranked; r != nil && r.pays(p.MaxDepth) {
		g.ranks = true
		g.call = newCutCall(r)
	} else if p.MaxDepth > 1 {
		g.lists[0], g.lists[1] = make([]entry, len(s.order)), make([]entry, len(s.order))
	}
	return g
}

// grow returns a tree, values times the learning rate, and adds it to the scores.
func (g *levelGrower) grow(pairs, scores []float32) *Tree {
	for i := range g.index {
		g.index[i] = int32(i)
	}
	t := constantTree(0, g.s.rows)
	g.parents = append(g.parents[:0], -1)
	gradient, hessian := sumPairs(g.index, pairs)
	g.level = append(g.level[:0], g.node(t, 0, 0, g.s.rows, gradient, hessian))
	lists := g.s.order
	for depth := range g.p.MaxDepth {
		g.next = g.next[:0]
		into := g.lists[depth%2]
		for i := range g.level {
			n := &g.level[i]
			c := cut{gain: leastGain, column: -1}
			switch {
			case !g.open(n):
			case g.ranks:
				g.searchRanks(n, pairs, &c)
			default:
				g.search(lists, n, pairs, &c)
			}
			if c.column < 0 {
				g.finish(n, scores)
				continue
			}
			g.apply(t, n, &c, lists, pairs, into, depth+1 < g.p.MaxDepth)
		}
		g.level, g.next = g.next, g.level
		lists = into
	}
	for i := range g.level {
		g.finish(&g.level[i], scores)
	}
	return t
}

// finish adds the value of a leaf to its rows.
func (g *levelGrower) finish(n *levelNode, scores []float32) {
	v := float32(n.value * float32(g.p.LearningRate))
	for _, i := range g.index[n.from:][:n.rows] {
		scores[i] += v
	}
}

// node returns a new node whose rows have the given sums, and makes the node a leaf of t.
func (g *levelGrower) node(t *Tree, leaf, from, rows int, gradient, hessian float64) levelNode {
	n := levelNode{leaf: leaf, from: from, rows: rows, gradient: gradient, hessian: hessian}
	if n.hessian >= g.least {
		n.value = float32(-n.gradient / (n.hessian + g.l2))
	}
	t.LeafValue[leaf] = float64(n.value * float32(g.p.LearningRate))
	t.LeafWeight[leaf], t.LeafCount[leaf] = n.hessian, int32(rows)
	return n
}

// singleGain is the gain of a node in single precision.
func singleGain(g, h, l2 float64) float32 {
	if h <= 0 {
		return 0
	}
	return float32(float64(g*g)) / float32(h+l2)
}

// search finds the best cut of a node over all columns, from the last rank down.
func (g *levelGrower) search(lists []entry, n *levelNode, pairs []float32, best *cut) {
	root := singleGain(n.gradient, n.hessian, g.l2)
	for f := range g.s.columns {
		list := g.s.list(lists, f, n.from, n.rows)
		if list[0].rank == list[n.rows-1].rank {
			continue
		}
		right, hessian := 0.0, 0.0
		last := list[n.rows-1].rank
		// A gain that is below the best gain by more than rounding is recognised without a division.
		low := (float64(best.gain) + float64(root)) * (1 - 1e-6)
		for i := n.rows - 1; i >= 0; i-- {
			e := list[i]
			if e.rank != last && hessian >= g.least {
				left, rest := n.gradient-right, n.hessian-hessian
				if rest < g.least {
					break
				}
				hl, hr := rest+g.l2, hessian+g.l2
				if float64(left*left*hr)+float64(right*right*hl) > low*(hl*hr) {
					gain := singleGain(left, rest, g.l2) + singleGain(right, hessian, g.l2) - root
					if gain > best.gain {
						*best = cut{gain: gain, column: int32(f), rank: last, before: e.rank}
						low = (float64(best.gain) + float64(root)) * (1 - 1e-6)
					}
				}
			}
			last = e.rank
			right += float64(pairs[2*e.row])
			hessian += float64(pairs[2*e.row+1])
		}
	}
}

// apply splits a node and lists its children for the next level.
func (g *levelGrower) apply(t *Tree, n *levelNode, c *cut, lists []entry, pairs []float32, into []entry, further bool) {
	column := &g.s.columns[c.column]
	left, sums := g.divide(n, c, lists, pairs)
	threshold := column.threshold(c)
	// no number lies between: XGBoost sends the lower value right
	if column.mirrored && threshold == column.values[c.rank] {
		slices.Sort(g.index[n.from:][:n.rows])
		c.rank++
		left, sums = g.divide(n, c, lists, pairs)
	}
	var right int
	g.parents, right = t.split(g.parents, n.leaf)
	t.Feature = append(t.Feature, int32(column.feature))
	t.Threshold = append(t.Threshold, below(threshold))
	t.DefaultLeft, t.MissingNaN = append(t.DefaultLeft, !column.mirrored), append(t.MissingNaN, true)
	t.Gain = append(t.Gain, c.gain)
	t.NodeWeight, t.NodeCount = append(t.NodeWeight, n.hessian), append(t.NodeCount, int32(n.rows))
	l := g.node(t, n.leaf, n.from, left, sums[0], sums[1])
	r := g.node(t, right, n.from+left, n.rows-left, sums[2], sums[3])
	g.next = append(g.next, l, r)
	if !further || g.ranks {
		return
	}
	for j := range g.s.columns {
		list, into := g.s.list(lists, j, n.from, n.rows), g.s.list(into, j, n.from, n.rows)
		switch {
		case g.open(&l) && g.open(&r):
			g.splitList(list, into, left)
		case g.open(&l):
			g.pickList(list, into, 0)
		case g.open(&r):
			g.pickList(list, into[left:], 1)
		}
	}
}

// divide divides the rows of a node, marks the rows that go right, and returns the sums of both sides. divide moves a
// cut from a histogram between the two nearest ranks that rows of the node have.
func (g *levelGrower) divide(n *levelNode, c *cut, lists []entry, pairs []float32) (left int, sums [4]float64) {
	mirrored := int32(0)
	if g.s.columns[c.column].mirrored {
		mirrored = 1
	}
	rows := g.index[n.from:][:n.rows]
	if g.ranks {
		ranks, bound, lowest, highest := g.s.ranked.place(int(c.place)), c.rank-1, int32(math.MaxInt32), int32(-1)
		for _, i := range rows { // without branches, since they could not be predicted
			rank := int32(ranks[int(i)*lanes])
			above := int32(uint32(bound-rank) >> 31)
			lowest, highest = min(lowest, rank|(above-1)&math.MaxInt32), max(highest, rank|-above)
			g.goesRight[i] = uint8(above ^ mirrored)
		}
		c.rank, c.before = lowest, highest
	} else {
		for _, e := range g.s.list(lists, int(c.column), n.from, n.rows) {
			above := int32(uint32(c.rank-1-e.rank) >> 31)
			g.goesRight[e.row] = uint8(above ^ mirrored)
		}
	}
	left = g.splitRows(rows)
	sums[0], sums[1] = sumPairs(rows[:left], pairs)
	sums[2], sums[3] = sumPairs(rows[left:], pairs)
	return left, sums
}

func sumPairs(index []int32, pairs []float32) (gradient, hessian float64) {
	for _, i := range index {
		gradient += float64(pairs[2*i])
		hessian += float64(pairs[2*i+1])
	}
	return gradient, hessian
}

// open reports whether a node may have a split: both sides need the least hessian.
func (g *levelGrower) open(n *levelNode) bool { return n.hessian >= 2*g.least*(1-1e-9) }

// splitRows moves the rows that go left to the front, both sides in their order, and returns their number.
func (g *levelGrower) splitRows(rows []int32) int {
	left, right := 0, 0
	for _, r := range rows {
		rows[left], g.copy[right] = r, r
		side := int(g.goesRight[r])
		left += 1 - side
		right += side
	}
	copy(rows[left:], g.copy[:right])
	return left
}

// splitList divides a list between both children, without branches, as splitRows does.
func (g *levelGrower) splitList(list, into []entry, left int) {
	l, r := 0, left
	for _, e := range list {
		side := int(g.goesRight[e.row])
		into[l^((l^r)&-side)] = e
		l += 1 - side
		r += side
	}
}

// pickList copies the entries of one child only. It may write one more entry into the place of the sibling, which
// nothing reads.
func (g *levelGrower) pickList(list, into []entry, which uint8) {
	at := 0
	for _, e := range list {
		if at == len(into) {
			return
		}
		into[at] = e
		at += int(1 ^ (g.goesRight[e.row] ^ which))
	}
}

// below returns the largest double that single precision rounds to less than c, so that x <= below(c) if and only if
// float32(x) < c.
func below(c float32) float64 {
	mid := (float64(c) + float64(math.Nextafter32(c, float32(math.Inf(-1))))) / 2
	if float32(mid) < c {
		return mid
	}
	return math.Nextafter(mid, math.Inf(-1))
}
