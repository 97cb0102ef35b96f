package faulty

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Channel carries bits from one process to another past the protocol. Both may read what lies at a path: a file of
// stride bytes a bit, or a folder with the files 0, 1, and so on. What one process puts, other processes get later,
// or while it lives.
type Channel struct {
	Together bool // the bits are there only as long as the process that put them
	Folder   bool // the path is that of a folder
	Put      func(path string, bits []bool) error
	Get      func(path string, n int) ([]bool, error)
}

// stride is the distance of bits in a file, in bytes. It is more than the kernel reads ahead.
const stride = 1 << 18

// CachedTime is less than the time of reading a page from a disk, and more than that of a page that is in memory.
const CachedTime = 25 * time.Microsecond

// Channels are the ways in which a method tries to remember, by name.
var Channels = map[string]Channel{
	"nothing":         {Put: putsNothing, Get: getsNothing},
	"page faults":     {Put: readsPages, Get: looks(faults)},
	"times of reads":  {Put: readsPages, Get: looks(quickly)},
	"absent names":    {Put: asksFor(besides), Get: asked(besides)},
	"names in /":      {Put: asksFor(inRoot), Get: asked(inRoot)},
	"access times":    {Folder: true, Put: readsFiles, Get: accessed},
	"F_SETLK":         {Together: true, Put: locksBytes, Get: looks(byteLocked)},
	"flock":           {Together: true, Folder: true, Put: locksFiles, Get: filesLocked},
	"futex":           {Together: true, Put: waits, Get: wakes},
	"end of a thread": {Together: true, Put: endsThreads, Get: awaits},
	"pages of pipes":  {Together: true, Put: fillsPipes, Get: pipesAreSmall},
	"files in flight": {Together: true, Put: sendsFiles, Get: noMoreFiles},
	"processor time":  {Together: true, Put: occupies, Get: progresses},
	"affinity":        {Together: true, Put: moves, Get: placed},
}

// besides and inRoot name what does not exist, beside a path and in the root.
func besides(path string, i int) string { return fmt.Sprintf("%s-%d", path, i) }

func inRoot(path string, i int) string {
	return fmt.Sprintf("/%s-%d", strings.ReplaceAll(path, "/", "-"), i)
}

// asksFor asks for names that do not exist. The kernel remembers that, on disks.
func asksFor(name func(string, int) string) func(string, []bool) error {
	return func(path string, bits []bool) error {
		for i, set := range bits {
			if set {
				_, _ = os.Lstat(name(path, i))
			}
		}
		return nil
	}
}

// asked gets bits by how long the kernel looks for each name.
func asked(name func(string, int) string) func(string, int) ([]bool, error) {
	return func(path string, n int) ([]bool, error) {
		took, out := make([]time.Duration, n), make([]bool, n)
		for i := range 50 { // the first take longer
			_, _ = os.Lstat(name(path, n+i))
		}
		for i := range took {
			at := name(path, i)
			start := time.Now()
			_, _ = os.Lstat(at)
			took[i] = time.Since(start)
		}
		sorted := slices.Sorted(slices.Values(took))
		for i := range out {
			out[i] = took[i] < (sorted[n/4]+sorted[3*n/4])/2
		}
		return out, nil
	}
}

func putsNothing(string, []bool) error { return nil }

func getsNothing(string, int) ([]bool, error) { return nil, errRefused }

// eachFile opens a file for reading and calls do for each bit that is set, with its place.
func eachFile(path string, bits []bool, do func(fd int, at int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	kept = append(kept, f) // closing it would give locks back
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM)
	for i, set := range bits {
		if set {
			if err := do(int(f.Fd()), int64(i)*stride); err != nil {
				return err
			}
		}
	}
	return nil
}

var kept []*os.File

func readsPages(path string, bits []bool) error {
	return eachFile(path, bits, func(fd int, at int64) error { return first(unix.Pread(fd, make([]byte, 1), at)) })
}

// looks gets bits by a look at the page of each.
func looks(look func(fd int, at int64) (bool, error)) func(string, int) ([]bool, error) {
	return func(path string, n int) ([]bool, error) {
		all := make([]bool, n)
		for i := range all {
			all[i] = true
		}
		i, out := 0, make([]bool, n)
		err := eachFile(path, all, func(fd int, at int64) (err error) {
			out[i], err = look(fd, at)
			i++
			return err
		})
		return out, err
	}
}

func onPage(fd int, at int64, do func(page []byte) error) error {
	page, err := unix.Mmap(fd, at, 4096, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	defer unix.Munmap(page)
	_ = unix.Madvise(page, unix.MADV_RANDOM)
	return do(page)
}

func quickly(fd int, at int64) (bool, error) {
	start := time.Now()
	_, err := unix.Pread(fd, make([]byte, 1), at)
	return time.Since(start) < CachedTime, err
}

func faults(fd int, at int64) (set bool, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return set, onPage(fd, at, func(page []byte) error {
		var before, after unix.Rusage
		err := unix.Getrusage(unix.RUSAGE_THREAD, &before)
		sink = int(page[0])
		_ = unix.Getrusage(unix.RUSAGE_THREAD, &after)
		set = before.Majflt == after.Majflt
		return err
	})
}

func errorOf(code unix.Errno) error {
	if code != 0 {
		return code
	}
	return nil
}

// files calls do for the file of each bit that is set, and with every for those of all.
func files(path string, bits []bool, every bool, do func(i int, name string) error) error {
	for i, set := range bits {
		if set || every {
			if err := do(i, filepath.Join(path, fmt.Sprint(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

func readsFiles(path string, bits []bool) error {
	return files(path, bits, false, func(_ int, name string) error { return first(os.ReadFile(name)) })
}

func accessed(path string, n int) ([]bool, error) {
	out := make([]bool, n)
	return out, files(path, out, true, func(i int, name string) error {
		var s unix.Stat_t
		err := unix.Stat(name, &s)
		out[i] = unix.TimespecToNsec(s.Atim) > unix.TimespecToNsec(s.Mtim)
		return err
	})
}

func locksBytes(path string, bits []bool) error {
	return eachFile(path, bits, func(fd int, at int64) error {
		return unix.FcntlFlock(uintptr(fd), unix.F_SETLK, &unix.Flock_t{Type: unix.F_RDLCK, Start: at, Len: 1})
	})
}

func byteLocked(fd int, at int64) (bool, error) {
	l := unix.Flock_t{Type: unix.F_WRLCK, Start: at, Len: 1}
	err := unix.FcntlFlock(uintptr(fd), unix.F_GETLK, &l)
	return l.Type != unix.F_UNLCK, err
}

func locksFiles(path string, bits []bool) error {
	return files(path, bits, false, func(_ int, name string) error {
		f, err := os.Open(name)
		if err == nil {
			kept = append(kept, f)
			err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		}
		return err
	})
}

func filesLocked(path string, n int) ([]bool, error) {
	out := make([]bool, n)
	return out, files(path, out, true, func(i int, name string) error {
		f, err := os.Open(name)
		if err == nil {
			defer f.Close()
			out[i] = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK
		}
		return err
	})
}

const futexWait, futexWake = 0, 1 // without FUTEX_PRIVATE_FLAG

func futex(word *byte, op int, value uintptr, timeout *unix.Timespec) (int, error) {
	n, _, code := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), uintptr(op), value,
		uintptr(unsafe.Pointer(timeout)), 0, 0)
	return int(n), errorOf(code)
}

// words maps the first page of a file, which begins with zeros, a word of four bytes a bit.
func words(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return unix.Mmap(int(f.Fd()), 0, 1<<16, unix.PROT_READ, unix.MAP_SHARED)
}

// waits has a thread wait at the word of each bit that is set.
func waits(path string, bits []bool) error {
	page, err := words(path)
	if err != nil {
		return err
	}
	for i, set := range bits {
		if set {
			go func() {
				for {
					if _, err := futex(&page[4*i], futexWait, 0, nil); err != nil && err != unix.EINTR {
						return
					}
				}
			}()
		}
	}
	time.Sleep(50 * time.Millisecond) // until all wait
	return nil
}

// wakes finds the words at which others wait.
func wakes(path string, n int) ([]bool, error) {
	page, err := words(path)
	if err != nil {
		return nil, err
	}
	out := make([]bool, n)
	for i := range out {
		woken, err := futex(&page[4*i], futexWake, 1, nil)
		if err != nil {
			return nil, err
		}
		out[i] = woken > 0
	}
	return out, nil
}

// endsThreads has threads end again and again for which the kernel wakes who waits at the word of a bit that is set.
func endsThreads(path string, bits []bool) error {
	page, err := words(path)
	if err != nil {
		return err
	}
	go func() {
		for {
			for i, set := range bits {
				if set {
					done := make(chan bool)
					go func() {
						runtime.LockOSThread() // the thread ends with the goroutine
						_, _, _ = unix.RawSyscall(unix.SYS_SET_TID_ADDRESS, uintptr(unsafe.Pointer(&page[4*i])), 0, 0)
						done <- true
					}()
					<-done
				}
			}
		}
	}()
	return nil
}

// awaits waits a moment at the word of each bit.
func awaits(path string, n int) ([]bool, error) {
	page, err := words(path)
	if err != nil {
		return nil, err
	}
	out := make([]bool, n)
	for i := range out {
		timeout, err := unix.NsecToTimespec((50 * time.Millisecond).Nanoseconds()), error(unix.EINTR)
		for err == unix.EINTR {
			_, err = futex(&page[4*i], futexWait, 0, &timeout)
		}
		out[i] = err == nil
	}
	return out, nil
}

// slotTime is how long a bit lasts that processes tell by what they do and not by what they leave.
const slotTime = 20 * time.Millisecond

// eachSlot calls do in n periods that processes which begin within two seconds have in common.
func eachSlot(n int, do func(i int, end time.Time)) {
	runtime.LockOSThread()
	start := time.Now().Truncate(4 * time.Second).Add(4 * time.Second)
	for i := range n {
		time.Sleep(time.Until(start.Add(time.Duration(i) * slotTime)))
		do(i, start.Add(time.Duration(i+1)*slotTime))
	}
}

func pin(cpus ...int) {
	var set unix.CPUSet
	for _, each := range cpus {
		set.Set(each)
	}
	_ = unix.SchedSetaffinity(0, &set)
}

// fillsPipes holds as many pages of pipes as the kernel gives a user, while a bit is set.
func fillsPipes(_ string, bits []bool) error {
	go eachSlot(len(bits), func(i int, end time.Time) {
		for k := 0; k < 80 && bits[i]; k++ {
			if r, w, err := os.Pipe(); err == nil {
				_, _ = unix.FcntlInt(r.Fd(), unix.F_SETPIPE_SZ, 1<<20)
				defer r.Close()
				defer w.Close()
			}
		}
		time.Sleep(time.Until(end.Add(-slotTime / 8)))
	})
	return nil
}

// pipesAreSmall asks whether a new pipe gets as many pages as usual.
func pipesAreSmall(_ string, n int) ([]bool, error) {
	out := make([]bool, n)
	eachSlot(n, func(i int, end time.Time) {
		time.Sleep(time.Until(end.Add(-slotTime / 4)))
		if r, w, err := os.Pipe(); err == nil {
			size, _ := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0)
			out[i] = size < 1<<16
			r.Close()
			w.Close()
		}
	})
	return out, nil
}

// sendsFiles has many files in flight through a socket while a bit is set.
func sendsFiles(_ string, bits []bool) error {
	go eachSlot(len(bits), func(i int, end time.Time) {
		for k := 0; k < 4 && bits[i]; k++ {
			closed, _ := flying(250)
			defer closed()
		}
		time.Sleep(time.Until(end.Add(-slotTime / 8)))
	})
	return nil
}

// flying sends a file n times. It is in flight until closed is called.
func flying(n int) (closed func(), err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return func() {}, err
	}
	err = unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(make([]int, n)...), nil, 0)
	return func() { unix.Close(pair[0]); unix.Close(pair[1]) }, err
}

// noMoreFiles asks whether a file can be sent where few may be in flight: as many as this process may have open.
func noMoreFiles(_ string, n int) ([]bool, error) {
	out := make([]bool, n)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 500, Max: 500}); err != nil {
		return nil, err
	}
	eachSlot(n, func(i int, end time.Time) {
		time.Sleep(time.Until(end.Add(-slotTime / 4)))
		closed, err := flying(1)
		out[i] = err == unix.ETOOMANYREFS
		closed()
	})
	return out, nil
}

// occupies keeps the first processor busy while a bit is set.
func occupies(_ string, bits []bool) error {
	go eachSlot(len(bits), func(i int, end time.Time) {
		pin(0)
		for bits[i] && time.Now().Before(end) {
			sink++
		}
	})
	return nil
}

// progresses measures how far a loop on the first processor comes while each bit lasts.
func progresses(_ string, n int) ([]bool, error) {
	done, out := make([]int, n), make([]bool, n)
	eachSlot(n, func(i int, end time.Time) {
		pin(0)
		for time.Now().Before(end.Add(-slotTime / 10)) {
			done[i]++
		}
	})
	sorted := slices.Sorted(slices.Values(done))
	for i := range out {
		out[i] = done[i] < sorted[n/2]
	}
	return out, nil
}

// moves may run on the first processor alone while a bit is set.
func moves(_ string, bits []bool) error {
	go eachSlot(len(bits), func(i int, _ time.Time) {
		if pin(0, 1); bits[i] {
			pin(0)
		}
	})
	return nil
}

// placed asks of the processes and threads with numbers near its own whether one may run on the first processor alone.
func placed(_ string, n int) ([]bool, error) {
	out := make([]bool, n)
	eachSlot(n, func(i int, end time.Time) {
		time.Sleep(slotTime / 4)
		for id := os.Getpid() - 60; id < os.Getpid(); id++ {
			var set unix.CPUSet
			if unix.SchedGetaffinity(id, &set) == nil && set.Count() == 1 {
				out[i] = true
			}
		}
	})
	return out, nil
}
