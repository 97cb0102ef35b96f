package stats

import (
	"cmp"
	"math"
	"slices"
)

// A Ranker makes signed ranks of thousands of drawn tables. It works in floating point, and keeps the tails of sums of
// ranks, which many tables share. It is not safe for concurrent use.
type Ranker struct {
	tails map[string][]float64
	order []int
}

// equal is how much two numbers of rounded operations may differ and still count as the same one.
const equal = 1e-9

// Rank is NewSignedRanks of numbers; NaN is a set that is not compared. There is at least one difference.
func (r *Ranker) Rank(differences []float64) SignedRanks {
	size := func(i int) float64 { return math.Abs(differences[i]) }
	c := SignedRanks{ranks: make([]int32, len(differences))}
	r.order = r.order[:0]
	for i, d := range differences {
		if !math.IsNaN(d) {
			r.order = append(r.order, i)
		}
	}
	slices.SortFunc(r.order, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	for first := 0; first < len(r.order); {
		end := first + 1
		for end < len(r.order) && size(r.order[end])-size(r.order[first]) <= equal*max(1, size(r.order[first])) {
			end++
		}
		for _, i := range r.order[first:end] {
			rank := int32(first + end + 1)
			if size(i) <= equal {
				rank = 0
			}
			c.total += rank
			if differences[i] < 0 {
				rank = -rank
			}
			c.ranks[i] = rank
			c.sum += rank
		}
		first = end
	}
	if r.tails == nil {
		r.tails = map[string][]float64{}
	}
	column := []SignedRanks{c}
	tabulate(column, r.tails)
	return column[0]
}
