package external

import (
	"github.com/kernelboosting/bench/internal/system/processes"
)

// usedByLive returns the processor time in seconds that a live process and what it started have used, and the sum of their
// largest resident sizes and of the files without a name that they hold in memory, in bytes. Processes that have ended count by
// their parents. Where the system does not tell, what a process used is known when it has ended.
func usedByLive(pid int) (seconds float64, peak int64) {
	var all []processes.Process
	for left := []int{pid}; len(left) > 0; left = left[1:] {
		p, there := processes.Of(left[0])
		if !there {
			continue
		}
		all = append(all, p)
		seconds, peak = seconds+p.CPU.Seconds(), peak+processes.PeakOf(p.ID)
		left = append(left, processes.Children(p.ID)...)
	}
	return seconds, peak + processes.HeldInMemory(all)
}
