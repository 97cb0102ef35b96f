package external

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ticks is how many units of /proc make a second: the kernel's interface says 100 on every processor.
const ticks = 100

// usedByLive returns the processor time in seconds that a live process and what its first thread started
// have used, and the sum of their largest resident sizes in bytes. It is asked after every request, so
// it does not look through all threads for children; those that have ended count by their parents.
func usedByLive(pid int) (seconds float64, peak int64) {
	seconds, peak = usedBy(pid)
	for _, child := range childrenOf(pid, strconv.Itoa(pid)) {
		s, p := usedByLive(child)
		seconds, peak = seconds+s, peak+p
	}
	return seconds, peak
}

// childrenOf returns the live processes that a thread of a process started.
func childrenOf(pid int, thread string) []int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread))
	if err != nil {
		return nil
	}
	var out []int
	for _, each := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(each); err == nil {
			out = append(out, child)
		}
	}
	return out
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
		for _, child := range childrenOf(pid, task.Name()) {
			out = append(append(out, child), descendants(child)...)
		}
	}
	return out
}

// enough is the free memory that a folder in memory needs to be preferred, in bytes.
const enough = 4 << 30

// memoryFolder returns a folder whose files lie in memory, or "" where there is none with room: a file
// there takes a tenth of the time of one on a disk.
func memoryFolder() string {
	const folder = "/dev/shm"
	var s unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || unix.Statfs(folder, &s) != nil || s.Type != unix.TMPFS_MAGIC || s.Bavail*uint64(s.Bsize) < enough || unix.Access(folder, unix.W_OK) != nil {
		return ""
	}
	return folder
}
