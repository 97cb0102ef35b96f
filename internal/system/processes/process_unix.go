//go:build unix

package processes

import "syscall"

// CPUTime returns the processor time, user and system, in seconds that the process has used.
func CPUTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // only an invalid pointer makes it fail
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
