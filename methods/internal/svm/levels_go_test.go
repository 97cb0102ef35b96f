//go:build !cgo || !amd64 || windows || nokernels

package svm

import "testing"

func onEveryLevel(t *testing.T, _ func(*testing.T)) {
	t.Skip("this build has no C kernels")
}
