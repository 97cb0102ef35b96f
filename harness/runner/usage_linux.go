package runner

import (
	"golang.org/x/sys/unix"
)

// cpuTime is the processor time that a thread has used.
type cpuTime struct {
	nanoseconds int64
	known       bool
}

// threadCPU reads the processor time of the calling thread. It asks the thread's clock, since getrusage counts whole ticks of the
// system, which are 4 ms and longer than a cell of few rows.
func threadCPU() cpuTime {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return cpuTime{}
	}
	return cpuTime{t.Nano(), true}
}

// since returns the seconds between two readings.
func (t cpuTime) since(start cpuTime) (float64, bool) {
	return float64(t.nanoseconds-start.nanoseconds) / 1e9, t.known && start.known
}

// peakRSS returns the process's largest resident size so far, in bytes.
func peakRSS() (int64, bool) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return u.Maxrss * 1024, true
}
