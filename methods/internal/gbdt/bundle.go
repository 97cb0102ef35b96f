package gbdt

import (
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
)

// A feature is called away in a row if it is not in its most frequent bin. LightGBM stores features that are seldom
// away in the same row in one column (Ke et al. 2017, Section 4, exclusive feature bundling). In one row of ten
// thousand, two features of a bundle may both be away. In such a row the feature with the larger index keeps its bin,
// and the other features count as being in their most frequent bin. Bundles change nothing else. So this file chooses
// LightGBM's bundles and changes the bins of these rows, but each feature keeps a column of its own.

const maxSearched = 100 // bundles that are tried for a feature

// A bundle is a set of features that share a column in LightGBM.
type bundle struct {
	features    []int
	taken       []bool // by sampled row
	used, total int
	apart       bool // the features are not bundled after all
}

// awayRows lists the sampled rows in which LightGBM takes a feature to be away from its most frequent bin. at are the
// rows that are not zero, and values are their values as newMapper left them. Where zero is not the most frequent bin,
// LightGBM looks at values that its binning has sorted, so that the values belong to other rows. Its list is then
// wrong, bundles collide, and rows lose their bins. To grow the same trees we make the same list.
func awayRows(m *mapper, at []int32, values []float64, rows int) []int32 {
	if m.byZero {
		return slices.Clone(at)
	}
	away, next := make([]int32, 0, rows), int32(0)
	low, high, missing := math.Inf(-1), m.upper[m.mostFreq], m.nan && m.mostFreq == m.bins()-1
	if m.mostFreq > 0 {
		low = m.upper[m.mostFreq-1]
	}
	for j, i := range at {
		for ; next < i; next++ {
			away = append(away, next)
		}
		next++
		if v := values[j]; !(v > low && v <= high || missing && v != v) {
			away = append(away, i)
		}
	}
	for ; next < int32(rows); next++ {
		away = append(away, next)
	}
	if len(away) == 0 { // LightGBM then uses the rows that are not zero
		return slices.Clone(at)
	}
	return away
}

// chooseBundles returns the bundles as sets of used features, ascending.
// nonZero is the number of sampled rows where a feature is not zero.
func chooseBundles(away [][]int32, nonZero []int, rows, seed int) [][]int {
	order := fitting.Upto(len(away))
	best := bundles(order, away, rows, seed)
	slices.SortStableFunc(order, func(a, b int) int { return nonZero[b] - nonZero[a] })
	if second := bundles(order, away, rows, seed); len(best) > len(second) {
		best = second
	}
	var out [][]int
	for _, b := range best {
		if !b.apart && len(b.features) > 1 {
			slices.Sort(b.features)
			out = append(out, b.features)
		}
	}
	return out
}

// bundles puts the features, in the given order, into bundles.
func bundles(order []int, away [][]int32, rows, seed int) []*bundle {
	allowed := rows / 10000
	r := lcg(seed)
	var out []*bundle
	for _, f := range order {
		b := search(out, away[f], rows, allowed, &r)
		if b == nil {
			b = &bundle{taken: make([]bool, rows)}
			out = append(out, b)
		}
		b.features = append(b.features, f)
		b.total += len(away[f])
		for _, i := range away[f] {
			if !b.taken[i] {
				b.taken[i] = true
				b.used++
			}
		}
	}
	return dense(out, away, rows, allowed)
}

// search returns the bundle that takes a feature, or nil.
func search(all []*bundle, rows []int32, total, allowed int, r *lcg) *bundle {
	var open []*bundle
	for _, b := range all {
		if b.total+len(rows) <= total+allowed {
			open = append(open, b)
		}
	}
	if len(open) == 0 {
		return nil
	}
	last := len(open) - 1
	tried := []*bundle{open[last]}
	for _, i := range r.sample(last, min(last, maxSearched-1)) {
		tried = append(tried, open[i])
	}
	for _, b := range tried {
		rest := allowed - b.total + b.used
		if c := conflicts(b.taken, rows, rest); c >= 0 && c <= rest && c <= len(rows)/2 {
			return b
		}
	}
	return nil
}

// conflicts counts the rows that are taken, or returns -1 when there are more than most.
func conflicts(taken []bool, rows []int32, most int) int {
	c := 0
	for _, i := range rows {
		if taken[i] {
			c++
		}
		if c > most {
			return -1
		}
	}
	return c
}

// dense keeps the bundles that fill two fifths of the rows. It puts the features of the remaining bundles into one
// bundle, which is stored feature by feature if its features collide too often.
func dense(all []*bundle, away [][]int32, rows, allowed int) []*bundle {
	var out []*bundle
	var rest []int
	for _, b := range all {
		if float64(b.used)/float64(rows) >= 0.4 {
			out = append(out, b)
		} else {
			rest = append(rest, b.features...)
		}
	}
	if len(rest) == 0 {
		return out
	}
	b := &bundle{features: rest, taken: make([]bool, rows)}
	lost := 0
	for _, f := range rest {
		c := conflicts(b.taken, away[f], allowed-lost)
		lost += c
		if c < 0 || lost > allowed {
			b.apart = true
			break
		}
		for _, i := range away[f] {
			b.taken[i] = true
		}
	}
	return append(out, b)
}

// overwrite sets the features of a bundle to their most frequent bins in each row, except for the last feature that is
// away. The features are in the order of the sample's columns.
func (ds *Dataset) overwrite(features []int) {
	for i := range ds.rows {
		kept := false
		for _, f := range slices.Backward(features) {
			bin := &ds.place(f)[i*lanes]
			switch {
			case *bin == ds.mostFreq[f]:
			case kept:
				*bin = ds.mostFreq[f]
			default:
				kept = true
			}
		}
	}
}
