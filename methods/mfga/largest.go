package mfga

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"sort"
)

// tie is the relative difference up to which two values count as equal.
const tie = 1e-9

// largest returns the m indices with the largest absolute values, without the indices in taken, and the largest value first. Among
// values that are equal up to rounding, the lowest index comes first. Such values occur: a coded input with two levels gives two columns,
// each the negative of the other.
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
	var equal lowest // the indices whose values count as equal to the largest remaining value, the value of order[first]
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
