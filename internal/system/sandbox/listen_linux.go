package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/kernelboosting/bench/internal/system/processes"
	"golang.org/x/sys/unix"
)

// listens returns why the kernel does not let this process listen to a filter, nil if it does. Another program may
// listen already, Linux before 5.0 knows no listeners, and Linux before 5.5 cannot let a call go on: a process would
// never end. So a thread that ends asks once.
var listens = sync.OnceValue(func() error {
	out := make(chan error)
	go func() {
		runtime.LockOSThread()
		_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		listener, err := filter(false, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
		if err != nil || listener == 0 {
			out <- cmp.Or(err, errors.New("no filter of system calls works here"))
			return
		}
		go func() {
			defer unix.Close(listener) // which ends a call that got no answer
			code := unix.ENOENT
			for code == unix.ENOENT { // a signal came, and the call begins again
				code = answer(listener, nil)
			}
			if err = nil; code != 0 {
				err = code
			}
			out <- err
		}()
		_, _, _ = unix.Syscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), 0, 0, 8, 0, 0)
	}()
	return <-out
})

// Counts reports whether the time and memory of all processes in a sandbox count, of those that have ended, too.
func Counts() bool { return listens() == nil }

// A notification is a system call for which the kernel asks a listener: linux/seccomp.h.
type notification struct {
	ID            uint64
	Thread, Flags uint32
	Call, Arch    uint32
	From          uint64
	Arguments     [6]uint64
}

type reply struct {
	ID, Value    uint64
	Error, Flags uint32
}

// An action is what a process does at a signal.
type action struct{ Handler, Flags, Restorer, Mask uint64 }

// What says that children are forgotten: a handler and a flag.
const (
	ignore     = 1 // SIG_IGN
	noChildren = 2 // SA_NOCLDWAIT
)

// listen answers for a filter until nobody has the filter any more. ended gets the largest resident size of each
// process that ends itself, in bytes. Without a listener the calls fail, so that none waits for ever.
func listen(listener int, ended func(peak int64)) {
	defer unix.Close(listener)
	for code := unix.ENOENT; code == 0 || code == unix.ENOENT; { // no such call any more
		code = answer(listener, ended)
	}
}

func answer(listener int, ended func(peak int64)) unix.Errno {
	var n notification
	if code := ask(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); code != 0 {
		return code
	}
	r := reply{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if n.Call == unix.SYS_EXIT_GROUP {
		ended(peakOf(int(n.Thread)))
	} else if n.losesChildren(listener) {
		r.Flags = 0
	}
	return ask(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

// outside is the folder /proc of the machine, 0 where the sandbox has its own.
var outside int

// peakOf is the largest resident size of a thread's process. /proc of the machine has other numbers of processes; it
// says which one an open process has.
func peakOf(thread int) int64 {
	if outside == 0 {
		return processes.PeakOf(thread)
	}
	fd, err := unix.PidfdOpen(thread, unix.PIDFD_THREAD)
	if err == unix.EINVAL { // Linux before 6.9 opens no other threads than first ones
		fd, err = unix.PidfdOpen(thread, 0)
	}
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	id := processes.NumbersAt(outside, fmt.Sprintf("self/fdinfo/%d", fd))["Pid:"]
	return processes.NumbersAt(outside, fmt.Sprintf("%d/status", id))["VmHWM:"] << 10
}

// ask makes a request of the kernel about the listener, again if a signal interrupted it: a process whose system call
// gets no answer would wait for ever.
func ask(listener int, what uint, about unsafe.Pointer) unix.Errno {
	for {
		_, _, code := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), uintptr(what), uintptr(about))
		if code != unix.EINTR {
			return code
		}
	}
}

// losesChildren reports whether a process asks the kernel to forget its children when they end. Their time would be
// counted nowhere. So the call does nothing and succeeds, and the action before it is said to be the default. What
// another thread writes while the kernel reads is not seen here.
func (n *notification) losesChildren(listener int) bool {
	const size = int(unsafe.Sizeof(action{}))
	var is, was action
	at := func(a *action, argument int) ([]unix.Iovec, []unix.RemoteIovec) {
		return []unix.Iovec{{Base: (*byte)(unsafe.Pointer(a)), Len: uint64(size)}},
			[]unix.RemoteIovec{{Base: uintptr(n.Arguments[argument]), Len: size}}
	}
	if n.Arguments[1] == 0 { // it asks for the action
		return false
	}
	here, there := at(&is, 1)
	if got, err := unix.ProcessVMReadv(int(n.Thread), here, there, 0); err == nil && got == size &&
		is.Handler != ignore && is.Flags&noChildren == 0 {
		return false
	}
	// The number of a thread that was ended may be another's by now.
	if n.Arguments[2] != 0 && ask(listener, unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.ID)) == 0 {
		here, there = at(&was, 2)
		_, _ = unix.ProcessVMWritev(int(n.Thread), here, there, 0)
	}
	return true
}
