// Package rff holds what methods with a Gaussian kernel share: a rule of thumb for its width (width.go), and draws
// of the frequencies of its random Fourier features (frequencies.go).
package rff

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// side is the number of rows and columns of a tile of distances: 2 ms at a hundred features.
const side = 512

// WidthBytes is the memory that Width takes for n rows.
func WidthBytes(n, k int) int64 {
	return 8 * (int64(n)*int64(min(k, max(1, n-1))+2) + int64(min(n, side)*min(n, side)))
}

// SharedWidth returns the same as [Width]. Several methods of a protocol fit the same rows and need the same width.
// SharedWidth computes it only once in a process.
func SharedWidth(ctx context.Context, env registry.Env, x []float64, d, k int) (float64, error) {
	if env.Memo == nil {
		return Width(ctx, x, d, k)
	}
	return env.Memo(keyOf(x, d, k), func() (float64, error) { return Width(ctx, x, d, k) })
}

func keyOf(x []float64, d, k int) registry.MemoKey {
	h := sha256.New()
	fmt.Fprintln(h, "kernelwidth", d, k, len(x))
	buf := make([]byte, 0, 8*1024)
	for piece := range slices.Chunk(x, 1024) {
		buf = buf[:0]
		for _, v := range piece {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		h.Write(buf)
	}
	return registry.MemoKey(h.Sum(nil))
}

// Width is the mean, over the rows of the n x d matrix x, of the Euclidean distance to the k-th nearest other row, or
// to the farthest row if there are fewer than k others. If all rows are equal, the width is 1. The only error is that
// of ctx.
//
// Squared distances are |a|^2 + |b|^2 - 2 a.b, or 0 if that is negative. A distance is computed once for both of its
// rows. Each row keeps its k least distances in a heap.
func Width(ctx context.Context, x []float64, d, k int) (float64, error) {
	n := len(x) / d
	if n < 2 {
		return 1, ctx.Err()
	}
	x, _ = fitting.Nearer(x, d)
	squares := make([]float64, n)
	for i := range squares {
		for _, v := range x[i*d : (i+1)*d] {
			squares[i] = math.FMA(v, v, squares[i])
		}
	}
	near := newNearest(n, min(k, n-1))
	tile := make([]float64, min(n, side)*min(n, side))
	for lo := 0; lo < n; lo += side {
		hi := min(lo+side, n)
		for from := 0; from <= lo; from += side {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			to := min(from+side, n)
			w := to - from
			vmath.MatMulT(tile[:(hi-lo)*w], x[lo*d:hi*d], hi-lo, d, x[from*d:to*d], w)
			for i := lo; i < hi; i++ {
				near.pairs(i, from, tile[(i-lo)*w:][:min(w, i-from)], squares)
			}
		}
	}
	sum := 0.0
	for _, far := range near.far {
		sum += math.Sqrt(far)
	}
	if !(sum > 0) {
		return 1, nil
	}
	return sum / float64(n), nil
}

// nearest keeps the k least squared distances of each of n rows, in heaps with the largest on top.
type nearest struct {
	k     int
	heaps []float64 // n x k
	far   []float64 // n: the tops
}

func newNearest(n, k int) *nearest {
	s := &nearest{k: k, heaps: make([]float64, n*k), far: make([]float64, n)}
	for i := range s.heaps {
		s.heaps[i] = math.Inf(1)
	}
	for i := range s.far {
		s.far[i] = math.Inf(1)
	}
	return s
}

// pairs adds the distances of row i to the rows from `from` on, given their inner products with row i.
func (s *nearest) pairs(i, from int, dots, squares []float64) {
	square, others, far := squares[i], squares[from:][:len(dots)], s.far[from:][:len(dots)]
	own := s.far[i]
	for q, v := range dots {
		distance := square + others[q] - 2*v // 2v is exact, so a compiler that fuses it changes no bit
		if distance < own {
			own = s.replace(i, max(0, distance))
		}
		if distance < far[q] {
			s.replace(from+q, max(0, distance))
		}
	}
}

// replace replaces the largest distance that row i keeps by a smaller one, and returns the new largest.
func (s *nearest) replace(i int, distance float64) float64 {
	heap, at := s.heaps[i*s.k:(i+1)*s.k], 0
	for {
		child := 2*at + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1] > heap[child] {
			child++
		}
		if heap[child] <= distance {
			break
		}
		heap[at] = heap[child]
		at = child
	}
	heap[at] = distance
	s.far[i] = heap[0]
	return heap[0]
}
