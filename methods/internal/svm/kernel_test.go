package svm

import (
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestRenewedRows: rows of an earlier kernel are never those of the next one.
func TestRenewedRows(t *testing.T) {
	const n, room = 6, 3
	of := func(scale float64) *Exact {
		return &Exact{Diagonal: make([]float64, n), Row: func(dst []float64, i int) {
			for j := range dst {
				dst[j] = scale * float64(n*i+j)
			}
		}}
	}
	k := NewDemanded[float64](of(1), 8*n*room)
	for _, scale := range []float64{2, 3} {
		for i := range n {
			k.demand(i)
		}
		exact, want, line := of(scale), make([]float64, n), make([]float64, n)
		k.Renew(exact)
		for _, i := range []int{5, 0, 5, 3, 1, 2, 0, 4} {
			exact.Row(want, i)
			must.Be(t, k.Row(i, &line), want, "scale", scale, i)
			must.Be(t, k.demand(i), want, "scale", scale, i)
		}
	}
}
