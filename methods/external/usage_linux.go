package external

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ticks is how many units of /proc make a second: the kernel's interface says 100 on every processor.
const ticks = 100

// usedByLive returns the processor time in seconds that a live process and its descendants have used,
// and the sum of their largest resident sizes in bytes.
func usedByLive(pid int) (seconds float64, peak int64) {
	for _, each := range append(descendants(pid), pid) {
		s, p := usedBy(each)
		seconds, peak = seconds+s, peak+p
	}
	return seconds, peak
}

// usedBy reads one process, with those that it waited for.
func usedBy(pid int) (seconds float64, peak int64) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0 // it ended: its parent counts it
	}
	behind := stat[bytes.LastIndexByte(stat, ')')+1:] // the name before may hold anything
	fields := strings.Fields(string(behind))
	if len(fields) > 14 {
		for _, f := range fields[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.ParseInt(f, 10, 64)
			seconds += float64(n) / ticks
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return seconds, 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			peak = kib << 10
		}
	}
	return seconds, peak
}

// descendants returns the processes that a process started and that live, with theirs.
func descendants(pid int) []int {
	var out []int
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil
	}
	for _, task := range tasks {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		if err != nil {
			continue
		}
		for _, text := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(text); err == nil {
				out = append(append(out, child), descendants(child)...)
			}
		}
	}
	return out
}
