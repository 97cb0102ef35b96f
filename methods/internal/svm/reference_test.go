package svm

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// kernelFunction returns the linear kernel, or for "rbf" exp(-gamma ||a-b||^2).
func kernelFunction(name string, gamma float64) func(a, b []float64) float64 {
	if name == "linear" {
		return floats.Dot
	}
	return func(a, b []float64) float64 {
		d := floats.Distance(a, b, 2)
		return math.Exp(-gamma * d * d)
	}
}

func gramOf[F Float](x *mat.Dense, k func(a, b []float64) float64) *Kernel[F] {
	n, _ := x.Dims()
	g := NewGram[F](n, nil)
	for i := range n {
		row := g.At(i)
		for j := range n {
			row[j] = F(k(x.RawRowView(min(i, j)), x.RawRowView(max(i, j))))
		}
	}
	return g
}

// exactOf is gramOf by rows.
func exactOf(x *mat.Dense, k func(a, b []float64) float64) *Exact {
	n, _ := x.Dims()
	e := &Exact{Diagonal: make([]float64, n), Row: func(dst []float64, i int) {
		for j := range dst {
			dst[j] = k(x.RawRowView(min(i, j)), x.RawRowView(max(i, j)))
		}
	}}
	for i := range n {
		e.Diagonal[i] = k(x.RawRowView(i), x.RawRowView(i))
	}
	return e
}

// support returns the examples whose Beta is not zero.
func support(s Solution) []int {
	var out []int
	for i, b := range s.Beta {
		if b != 0 {
			out = append(out, i)
		}
	}
	return out
}
