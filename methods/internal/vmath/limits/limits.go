// Package limits measures the largest speed of one core of this machine: fused multiply-adds a second, and bytes read a second
// from each level of memory. Speeds of kernels are stated as fractions of these (see BenchmarkRoofline in vmath). The package
// measures with the widest instructions that vmath would use. In a build without cgo it measures plain Go, which is then the
// right comparison.
package limits

import (
	"math"
	"time"
)

// FMARate returns the floating-point operations a nanosecond (GFLOPS) of independent fused
// multiply-adds on registers, two operations each: the best of several runs within d.
func FMARate(d time.Duration) float64 {
	const rounds = 20_000
	return best(d, func() float64 { return 2 * float64(fma(rounds)) })
}

// ReadRate returns the bytes a nanosecond (GB/s) at which an array of the given size in
// bytes is read over and over: the best of several runs within d.
func ReadRate(bytes int, d time.Duration) float64 {
	x := make([]float64, max(bytes/8, 64))
	for i := range x {
		x[i] = 1 // touch every page
	}
	repeat := max(1, 1<<20/len(x))
	return best(d, func() float64 {
		read(x, repeat)
		return 8 * float64(len(x)*repeat)
	})
}

// best calls f for the time d and returns the largest work per nanosecond of one call. f returns its work.
func best(d time.Duration, f func() float64) float64 {
	rate := 0.0
	for start := time.Now(); ; {
		begin := time.Now()
		work := f()
		rate = math.Max(rate, work/float64(max(1, time.Since(begin).Nanoseconds())))
		if time.Since(start) > d {
			return rate
		}
	}
}
