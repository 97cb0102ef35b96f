//go:build race

package testenv

// Race reports whether the race detector is on. The detector slows code down by an order of magnitude and empties pools
// at random. Times and allocations that are measured with it say nothing about the program without it.
const Race = true
