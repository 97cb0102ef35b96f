package gbdt

import (
	"math"
	"slices"
)

// The constants of LightGBM's binning. A value within zeroBand of 0 is a zero and
// has a bin of its own; the bound is the single-precision 1e-35.
const (
	maxBin       = 255
	minDataInBin = 3
	sampleCount  = 200000
	sparseRate   = 0.7
)

var zeroBand = float64(float32(1e-35))

// A mapper sends the values of one feature to bins 0..len(upper)-1. Bin b holds the values in (upper[b-1], upper[b]].
// If nan is set, the last bin holds the missing values and its bound is NaN. If not, a missing value counts as 0.
type mapper struct {
	upper    []float64
	nan      bool
	mostFreq int     // the most frequent bin, whose sums are computed by subtraction
	byZero   bool    // mostFreq is the bin of the value 0
	sparse   float64 // share of sampled rows in mostFreq
	low      float64 // least and largest sampled value
	high     float64
}

func (m *mapper) bins() int { return len(m.upper) }

// bin returns the bin of v.
func (m *mapper) bin(v float64) int {
	bounds := m.upper
	if m.nan {
		if bounds = bounds[:len(bounds)-1]; v != v {
			return len(bounds)
		}
	}
	if v != v {
		v = 0
	}
	at := 0 // bounds before at are below v
	for left := len(bounds); left > 1; {
		half, above := left/2, 0
		if bounds[at+half-1] < v {
			above = 1
		}
		at += half & -above // a branch could not be predicted
		left -= half
	}
	return at
}

// newMapper chooses bins for a feature. values are the sampled values that are not zero, and total is the number of
// sampled rows. It returns nil if no threshold leaves `least` rows on each side. It moves the known values to the front
// and sorts them there. The values behind them stay in place (see bundle.go).
func newMapper(values []float64, total, least int) *mapper {
	known := values[:0]
	for _, v := range values {
		if v == v {
			known = append(known, v)
		}
	}
	missing := len(values) - len(known)
	m := &mapper{nan: missing > 0}
	distinct, counts := distinctValues(known, total-len(values))
	m.low, m.high = distinct[0], distinct[len(distinct)-1]
	if m.nan {
		m.upper = append(zeroAsOneBin(distinct, counts, maxBin-1, total-missing), math.NaN())
	} else {
		m.upper = zeroAsOneBin(distinct, counts, maxBin, total)
	}
	inBin := make([]int, m.bins())
	b := 0
	for i, v := range distinct {
		for v > m.upper[b] && b < m.bins()-1 {
			b++
		}
		inBin[b] += counts[i]
	}
	if m.nan {
		inBin[m.bins()-1] = missing
	}
	if m.bins() <= 1 || unsplittable(inBin, total, least) {
		return nil
	}
	zero := m.bin(0)
	for b, c := range inBin {
		if c > inBin[m.mostFreq] {
			m.mostFreq = b
		}
	}
	if m.mostFreq != zero && float64(inBin[m.mostFreq])/float64(total) < sparseRate {
		m.mostFreq = zero
	}
	m.byZero = m.mostFreq == zero
	m.sparse = float64(inBin[m.mostFreq]) / float64(total)
	return m
}

func unsplittable(inBin []int, total, least int) bool {
	left := 0
	for _, c := range inBin[:len(inBin)-1] {
		left += c
		if left >= least && total-left >= least {
			return false
		}
	}
	return true
}

// distinctValues returns the distinct values in ascending order with their counts. The value 0 counts `zeros` times.
// Neighbouring doubles are one value, the larger one. Between a negative and a positive value there is a 0, even if no
// row has one.
func distinctValues(known []float64, zeros int) (distinct []float64, counts []int) {
	slices.Sort(known)
	distinct, counts = make([]float64, 0, len(known)+1), make([]int, 0, len(known)+1) // without garbage of growth
	add := func(v float64, count int) {
		distinct, counts = append(distinct, v), append(counts, count)
	}
	if len(known) == 0 || known[0] > 0 && zeros > 0 {
		add(0, zeros)
	}
	for i, v := range known {
		switch {
		case i == 0:
			add(v, 1)
		case v == known[i-1]:
			counts[len(counts)-1]++
		case v > math.Nextafter(known[i-1], math.Inf(1)):
			if known[i-1] < 0 && v > 0 {
				add(0, zeros)
			}
			add(v, 1)
		default:
			distinct[len(distinct)-1] = v
			counts[len(counts)-1]++
		}
	}
	if len(known) > 0 && known[len(known)-1] < 0 && zeros > 0 {
		add(0, zeros)
	}
	return distinct, counts
}

// zeroAsOneBin divides the bins between negative and positive values by their
// counts, with a bin for zero between.
func zeroAsOneBin(distinct []float64, counts []int, bins, total int) []float64 {
	negative, zeros, positive := 0, 0, 0
	left, right := len(distinct), -1
	for i, v := range distinct {
		switch {
		case v <= -zeroBand:
			negative += counts[i]
		case v > zeroBand:
			positive += counts[i]
		default:
			zeros += counts[i]
		}
		if v > -zeroBand && left == len(distinct) {
			left = i
		}
		if v > zeroBand && right < 0 {
			right = i
		}
	}
	var upper []float64
	if left > 0 && bins > 1 {
		share := int(float64(negative) / float64(total-zeros) * float64(bins-1))
		upper = greedyBins(distinct[:left], counts[:left], max(1, share), negative)
		upper[len(upper)-1] = -zeroBand
	}
	rest := bins - 1 - len(upper)
	if right < 0 || rest <= 0 {
		return append(upper, math.Inf(1))
	}
	return append(append(upper, zeroBand), greedyBins(distinct[right:], counts[right:], rest, positive)...)
}

// between is the least double above the mean of a and b.
func between(a, b float64) float64 { return math.Nextafter((a+b)/2, math.Inf(1)) }

// push appends a bound unless it equals the last one to a unit in the last place.
func push(upper []float64, v float64) ([]float64, bool) {
	if len(upper) > 0 && v <= math.Nextafter(upper[len(upper)-1], math.Inf(1)) {
		return upper, false
	}
	return append(upper, v), true
}

// greedyBins returns the upper bounds, the last +Inf, of at most bins bins of
// roughly equal counts. A value with at least the mean count has a bin to itself.
func greedyBins(distinct []float64, counts []int, bins, total int) []float64 {
	var upper []float64
	n := len(distinct)
	if n <= bins {
		in := 0
		for i := range n - 1 {
			in += counts[i]
			if in >= minDataInBin {
				var fresh bool
				if upper, fresh = push(upper, between(distinct[i], distinct[i+1])); fresh {
					in = 0
				}
			}
		}
		return append(upper, math.Inf(1))
	}
	bins = max(1, min(bins, total/minDataInBin))
	mean := float64(total) / float64(bins)
	restBins, restRows := bins, total
	big := make([]bool, n)
	for i, c := range counts {
		if float64(c) >= mean {
			big[i] = true
			restBins--
			restRows -= c
		}
	}
	mean = float64(restRows) / float64(restBins)
	lastOf, firstOf := make([]float64, 0, bins), append(make([]float64, 0, bins), distinct[0])
	in := 0
	for i := range n - 1 {
		if !big[i] {
			restRows -= counts[i]
		}
		in += counts[i]
		if !big[i] && float64(in) < mean && !(big[i+1] && float64(in) >= max(1, mean*0.5)) {
			continue
		}
		lastOf, firstOf = append(lastOf, distinct[i]), append(firstOf, distinct[i+1])
		if len(lastOf) >= bins-1 {
			break
		}
		in = 0
		if !big[i] {
			restBins--
			mean = float64(restRows) / float64(restBins)
		}
	}
	for i, v := range lastOf {
		upper, _ = push(upper, between(v, firstOf[i+1]))
	}
	return append(upper, math.Inf(1))
}
