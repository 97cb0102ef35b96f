//go:build !linux

package processes

import (
	"errors"
	"time"
)

// Of knows no process.
func Of(int) (Process, bool) { return Process{}, false }

// Children knows no process.
func Children(int) []int { return nil }

// Adopted knows no process.
func Adopted(int) []int { return nil }

// Exiting knows no process.
func Exiting(int) bool { return true }

// Tree knows no process.
func Tree(int) []Process { return nil }

// Below knows no process.
func Below(int) []Process { return nil }

// Proportional knows no size.
func Proportional(int) (own, shared int64) { return 0, 0 }

// Peak knows no size.
func Peak() int64 { return 0 }

// PeakOf knows no size.
func PeakOf(int) int64 { return 0 }

// ResetPeak does nothing.
func ResetPeak() {}

// OOMKills counts nothing.
func OOMKills() int64 { return 0 }

// HasChildren knows no process.
func HasChildren() bool { return false }

// Adopt says that this system has no such thing.
func Adopt() error { return errors.ErrUnsupported }

// EndBelow does nothing.
func EndBelow(time.Duration) int { return 0 }

// WrittenBelow knows no size.
func WrittenBelow(string) int64 { return 0 }

// HeldInMemory knows no file.
func HeldInMemory([]Process) int64 { return 0 }

// EndTree does nothing.
func EndTree(int) {}
