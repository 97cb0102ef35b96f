package external

import (
	"github.com/kernelboosting/bench/internal/system/processes"
)

// usedByLive returns the processor time in seconds of a live process and of the processes that it started. peak is the sum of
// their largest resident sizes and of their unnamed files in memory, in bytes. Processes that have ended count with their
// parents. Some systems tell the use of a process only after its end.
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
