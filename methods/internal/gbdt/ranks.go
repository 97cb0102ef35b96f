package gbdt

import (
	"math"
	"slices"
)

// Where features have few distinct values, or nodes are few, XGBoost's exact splits are found faster from histograms
// with a bin for each distinct value. The candidates are the same. The sums differ by the order of rows with equal
// values, which changes the last of 53 bits before gains are rounded to 24 bits.

// A ranked holds the ranks of a sample's values, in blocks of eight features as in a Dataset, with two bytes for a
// rank. Columns with one value are left out.
type ranked struct {
	rows int
	real []int    // place -> column
	bins []uint16 // [block][row][lane]
	top  []int32  // distinct values of the widest feature of each block
	use  []uint8  // [block]: lanes with a feature
}

// newRanked returns nil if a feature has more distinct values than two bytes can count.
func newRanked(s *Sorted) *ranked {
	r := &ranked{rows: s.rows}
	for j, c := range s.columns {
		if len(c.values) > math.MaxUint16+1 {
			return nil
		}
		if len(c.values) > 1 {
			r.real = append(r.real, j)
		}
	}
	slices.SortStableFunc(r.real, func(a, b int) int { return len(s.columns[b].values) - len(s.columns[a].values) })
	blocks := (len(r.real) + lanes - 1) / lanes
	r.bins, r.top, r.use = make([]uint16, blocks*s.rows*lanes), make([]int32, blocks), make([]uint8, blocks)
	for f, j := range r.real {
		b := f / lanes
		r.top[b] = max(r.top[b], int32(len(s.columns[j].values)))
		r.use[b] |= 1 << (f % lanes)
		out := r.place(f)
		for _, e := range s.list(s.order, j, 0, s.rows) {
			out[int(e.row)*lanes] = uint16(e.rank)
		}
	}
	return r
}

// place returns the ranks of the feature at place f; row i is at i*lanes.
func (r *ranked) place(f int) []uint16 { return r.bins[f/lanes*r.rows*lanes+f%lanes:] }

// pays estimates whether histograms beat sorted lists for trees of the given depth, in
// cycles a row and feature measured on n = 100 to 5000.
func (r *ranked) pays(depth int) bool {
	bins := 0.0
	for _, t := range r.top {
		bins += float64(t)
	}
	n, blocks := float64(r.rows), float64(len(r.top))
	lists, histograms := 7*n*blocks, 0.0
	for at := range depth {
		if at > 0 {
			lists += 11 * n * blocks
		}
		histograms += 1.2*n*blocks + 1.3*bins*min(math.Pow(2, float64(at)), max(1, n/16))
	}
	return histograms < lists
}

// cutLimits are the parameters and the sums of a node for the search of a cut. The kernels read them as five doubles.
type cutLimits struct {
	l2, least, gradient, hessian, root float64
}

// cutBest holds the best gain of each lane and its rank: rows of at least this rank go right. A rank of 0 means that
// there is no cut.
type cutBest struct {
	gain, rank [lanes]float64
}

// A cutCall asks for the best cut of a node.
type cutCall struct {
	index  []int32
	pairs  []float32
	limits cutLimits
	hist   []float64 // for the widest block
	seen   []uint8   // room for the kernel: whether a bin has rows
	list   []int32   // room for the kernel: the bins that have rows
	best   []cutBest // [block]
}

func newCutCall(r *ranked) cutCall {
	widest := 0
	for _, t := range r.top {
		widest = max(widest, int(t))
	}
	return cutCall{hist: make([]float64, widest*lanes*2), seen: make([]uint8, widest), list: make([]int32, widest+1),
		best: make([]cutBest, len(r.top))}
}

// cutRef defines the result of the C kernel gb_cut. A lane whose best gain is below that of an earlier block may be
// reported without a cut.
func (r *ranked) cutRef(c *cutCall) {
	p := &c.limits
	for b := range r.top {
		h := c.hist[:int(r.top[b])*lanes*2]
		clear(h)
		bins := r.bins[b*r.rows*lanes:]
		for _, i := range c.index {
			g, s := float64(c.pairs[2*i]), float64(c.pairs[2*i+1])
			for lane, bin := range bins[int(i)*lanes:][:lanes] {
				at := (int(bin)*lanes + lane) * 2
				h[at] += g
				h[at+1] += s
			}
		}
		best := &c.best[b]
		for lane := range lanes {
			best.gain[lane], best.rank[lane] = float64(leastGain), 0
			if r.use[b]>>lane&1 == 0 {
				continue
			}
			right, hessian := 0.0, 0.0
			for t := int(r.top[b]) - 1; t >= 1; t-- {
				at := (t*lanes + lane) * 2
				right += h[at]
				hessian += h[at+1]
				left, rest := p.gradient-right, p.hessian-hessian
				if rest < p.least {
					break
				}
				if hessian < p.least {
					continue
				}
				gain := singleGain(left, rest, p.l2) + singleGain(right, hessian, p.l2) - float32(p.root)
				if float64(gain) > best.gain[lane] {
					best.gain[lane], best.rank[lane] = float64(gain), float64(t)
				}
			}
		}
	}
}

// searchRanks finds the best cut of a node over all columns.
func (g *levelGrower) searchRanks(n *levelNode, pairs []float32, best *cut) {
	r := g.s.ranked
	c := &g.call
	c.index, c.pairs = g.index[n.from:][:n.rows], pairs
	c.limits = cutLimits{g.l2, g.least, n.gradient, n.hessian, float64(singleGain(n.gradient, n.hessian, g.l2))}
	r.cut(c)
	for b := range r.top {
		for lane := range min(lanes, len(r.real)-b*lanes) {
			gain, f := float32(c.best[b].gain[lane]), int32(r.real[b*lanes+lane])
			if c.best[b].rank[lane] > 0 && (gain > best.gain || gain == best.gain && f < best.column) {
				*best = cut{gain: gain, column: f, rank: int32(c.best[b].rank[lane]), place: int32(b*lanes + lane)}
			}
		}
	}
}
