//go:build race

package testenv

// Race reports whether the race detector is on. It slows code down by an order of
// magnitude and empties pools at random, so figures of time and of allocation are
// those of another program.
const Race = true
