//go:build cgo && amd64 && !windows && !nokernels

package vmath

import "testing"

// onEveryLevel runs f with the kernels of each instruction set of this machine, for
// inputs of every length.
func onEveryLevel(t *testing.T, f func(*testing.T)) {
	best := level
	if best == 0 {
		t.Skip("this processor has no AVX2 with FMA, so the Go references run")
	}
	defer func() { setLevel(best); level, everyLength = best, false }()
	everyLength = true
	for level = 1; level <= best; level++ {
		setLevel(level)
		t.Run([]string{"", "avx2", "avx512"}[level], f)
	}
}
