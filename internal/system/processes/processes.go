// Package processes finds, measures and ends what a process has started, and what that has started. It also measures
// the processor time of this process, tells the memory that the machine gives it, and keeps the end of what a process
// writes.
//
// It reads what Linux says of processes in the files of /proc. On other systems it knows nothing, and ends a
// process with its group. It starts nothing and decides nothing: limits belong to its callers.
package processes

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A Process is one process as it was when it was looked at.
type Process struct {
	ID, Parent int
	Group      int
	Zombie     bool // it has ended, and its parent has not asked how
	Stopped    bool // by a signal, as SIGSTOP
	Threads    int
	Started    int64              // see Now
	Status     syscall.WaitStatus // of a zombie: how it ended
	CPU        time.Duration      // of itself and of those of its children that were waited for
	Resident   int64              // bytes
}

// Usage sums up what processes use.
type Usage struct {
	CPU      time.Duration
	Resident int64 // bytes; what several of them share counts for each
}

// Sum adds up what a process and those below it use.
func Sum(of []Process) Usage {
	var u Usage
	for _, p := range of {
		u.CPU += p.CPU
		u.Resident += p.Resident
	}
	return u
}

// Alive reports whether the process with an identifier is still the one that was started then, by
// [Process].Started. Identifiers are given again, times of a start are not.
func Alive(id int, started int64) bool {
	p, there := Of(id)
	return there && !p.Zombie && p.Started == started
}

// below returns those of all that descend from a process, parents first.
func below(all []Process, id int) []Process {
	children := map[int][]Process{}
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	out := children[id]
	for i := 0; i < len(out); i++ {
		out = append(out[:len(out):len(out)], children[out[i].ID]...)
	}
	return out
}

// kept are the children of this process that somebody waits for.
var kept = struct {
	sync.Mutex
	ids map[int]bool
}{ids: map[int]bool{}}

// Keep says that somebody waits for a child of this process.
func Keep(id int) {
	kept.Lock()
	defer kept.Unlock()
	kept.ids[id] = true
}

// Kept reports whether somebody waits for a child of this process.
func Kept(id int) bool {
	kept.Lock()
	defer kept.Unlock()
	return kept.ids[id]
}

// Release ends what Keep said: the child has been waited for.
func Release(id int) {
	kept.Lock()
	defer kept.Unlock()
	delete(kept.ids, id)
}

// EndStrays ends the children of this process that nobody waits for, which are those that it adopted, with all that is
// below them. No child may be started meanwhile. It looks again until there are none: a process that is dying hands its
// children on when its last thread has ended, and is a zombie before that.
func EndStrays() {
	const most = 100 // rounds; what cannot be ended is left
	for range most {
		strays := strays()
		if len(strays) == 0 {
			return
		}
		for _, id := range strays {
			EndTree(id)
		}
	}
}

// strays returns the children of this process, zombies included, that nobody waits for.
func strays() []int {
	all := Children(os.Getpid())
	kept.Lock()
	defer kept.Unlock()
	return slices.DeleteFunc(all, func(id int) bool { return kept.ids[id] })
}
