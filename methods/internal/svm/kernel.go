package svm

import (
	"unsafe"

	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// Float is the type of stored kernel values.
type Float interface{ float32 | float64 }

// GramLimit is the most memory in bytes that a method takes for kernel matrices: up to it, they are kept in memory.
const GramLimit = 2 << 30

// A Kernel is the kernel matrix of n examples: in memory, in 4 or 8 n^2 bytes, or computed by rows. It serves one
// solver at a time.
type Kernel[F Float] struct {
	Exact *Exact // the same kernel in float64; a matrix in memory can do without: see switch.go

	n, stride int
	data      []F // the matrix, or nil where rows are computed
	line      []float64
	kept      keptRows[F]
}

// keptRows are computed rows that the same problem, or the next one, may ask for again. Where there is no more room, a
// new row replaces the least recently used one.
type keptRows[F Float] struct {
	rows  [][]F   // of each example: its row, or nil
	spare [][]F   // memory of rows of an earlier kernel
	of    []int   // the examples of the rows
	used  []int64 // of each example: clock when its row was last asked for
	clock int64
	room  int // the most rows, at least one
}

// NewGram returns an n x n matrix of zeros, to be filled by way of At. exact may be nil.
func NewGram[F Float](n int, exact *Exact) *Kernel[F] {
	return &Kernel[F]{n: n, stride: padded(n), data: make([]F, n*padded(n)), Exact: exact}
}

// NewDemanded returns a kernel whose rows are computed when they are asked for. It keeps as many rows as the given
// bytes hold.
func NewDemanded[F Float](exact *Exact, bytes int64) *Kernel[F] {
	n := len(exact.Diagonal)
	k := &Kernel[F]{n: n, Exact: exact, line: make([]float64, n)}
	var one F
	k.kept = keptRows[F]{rows: make([][]F, n), used: make([]int64, n),
		room: max(1, int(bytes/(int64(n)*int64(unsafe.Sizeof(one)))))}
	return k
}

// Renew makes k the kernel exact of as many examples in the memory of k, so that two large kernels are never there
// together. A matrix in memory is then filled anew by way of At.
func (k *Kernel[F]) Renew(exact *Exact) {
	k.Exact = exact
	for _, i := range k.kept.of {
		k.kept.spare, k.kept.rows[i] = append(k.kept.spare, k.kept.rows[i]), nil
	}
	k.kept.of = k.kept.of[:0]
}

// GramBytes is what a matrix in memory of n examples with values of the given size takes.
func GramBytes(n, size int) int64 { return int64(n) * int64(padded(n)) * int64(size) }

// Len returns n.
func (k *Kernel[F]) Len() int { return k.n }

// Stored reports whether the matrix is in memory.
func (k *Kernel[F]) Stored() bool { return k.data != nil }

// At returns row i of a matrix in memory, which the caller may write to.
func (k *Kernel[F]) At(i int) []F { return k.data[i*k.stride : i*k.stride+k.n] }

// Row returns row i, which it computes in *room if it is not in memory. Row keeps no rows, since a pass over all rows
// would drop those that steps of SMO need again.
func (k *Kernel[F]) Row(i int, room *[]F) []F {
	switch {
	case k.Stored():
		return k.At(i)
	case k.kept.rows[i] != nil:
		return k.kept.rows[i]
	}
	*room = vmath.Room(*room, k.n)
	k.convert(*room, i, k.Exact.Row)
	return *room
}

// demand returns row i, and keeps it. The row is valid until the next call.
func (k *Kernel[F]) demand(i int) []F {
	kept := &k.kept
	kept.clock++
	kept.used[i] = kept.clock
	if kept.rows[i] != nil {
		return kept.rows[i]
	}
	var row []F
	if len(kept.of) < kept.room {
		kept.of = append(kept.of, i)
		if last := len(kept.spare) - 1; last >= 0 {
			row, kept.spare = kept.spare[last], kept.spare[:last]
		} else {
			row = make([]F, k.n)
		}
	} else {
		oldest := 0
		for e, j := range kept.of {
			if kept.used[j] < kept.used[kept.of[oldest]] {
				oldest = e
			}
		}
		row, kept.rows[kept.of[oldest]] = kept.rows[kept.of[oldest]], nil
		kept.of[oldest] = i
	}
	k.convert(row, i, k.Exact.Row)
	kept.rows[i] = row
	return row
}

// convert writes what row gives in float64.
func (k *Kernel[F]) convert(dst []F, i int, row func(dst []float64, i int)) {
	line := k.line[:len(dst)]
	row(line, i)
	for j, v := range line {
		dst[j] = F(v)
	}
}

// diagonal returns element i of the diagonal.
func (k *Kernel[F]) diagonal(i int) float64 {
	if k.Stored() {
		return float64(k.data[i*k.stride+i])
	}
	return float64(F(k.Exact.Diagonal[i]))
}

// restrict returns a function that writes rows of the given columns alone, valid until the next call of restrict, or
// nil if there is none.
func (k *Kernel[F]) restrict(columns []int) func(dst []F, i int) {
	if k.Stored() || k.Exact.Restrict == nil {
		return nil
	}
	row := k.Exact.Restrict(columns)
	return func(dst []F, i int) { k.convert(dst, i, row) }
}

// padded returns n rounded up to a multiple of eight. Arrays over n elements have this length, so that vector loops
// have no remainder.
func padded(n int) int { return (n + 7) &^ 7 }
