package mfga

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"sort"
)

// tie is how far values may be apart, in parts of the largest, and count as equal.
const tie = 1e-9

// largest returns the m indices outside of taken with the largest absolute values, largest first. Where several are as large as the
// largest that is left, up to rounding, the lowest index comes first: a coded input with two levels gives columns that are each other's
// negatives.
func largest(values []float64, taken []int, m int) []int {
	size, out := make([]float64, len(values)), make([]bool, len(values))
	top := 0.0
	for j, v := range values {
		size[j] = math.Abs(v)
		top = max(top, size[j])
	}
	for _, j := range taken {
		out[j] = true
	}
	order := make([]int, 0, len(values)-len(taken))
	for j := range values {
		if !out[j] {
			order = append(order, j)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	var equal lowest // those that count as equal to the largest left, which is order[first]
	chosen := make([]int, 0, m)
	first, seen := 0, 0
	for len(chosen) < m {
		for out[order[first]] {
			first++
		}
		for seen < len(order) && size[order[seen]] >= size[order[first]]-float64(tie*top) {
			heap.Push(&equal, order[seen])
			seen++
		}
		j := heap.Pop(&equal).(int)
		out[j] = true
		chosen = append(chosen, j)
	}
	return chosen
}

// lowest is a heap of indices.
type lowest struct{ sort.IntSlice }

// Push adds an index, for package heap.
func (l *lowest) Push(j any) { l.IntSlice = append(l.IntSlice, j.(int)) }

// Pop takes the last index, for package heap.
func (l *lowest) Pop() any {
	last := len(l.IntSlice) - 1
	j := l.IntSlice[last]
	l.IntSlice = l.IntSlice[:last]
	return j
}
