//go:build !linux

package testenv

import "testing"

// A Disk is a file system of its own that is soon full.
type Disk struct{ Dir string }

// SmallDisk skips t: it needs Linux.
func SmallDisk(t testing.TB, _ string) Disk {
	t.Helper()
	t.Skip("no disk can be mounted here")
	return Disk{}
}

// Fill does nothing.
func (Disk) Fill(testing.TB) (free func()) { return func() {} }
