//go:build !cgo || !amd64 || windows || purego

package svm

import "testing"

func onEveryLevel(t *testing.T, _ func(*testing.T)) {
	t.Skip("this build has no C kernels")
}
