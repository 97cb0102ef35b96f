//go:build !unix

package cputime

// Process is the time on the wall, as [Thread] is where a thread has no clock.
func Process() float64 { return Thread() }
