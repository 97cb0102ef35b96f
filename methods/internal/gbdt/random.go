package gbdt

import (
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
)

// lcg is LightGBM's random generator. It draws the rows from which bins are chosen, and the order in which bundles are
// tried.
type lcg uint32

func (r *lcg) next() uint32 {
	*r = 214013**r + 2531011
	return uint32(*r)
}

func (r *lcg) below(n int) int { return int(r.next()&0x7fffffff) % n }

func (r *lcg) float() float32 { return float32(r.next()>>16&0x7fff) / 32768 }

// sample returns k of 0..n-1, ascending.
func (r *lcg) sample(n, k int) []int {
	if k > n || k <= 0 {
		return nil
	}
	if k == n {
		return fitting.Upto(n)
	}
	out := make([]int, 0, k)
	if k > 1 && float64(k) > float64(n)/vmath.Log2Scalar(float64(k)) {
		for i := range n {
			if float64(r.float()) < float64(k-len(out))/float64(n-i) {
				out = append(out, i)
			}
		}
	} else {
		seen := make(map[int]bool, k)
		for last := n - k; last < n; last++ {
			v := r.below(last + 1)
			if seen[v] {
				v = last
			}
			seen[v] = true
		}
		for v := range seen {
			out = append(out, v)
		}
		slices.Sort(out)
	}
	return out
}
