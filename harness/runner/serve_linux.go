package runner

import (
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"golang.org/x/sys/unix"
)

func closeOnExec(fds ...int) {
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
}

// Started reports whether this process has the pipes that a harness gives a keeper and a worker.
func Started() bool {
	for _, fd := range []int{fdRequests, fdReplies} {
		var s unix.Stat_t
		if err := unix.Fstat(fd, &s); err != nil || s.Mode&unix.S_IFMT != unix.S_IFIFO {
			return false
		}
	}
	return true
}

// limitSelf makes the garbage collector work before the limit is reached, and makes the system end this process before
// other processes if memory is short. The limit of the data segment stops memory that grows faster than a keeper
// measures. Programs reserve more memory than they use, so this limit is far above the first one.
func limitSelf(limit int64) {
	debug.SetTraceback("single")
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	if limit > 0 {
		debug.SetMemoryLimit(HeapLimit(limit))
		data := uint64(LargestData(limit))
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: data, Max: data})
	}
}

func childrenUse() childUse {
	var use childUse
	var ended unix.Rusage
	if unix.Getrusage(unix.RUSAGE_CHILDREN, &ended) == nil {
		use.ended = time.Duration(ended.Utime.Nano() + ended.Stime.Nano())
		use.largest = ended.Maxrss << 10
	}
	use.boxed = sandbox.Largest()
	use.cpu = use.ended
	if processes.HasChildren() { // reading files of the system takes longer than asking whether there are children
		for _, p := range processes.Tree(os.Getpid()) {
			if p.ID != os.Getpid() {
				use.cpu += p.CPU
				if !processes.Kept(p.ID) { // the first process of a plugin's sandbox is this program
					use.living += max(p.Resident, processes.PeakOf(p.ID))
				}
			}
		}
	}
	return use
}

// leftBehind reports whether the keeper has children besides this process: processes that a method started and left. It
// waits until ended processes are gone, and then looks again.
func leftBehind() bool {
	for range 100 {
		others := slices.DeleteFunc(processes.Children(os.Getppid()), func(id int) bool { return id == os.Getpid() })
		if len(others) == 0 {
			return false
		}
		for _, id := range others {
			if p, there := processes.Of(id); there && !p.Zombie && !processes.Exiting(id) {
				return true
			}
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

// threadCPU returns the processor time of the calling thread, and whether the system knows it. It asks the thread's
// clock, since getrusage counts whole ticks of the system, which are 4 ms and longer than a cell of few rows.
func threadCPU() (used time.Duration, known bool) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err == nil
}
