package external

import (
	"github.com/kernelboosting/bench/internal/processes"
)

// usedByLive returns the processor time in seconds that a live process and what its first thread started
// have used, and the sum of their largest resident sizes in bytes. It is asked after every request, so
// it does not look through all threads for children; those that have ended count by their parents. Where the
// system does not tell, what a process used is known when it has ended.
func usedByLive(pid int) (seconds float64, peak int64) {
	p, _ := processes.Of(pid)
	seconds, peak = p.CPU.Seconds(), processes.PeakOf(pid)
	for _, child := range processes.FirstThreadsChildren(pid) {
		s, p := usedByLive(child)
		seconds, peak = seconds+s, peak+p
	}
	return seconds, peak
}
