//go:build cgo && amd64 && !windows && !nokernels

package svm

import "testing"

// onEveryLevel runs f with the kernels of each instruction set of this machine.
func onEveryLevel(t *testing.T, f func(*testing.T)) {
	best := level
	if best == 0 {
		t.Skip("this processor has no AVX2 with FMA, so the Go definition runs")
	}
	defer func() { level = best }()
	for level = 1; level <= best; level++ {
		t.Run([]string{"", "avx2", "avx512"}[level], f)
	}
}
