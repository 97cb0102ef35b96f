//go:build !cgo || !amd64 || windows || nokernels

package vmath

import "testing"

func onEveryLevel(t *testing.T, _ func(*testing.T)) {
	t.Skip("this build has no C kernels, so the Go references run")
}
