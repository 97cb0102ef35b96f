package vmath

import "math"

// Dot returns the inner product of x and y, of equal length, in 32 lanes.
func Dot(x, y []float64) float64 {
	sameLength("Dot", "x", len(x), "y", len(y))
	return dot(x, y)
}

// Sum returns the sum of x in 32 lanes.
func Sum(x []float64) float64 { return sum(x) }

// Axpy adds a x to y, of equal length, with one rounding an element.
func Axpy(a float64, x, y []float64) {
	sameLength("Axpy", "x", len(x), "y", len(y))
	axpy(a, x, y)
}

// dotRef fills a last partial group of eight lanes with zeros, as the C kernels do.
func dotRef(x, y []float64) float64 {
	if len(x) < 32 {
		return dotShort(x, y)
	}
	var lanes [32]float64
	y = y[:len(x)]
	for len(x) >= 32 {
		a, b := (*[32]float64)(x), (*[32]float64)(y)
		for l := range lanes {
			lanes[l] = math.FMA(a[l], b[l], lanes[l])
		}
		x, y = x[32:], y[32:]
	}
	for l, v := range x {
		lanes[l] = math.FMA(v, y[l], lanes[l])
	}
	for l := len(x); l%8 != 0; l++ {
		lanes[l] += 0
	}
	return tree32(&lanes)
}

// dotShort is dotRef where every lane has at most one product.
func dotShort(x, y []float64) float64 {
	var a [8]float64
	y = y[:len(x)]
	for l := range min(len(x), len(a)) {
		var lane [4]float64
		for i, j := l, 0; i < len(x); i, j = i+8, j+1 {
			lane[j&3] = math.FMA(x[i], y[i], 0)
		}
		a[l] = (lane[0] + lane[1]) + (lane[2] + lane[3])
	}
	return tree8(a[:])
}

func sumRef(x []float64) float64 {
	var lanes [32]float64
	for len(x) >= 32 {
		a := (*[32]float64)(x)
		for l := range lanes {
			lanes[l] += a[l]
		}
		x = x[32:]
	}
	for l, v := range x {
		lanes[l] += v
	}
	for l := len(x); l%8 != 0; l++ {
		lanes[l] += 0
	}
	return tree32(&lanes)
}

func axpyRef(a float64, x, y []float64) {
	for i, v := range x {
		y[i] = math.FMA(a, v, y[i])
	}
}

func tree32(lanes *[32]float64) float64 {
	var a [8]float64
	for l := range a {
		a[l] = (lanes[l] + lanes[l+8]) + (lanes[l+16] + lanes[l+24])
	}
	return tree8(a[:])
}

func tree8(a []float64) float64 {
	_ = a[7]
	return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]))
}
