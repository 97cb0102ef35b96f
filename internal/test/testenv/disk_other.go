//go:build !linux

package testenv

import "testing"

// A Disk is a small file system that a test can fill.
type Disk struct{ Dir string }

// SmallDisk skips t: it needs Linux.
func SmallDisk(t testing.TB, _ string) Disk {
	t.Helper()
	t.Skip("no disk can be mounted here")
	return Disk{}
}

// Fill does nothing.
func (Disk) Fill(testing.TB) (free func()) { return func() {} }
