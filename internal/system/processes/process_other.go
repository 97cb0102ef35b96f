//go:build !unix

package processes

// Process is the time on the wall, as [Thread] is where a thread has no clock.
func CPUTime() float64 { return ThreadCPUTime() }
