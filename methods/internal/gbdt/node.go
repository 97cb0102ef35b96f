package gbdt

import "math"

// epsilon is added to sums of hessians: twice to the sum of a node, and once to that of each side (LightGBM's kEpsilon,
// a single-precision constant).
var epsilon = float64(float32(1e-15))

// limits are the parameters of a scan. The kernels read it as four doubles.
type limits struct {
	l2, minRows, minHessian, epsilon float64
}

// A side is a node whose histogram is scanned. raw is the sum of its hessians, and hessian is raw plus twice epsilon.
// The kernels read a side as five doubles.
type side struct {
	gradient, raw, hessian, rows, scan float64
}

// blockBest holds the best threshold of each lane: the gain of both sides, the
// left side's sums, the last bin that goes left; bin is -1 where no
// threshold gains.
type blockBest struct {
	gain, gradient, hessian, bin [lanes]float64
}

// A nodeCall is the work of one split: the histogram of the smaller child from its
// rows, that of the larger child by subtraction from the parent's, and the scan of
// both. For the root, large is nil and index is nil for all rows.
type nodeCall struct {
	index     []int32
	rows      int
	pairs     []float32 // gradient and hessian by row
	use, fast []uint8   // [block]: lanes that may still be split; the lanes among these that the kernel scans
	limits    limits
	sides     [2]side
	small     []float64
	large     []float64 // in: the parent's histogram
	best      []blockBest
}

// splitNodeRef defines the result of the C kernel gb_node.
func (ds *Dataset) splitNodeRef(c *nodeCall) {
	blocks := ds.blocks()
	for b := range blocks {
		if c.use[b] == 0 {
			continue
		}
		h := c.small[ds.at[b]:ds.at[b+1]]
		clear(h)
		ds.buildRef(h, b, c)
		repairRef(h, ds.mostFreq[b*lanes:(b+1)*lanes], &c.sides[0])
		if c.large != nil {
			large := c.large[ds.at[b]:ds.at[b+1]]
			for i, v := range h {
				large[i] -= v
			}
			if c.sides[1].scan != 0 {
				scanRef(large, c.fast[b], &c.limits, &c.sides[1], &c.best[blocks+b])
			}
		}
		if c.sides[0].scan != 0 {
			scanRef(h, c.fast[b], &c.limits, &c.sides[0], &c.best[b])
		}
	}
}

func (ds *Dataset) buildRef(h []float64, block int, c *nodeCall) {
	bins := ds.bins[block*ds.rows*lanes:]
	for i := range c.rows {
		r := i
		if c.index != nil {
			r = int(c.index[i])
		}
		g, s := float64(c.pairs[2*r]), float64(c.pairs[2*r+1])
		for lane, bin := range bins[r*lanes : (r+1)*lanes] {
			at := (int(bin)*lanes + lane) * 2
			h[at] += g
			h[at+1] += s
		}
	}
}

// repairRef sets each lane's most frequent bin to the node's sums minus the sums of all other bins.
func repairRef(h []float64, mostFreq []uint8, s *side) {
	for lane, bin := range mostFreq {
		at := (int(bin)*lanes + lane) * 2
		g, hessian := s.gradient, s.raw
		h[at], h[at+1] = 0, 0
		for i := lane * 2; i < len(h); i += lanes * 2 {
			g -= h[i]
			hessian -= h[i+1]
		}
		h[at], h[at+1] = g, hessian
	}
}

// roundHalf estimates the number of rows of a bin from its hessian: the nearest whole number. (LightGBM adds 1/2 and
// truncates. The result differs where the product is a half up to rounding.)
func roundHalf(hessian, factor float64) float64 { return math.FMA(hessian, factor, 0x1p52) - 0x1p52 }

// leafGain is the gain of a leaf with gradient sum g and hessian sum h (Ke et al.
// 2017; Chen and Guestrin 2016, eq. 6, without the factor 1/2).
func leafGain(g, h, l2 float64) float64 { return float64(g*g) / (h + l2) }

// scanRef scans the bins of each lane from the last bin down, while the right side grows. A threshold is allowed if
// both sides have minRows and minHessian. Of equal gains the first wins.
func scanRef(h []float64, use uint8, p *limits, n *side, out *blockBest) {
	for lane := range lanes {
		out.gain[lane], out.bin[lane] = leafGain(n.gradient, n.hessian, p.l2), -1
		if use>>lane&1 != 0 {
			scanLane(h, lane, len(h)/(2*lanes)-1, p, n, out)
		}
	}
}

// scanLane scans the bins last..1 of one lane. The bins that it has scanned go right, and the remaining bins go left.
func scanLane(h []float64, lane, last int, p *limits, n *side, out *blockBest) {
	factor := n.rows / n.hessian
	g, s, rows := 0.0, p.epsilon, 0.0
	for t := last; t >= 1; t-- {
		at := (t*lanes + lane) * 2
		g += h[at]
		s += h[at+1]
		rows += roundHalf(h[at+1], factor)
		if rows < p.minRows || s < p.minHessian {
			continue
		}
		left, leftHessian := n.rows-rows, n.hessian-s
		if left < p.minRows || leftHessian < p.minHessian {
			return
		}
		out.offer(lane, t-1, n.gradient-g, leftHessian, leafGain(n.gradient-g, leftHessian, p.l2)+leafGain(g, s, p.l2))
	}
}

func (b *blockBest) offer(lane, bin int, gradient, hessian, gain float64) {
	if gain > b.gain[lane] {
		b.gain[lane], b.gradient[lane], b.hessian[lane], b.bin[lane] = gain, gradient, hessian, float64(bin)
	}
}

// scanUpwards is the second scan of a feature with missing values: the missing values go right, and the left side grows
// from the first bin. The result of the first scan stays unless this scan gains more.
func (ds *Dataset) scanUpwards(h []float64, f int, p *limits, n *side, out *blockBest) bool {
	lane, m := f%lanes, ds.mappers[f]
	factor := n.rows / n.hessian
	g, s, rows := 0.0, p.epsilon, 0.0
	first := 0
	if m.mostFreq == 0 { // the sums of bin 0 are the node's sums minus the sums of all other bins
		g, s, rows = n.gradient, n.hessian-p.epsilon, n.rows
		for t := 1; t < m.bins(); t++ {
			at := (t*lanes + lane) * 2
			g -= h[at]
			s -= h[at+1]
			rows -= roundHalf(h[at+1], factor)
		}
		first = -1
	}
	shift := leafGain(n.gradient, n.hessian, p.l2)
	best := blockBest{}
	best.gain[lane], best.bin[lane] = shift, -1
	for t := 0; t <= m.bins()-2; t++ {
		if t > 0 || first == 0 {
			at := (t*lanes + lane) * 2
			g += h[at]
			s += h[at+1]
			rows += roundHalf(h[at+1], factor)
		}
		if rows < p.minRows || s < p.minHessian {
			continue
		}
		if n.rows-rows < p.minRows || n.hessian-s < p.minHessian {
			break
		}
		best.offer(lane, t, g, s, leafGain(g, s, p.l2)+leafGain(n.gradient-g, n.hessian-s, p.l2))
	}
	if best.bin[lane] < 0 || out.bin[lane] >= 0 && !(best.gain[lane] > out.gain[lane]-shift+shift) {
		return false
	}
	out.gain[lane], out.gradient[lane], out.hessian[lane], out.bin[lane] = best.gain[lane], best.gradient[lane],
		best.hessian[lane], best.bin[lane]
	return true
}
