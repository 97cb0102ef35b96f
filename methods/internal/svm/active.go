package svm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"unsafe"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// The active set and its rows.
//
// Shrinking (Joachims 1999; Fan, Chen and Lin 2005) takes out of the active set the examples that are unlikely to move
// again. SMO steps then use arrays over the active elements, and rows that have only the columns of active elements.
// While all examples are active and the kernel matrix is in memory, the steps read its rows. Otherwise the rows lie in
// a cache, which drops the least recently used row first.

// activateAll makes every example active, from the solution's Beta and Fit.
func (s *Solver[F]) activateAll() {
	n := len(s.sol.Beta)
	s.index = vmath.Room(s.index, n)
	for i := range s.index {
		s.index[i] = i
	}
	s.activate()
	w := &s.w
	if s.kernel.Stored() {
		w.rows, w.stride = s.kernel.data, s.kernel.stride
		w.used = vmath.Room(w.used, n)
		for i := range n {
			w.slot[i] = int32(i)
		}
		return
	}
	s.openRowCache()
}

// activate sets the state of the examples of s.index from the solution's Beta and Fit. No row is stored yet.
func (s *Solver[F]) activate() {
	s.resize(len(s.index))
	w, p := &s.w, s.problem
	for k, i := range s.index {
		w.beta[k], w.lo[k], w.hi[k] = s.sol.Beta[i], p.Lower[i], p.Upper[i]
		w.g[k] = s.sol.Fit[i] - p.Target[i]
		w.diag[k] = s.kernel.diagonal(i)
		w.limits(k, p.Epsilon)
	}
	s.pad(len(s.index))
	s.restricted = nil
}

// resize makes room for n active elements.
func (s *Solver[F]) resize(n int) {
	w, size := &s.w, padded(n)
	for _, a := range []*[]float64{&w.g, &w.up, &w.down, &w.beta, &w.lo, &w.hi, &w.diag} {
		*a = aligned(*a, size)
	}
	w.slot = vmath.Room(w.slot, size)
	s.index = vmath.Room(s.index, n)
}

// aligned returns x with length n, or a new array that begins with a cache line.
func aligned(x []float64, n int) []float64 {
	if cap(x) >= n {
		return x[:n]
	}
	x = make([]float64, n+7)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(x)))/8) & 7
	return x[skip : skip+n]
}

// pad fills the arrays from n to their end with elements that can move neither up nor down.
func (s *Solver[F]) pad(n int) {
	w := &s.w
	for k := n; k < padded(n); k++ {
		w.g[k], w.beta[k], w.lo[k], w.hi[k], w.diag[k], w.slot[k] = 0, 0, 0, 0, 0, -1
		w.up[k], w.down[k] = math.Inf(1), math.Inf(-1)
	}
}

// openRowCache empties the row cache and gives it room for as many rows of the active columns as it may hold.
func (s *Solver[F]) openRowCache() {
	w, n := &s.w, len(s.index)
	w.stride = padded(n)
	var one F
	capacity := min(n, max(2, int(cmp.Or(s.Cache, CacheBytes)/(int64(w.stride)*int64(unsafe.Sizeof(one))))))
	if cap(s.rowCache) < capacity*w.stride {
		s.rowCache, w.rows = nil, nil // free the old rows before the new ones are allocated
	}
	s.rowCache = vmath.Room(s.rowCache, capacity*w.stride)
	w.rows = s.rowCache
	w.used = vmath.Room(w.used, capacity)
	s.free = s.free[:0]
	for c := capacity - 1; c >= 0; c-- {
		s.free = append(s.free, int32(c))
	}
	for k := range w.slot {
		w.slot[k] = -1
	}
}

// fetchRow stores the row of active element k. If the cache is full, this row replaces the least recently used one.
func (s *Solver[F]) fetchRow(k int) {
	w, n := &s.w, len(s.index)
	if len(s.free) == 0 {
		s.free = append(s.free, s.evictRow())
	}
	at := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	row := w.rows[int(at)*w.stride : int(at+1)*w.stride]
	s.fillRow(row[:n], s.index[k])
	clear(row[n:])
	w.clock++
	w.slot[k], w.used[at] = at, w.clock
}

// evictRow takes the least recently used row out of the cache and returns its slot.
func (s *Solver[F]) evictRow() int32 {
	w, oldest := &s.w, 0
	for c, t := range w.used {
		if t < w.used[oldest] {
			oldest = c
		}
	}
	if e := slices.Index(w.slot, int32(oldest)); e >= 0 {
		w.slot[e] = -1
	}
	return int32(oldest)
}

// fillRow writes the kernel of example i with the active examples.
func (s *Solver[F]) fillRow(dst []F, i int) {
	var full []F
	switch {
	case s.restricted != nil:
		s.restricted(dst, i)
		return
	case s.kernel.Stored():
		full = s.kernel.At(i)
	default:
		full = s.kernel.demand(i)
	}
	if len(dst) == len(full) {
		copy(dst, full)
		return
	}
	for e, j := range s.index {
		dst[e] = full[j]
	}
}

// shrink takes out of the active set the elements that form a violating pair with no active element. It does nothing
// if these elements are less than the given share of the active set. shrink reports whether the set has changed.
func (s *Solver[F]) shrink(share float64) bool {
	w, n := &s.w, len(s.index)
	kept := make([]int32, 0, n)
	for k := range n {
		if !(w.g[k]+w.up[k] > s.maxDown && w.g[k]+w.down[k] < s.minUp) {
			kept = append(kept, int32(k))
		}
	}
	if float64(n-len(kept)) < share*float64(n) || len(kept) < 2 {
		return false
	}
	s.writeBack()
	direct := s.direct()
	if !direct {
		s.shrinkRows(kept)
	}
	for e, k := range kept {
		w.g[e], w.up[e], w.down[e], w.beta[e] = w.g[k], w.up[k], w.down[k], w.beta[k]
		w.lo[e], w.hi[e], w.diag[e], w.slot[e] = w.lo[k], w.hi[k], w.diag[k], w.slot[k]
		s.index[e] = s.index[k]
	}
	s.resize(len(kept))
	s.pad(len(kept))
	if direct {
		s.openRowCache()
	}
	return true
}

// shrinkRows frees the cached rows of the elements that leave the active set, and removes the columns of these elements
// from the other rows.
func (s *Solver[F]) shrinkRows(kept []int32) {
	w, next := &s.w, 0
	for k := range s.index {
		c := w.slot[k]
		if next < len(kept) && int(kept[next]) == k {
			next++
			if c >= 0 {
				row := w.rows[int(c)*w.stride:]
				for e, from := range kept {
					row[e] = row[from]
				}
				clear(row[len(kept):padded(len(kept))])
			}
		} else if c >= 0 {
			s.free = append(s.free, c)
		}
	}
}

// direct reports whether the steps read the kernel matrix itself.
func (s *Solver[F]) direct() bool {
	return s.kernel.Stored() && len(s.index) == s.kernel.n
}

// writeBack writes beta of the active elements to the solution. It also writes Fit, except in a subproblem, where
// Family.Add computes Fit.
func (s *Solver[F]) writeBack() {
	for k, i := range s.index {
		s.sol.Beta[i] = s.w.beta[k]
		if !s.subproblem {
			s.sol.Fit[i] = s.w.g[k] + s.problem.Target[i]
		}
	}
}

// unshrink makes every example active again and reconstructs the gradient.
func (s *Solver[F]) unshrink(ctx context.Context) error {
	s.writeBack()
	if err := s.restoreFit(ctx); err != nil {
		return err
	}
	s.activateAll()
	return nil
}
