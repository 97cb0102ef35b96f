//go:build !cgo || !amd64 || windows || purego

package limits

import (
	"math"
	"runtime"
)

func fma(rounds int) int {
	var a [8]float64
	for range rounds {
		for i := range a {
			a[i] = math.FMA(a[i], 0.5, 1)
		}
	}
	runtime.KeepAlive(&a)
	return len(a) * rounds
}

func read(x []float64, repeat int) {
	var a [4]float64
	for range repeat {
		for y := x; len(y) >= 4; y = y[4:] {
			a[0] += y[0]
			a[1] += y[1]
			a[2] += y[2]
			a[3] += y[3]
		}
	}
	runtime.KeepAlive(&a)
}
