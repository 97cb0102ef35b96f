package svm

import (
	"context"
	"math"
	"unsafe"
)

// activateAll makes every example active, from the solution's Beta and Fit.
func (s *Solver[F]) activateAll() {
	n := len(s.sol.Beta)
	s.index = resized(s.index, n)
	for i := range s.index {
		s.index[i] = i
	}
	s.activate()
	w := &s.w
	if gram, ok := s.kernel.Stored(); ok {
		w.rows, w.stride = gram.data, gram.stride
		w.used = resized(w.used, n)
		for i := range n {
			w.slot[i] = int32(i)
		}
		return
	}
	s.openArena()
}

// activate sets the state of the examples of s.index from the solution's Beta and Fit. No row is stored yet.
func (s *Solver[F]) activate() {
	s.resize(len(s.index))
	w, p := &s.w, s.problem
	s.line = resized(s.line, len(s.sol.Beta))
	s.kernel.Diagonal(s.line)
	for k, i := range s.index {
		w.beta[k], w.lo[k], w.hi[k] = s.sol.Beta[i], p.Lower[i], p.Upper[i]
		w.g[k] = s.sol.Fit[i] - p.Target[i]
		w.diag[k] = float64(s.line[i])
		w.limits(k, p.Epsilon)
	}
	s.pad(len(s.index))
	s.narrow = nil
}

// resize makes room for n active elements.
func (s *Solver[F]) resize(n int) {
	w, size := &s.w, padded(n)
	for _, a := range []*[]float64{&w.g, &w.up, &w.down, &w.beta, &w.lo, &w.hi, &w.diag} {
		*a = aligned(*a, size)
	}
	w.slot = resized(w.slot, size)
	s.index = resized(s.index, n)
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

// pad bars the elements from n to the end of the last vector.
func (s *Solver[F]) pad(n int) {
	w := &s.w
	for k := n; k < padded(n); k++ {
		w.g[k], w.beta[k], w.lo[k], w.hi[k], w.diag[k], w.slot[k] = 0, 0, 0, 0, 0, -1
		w.up[k], w.down[k] = math.Inf(1), math.Inf(-1)
	}
}

// openArena starts with no row stored and room for as many of the active columns as the
// cache holds.
func (s *Solver[F]) openArena() {
	w, n := &s.w, len(s.index)
	w.stride = padded(n)
	var one F
	capacity := min(n, max(2, int(s.cache()/(int64(w.stride)*int64(unsafe.Sizeof(one))))))
	if cap(s.arena) < capacity*w.stride {
		s.arena, w.rows = nil, nil // the old rows need not be kept beside the new ones
	}
	s.arena = resized(s.arena, capacity*w.stride)
	w.rows = s.arena
	w.used = resized(w.used, capacity)
	s.free = s.free[:0]
	for c := capacity - 1; c >= 0; c-- {
		s.free = append(s.free, int32(c))
	}
	for k := range w.slot {
		w.slot[k] = -1
	}
}

// fetch stores the row of active element k, in place of the one unused for longest if need be.
func (s *Solver[F]) fetch(k int) {
	w, n := &s.w, len(s.index)
	if len(s.free) == 0 {
		oldest := 0
		for c, t := range w.used {
			if t < w.used[oldest] {
				oldest = c
			}
		}
		for e, c := range w.slot {
			if int(c) == oldest {
				w.slot[e] = -1
				break
			}
		}
		s.free = append(s.free, int32(oldest))
	}
	at := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	dst := w.rows[int(at)*w.stride : int(at+1)*w.stride]
	gram, stored := s.kernel.Stored()
	total := s.kernel.Len()
	switch {
	case s.narrow != nil:
		s.narrow(dst[:n], s.index[k])
	case !stored && n == total:
		s.kernel.Row(dst[:n], s.index[k])
	default:
		var full []F
		if stored {
			full = gram.At(s.index[k])
		} else {
			s.line = resized(s.line, total)
			s.kernel.Row(s.line, s.index[k])
			full = s.line
		}
		for e, i := range s.index {
			dst[e] = full[i]
		}
	}
	clear(dst[n:])
	w.clock++
	w.slot[k], w.used[at] = at, w.clock
}

// shrinkEvery is the number of steps between two looks for elements to shrink.
const shrinkEvery = 1000

// shrinkShare is the part of the active set that must be removable for shrinking to repay its cost.
const shrinkShare = 0.2

// shrink takes out of the active set the elements at a bound that violate optimality with no
// active element, if they are the given share at least.
func (s *Solver[F]) shrink(share float64) {
	w, n := &s.w, len(s.index)
	idle := func(k int) bool { return w.g[k]+w.up[k] > s.maxDown && w.g[k]+w.down[k] < s.minUp }
	removable := 0
	for k := range n {
		if idle(k) {
			removable++
		}
	}
	if float64(removable) < share*float64(n) || n-removable < 2 {
		return
	}
	s.keep()
	direct := s.direct()
	kept := make([]int32, 0, n-removable)
	for k := range n {
		if idle(k) {
			if c := w.slot[k]; c >= 0 && !direct {
				s.free = append(s.free, c)
			}
			continue
		}
		kept = append(kept, int32(k))
	}
	if !direct {
		for _, k := range kept {
			if c := w.slot[k]; c >= 0 {
				row := w.rows[int(c)*w.stride:]
				for e, from := range kept {
					row[e] = row[from]
				}
				clear(row[len(kept):padded(len(kept))])
			}
		}
	}
	for e, k := range kept {
		w.g[e], w.up[e], w.down[e], w.beta[e] = w.g[k], w.up[k], w.down[k], w.beta[k]
		w.lo[e], w.hi[e], w.diag[e], w.slot[e] = w.lo[k], w.hi[k], w.diag[k], w.slot[k]
		s.index[e] = s.index[k]
	}
	s.resize(len(kept))
	s.pad(len(kept))
	if direct {
		s.openArena()
	}
}

// direct reports whether the steps read the kernel matrix itself.
func (s *Solver[F]) direct() bool {
	_, stored := s.kernel.Stored()
	return stored && len(s.index) == s.kernel.Len()
}

// keep writes the active elements' state to the solution; within part the variables alone.
func (s *Solver[F]) keep() {
	for k, i := range s.index {
		s.sol.Beta[i] = s.w.beta[k]
		if !s.partly {
			s.sol.Fit[i] = s.w.g[k] + s.problem.Target[i]
		}
	}
}

// unshrink makes every example active again, with a fresh gradient.
func (s *Solver[F]) unshrink(ctx context.Context) error {
	s.keep()
	if err := s.restoreFit(ctx); err != nil {
		return err
	}
	s.activateAll()
	return nil
}
