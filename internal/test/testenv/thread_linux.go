package testenv

import "golang.org/x/sys/unix"

// ThreadCPUTime returns the processor time, user and system, in seconds that the calling thread has used.
// It is a measure of one goroutine's work where runtime.LockOSThread keeps that on its thread.
func ThreadCPUTime() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // every Linux that Go runs on has this clock
	}
	return float64(t.Nano()) / 1e9
}
