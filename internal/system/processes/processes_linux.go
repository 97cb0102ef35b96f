package processes

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of processor times in /proc; Linux gives programs no other.
const tick = 10 * time.Millisecond

// Of returns a process, and false if there is none of that identifier.
func Of(id int) (Process, bool) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return Process{}, false
	}
	return parse(raw)
}

// parse reads the line of /proc/ID/stat. The second field is a name in parentheses, in which
// anything may stand.
func parse(line []byte) (Process, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 0 || end < open {
		return Process{}, false
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(line[:open])))
	fields := strings.Fields(string(line[end+1:]))
	if err != nil || len(fields) < 22 {
		return Process{}, false
	}
	number := func(field int) int64 { // numbered as in proc(5)
		v, _ := strconv.ParseInt(fields[field-3], 10, 64)
		return v
	}
	p := Process{
		ID: id, Parent: int(number(4)), Group: int(number(5)), Threads: int(number(20)), Started: number(22),
		CPU:      time.Duration(number(14)+number(15)+number(16)+number(17)) * tick,
		Resident: number(24) * int64(os.Getpagesize()),
	}
	switch fields[0] {
	case "Z", "X":
		p.Zombie = true
		if len(fields) >= 50 {
			p.Status = syscall.WaitStatus(number(52))
		}
	case "T", "t":
		p.Stopped = true
	}
	return p, true
}

// Exiting reports whether a process is about to end or has ended: it holds no file any more.
func Exiting(id int) bool {
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", id))
	return err != nil || len(files) == 0
}

// Below returns the processes that descend from one, zombies left out.
func Below(id int) []Process {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all []Process
	for _, e := range entries {
		if child, err := strconv.Atoi(e.Name()); err == nil {
			if p, there := Of(child); there {
				all = append(all, p)
			}
		}
	}
	return slices.DeleteFunc(below(all, id), func(p Process) bool { return p.Zombie })
}

// Tree returns a process and what descends from it, parents first and ended ones included.
func Tree(id int) []Process {
	var out []Process
	for left := []int{id}; len(left) > 0; left = left[1:] {
		if p, there := Of(left[0]); there {
			out = append(out, p)
			left = append(left, Children(p.ID)...)
		}
	}
	return out
}

// Children returns the children of a process, by whatever thread they were started, ended ones included.
func Children(id int) []int {
	var out []int
	dir := fmt.Sprintf("/proc/%d/task", id)
	threads, _ := os.ReadDir(dir)
	for _, each := range threads {
		out = append(out, childrenOf(filepath.Join(dir, each.Name()))...) // a thread that has ended has no children
	}
	return out
}

func childrenOf(thread string) (out []int) {
	text, _ := os.ReadFile(filepath.Join(thread, "children"))
	for _, number := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(number); err == nil {
			out = append(out, child)
		}
	}
	return out
}

// Adopted returns the children of the first thread of a process. To that the system gives processes which lose their
// parents.
func Adopted(id int) []int { return childrenOf(fmt.Sprintf("/proc/%d/task/%d", id, id)) }

// ChildCalled returns the child of a process that has a number where it lives, such as in a namespace of its own.
func ChildCalled(parent, number int) (Process, bool) {
	for _, id := range Children(parent) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", id))
		_, spaces, _ := strings.Cut(string(text), "\nNSpid:")
		spaces, _, _ = strings.Cut(spaces, "\n")
		if all := strings.Fields(spaces); len(all) > 0 && all[len(all)-1] == strconv.Itoa(number) {
			return Of(id)
		}
	}
	return Process{}, false
}

// Proportional returns the resident bytes of a process, with what it shares divided among those who share it: of
// several processes the sum is what they take of the machine. shared is what lies in files in memory, own the rest. 0
// if it is not known.
func Proportional(id int) (own, shared int64) {
	n := numbers(fmt.Sprintf("/proc/%d/smaps_rollup", id))
	shared = n["Pss_Shmem:"] << 10
	return n["Pss:"]<<10 - shared, shared
}

func numbers(file string) map[string]int64 { return NumbersAt(unix.AT_FDCWD, file) }

// NumbersAt returns the numbers of a file of the kernel, below an open folder, by the words before them.
func NumbersAt(folder int, file string) map[string]int64 {
	out := map[string]int64{}
	fd, err := unix.Openat(folder, file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return out
	}
	f := os.NewFile(uintptr(fd), file)
	defer f.Close()
	raw, _ := io.ReadAll(f)
	for line := range strings.Lines(string(raw)) {
		if fields := strings.Fields(line); len(fields) > 1 {
			if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				out[fields[0]] = n
			}
		}
	}
	return out
}

// Peak returns the largest resident size of this process since the last ResetPeak, in bytes.
func Peak() int64 { return numbers("/proc/self/status")["VmHWM:"] << 10 }

// PeakOf is Peak of another process, 0 if it is not known.
func PeakOf(id int) int64 { return numbers(fmt.Sprintf("/proc/%d/status", id))["VmHWM:"] << 10 }

// ResetPeak lets Peak begin anew. Where the system does not let it, Peak goes on.
func ResetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// OOMKills counts the processes that the system ended for want of memory since it was started.
func OOMKills() int64 { return numbers("/proc/vmstat")["oom_kill"] }

// descendants returns what is below a process, ended ones included.
func descendants(id int) []int {
	out := Children(id)
	for i := 0; i < len(out); i++ {
		out = append(out, Children(out[i])...)
	}
	return out
}

// Adopt makes this process the parent of every process below it that loses its own: none leaves
// the tree, whatever session or group it makes for itself.
func Adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// HasChildren reports whether this process has a child, ended ones included.
func HasChildren() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err != unix.ECHILD
}

// EndBelow ends every process below this one, which has to Adopt and to wait for its children
// meanwhile. It returns how many are left after the time given: those that the system itself cannot end.
func EndBelow(patience time.Duration) int {
	deadline := time.Now().Add(patience)
	stopped := map[int]bool{}
	for { // what is stopped starts nothing more
		fresh := false
		for _, p := range Below(os.Getpid()) {
			if !stopped[p.ID] {
				stopped[p.ID], fresh = true, true
				_ = unix.Kill(p.ID, unix.SIGSTOP)
			}
		}
		if !fresh || time.Now().After(deadline) {
			break
		}
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		left := Below(os.Getpid())
		if len(left) == 0 || time.Now().After(deadline) {
			return len(left)
		}
		for _, p := range left {
			_ = unix.Kill(p.ID, unix.SIGKILL)
		}
		time.Sleep(pause)
	}
}

// EndTree ends a process and all below it. Of a child of this one that nobody waits for it takes the end, too.
func EndTree(id int) {
	stopped := map[int]bool{id: true}
	_ = unix.Kill(id, unix.SIGSTOP)
	for fresh := true; fresh; { // what is stopped starts nothing more
		fresh = false
		for _, child := range descendants(id) {
			if !stopped[child] {
				stopped[child], fresh = true, true
				_ = unix.Kill(child, unix.SIGSTOP)
			}
		}
	}
	for each := range stopped {
		_ = unix.Kill(each, unix.SIGKILL)
	}
	if !Kept(id) {
		_, _ = unix.Wait4(id, nil, 0, nil)
	}
}

// Now is the time as Process.Started has it, rounded down.
func Now() int64 {
	text, _ := os.ReadFile("/proc/uptime")
	up, _, _ := strings.Cut(string(text), " ")
	seconds, _ := strconv.ParseFloat(up, 64)
	return int64(seconds * float64(time.Second/tick))
}
