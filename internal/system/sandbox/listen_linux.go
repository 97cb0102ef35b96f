package sandbox

import (
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/kernelboosting/bench/internal/system/processes"
)

// listens returns why the kernel does not let this process listen to a filter, nil if it does: another program may
// listen already. It tries with a thread that ends.
var listens = sync.OnceValue(func() error {
	out := make(chan error)
	go func() {
		runtime.LockOSThread()
		out <- listened()
	}()
	return <-out
})

// listened gives this thread a filter that has a listener and allows all.
func listened() error {
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	all := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	_, err := install(all, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	return err
}

// A notification is a system call for which the kernel asks a listener: linux/seccomp.h.
type notification struct {
	ID            uint64
	Thread, Flags uint32
	Call, Arch    uint32
	From          uint64
	Arguments     [6]uint64
}

// A reply says what becomes of the call.
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
// process that ends itself, in bytes.
func listen(listener int, ended func(peak int64)) {
	for {
		var n notification
		if code := ask(listener, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); code == unix.EINTR ||
			code == unix.ENOENT { // a signal came, or the thread has ended
			continue
		} else if code != 0 {
			return
		}
		r := reply{ID: n.ID, Flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if n.Call == unix.SYS_EXIT_GROUP {
			ended(processes.PeakOf(int(n.Thread)))
		} else if n.losesChildren() {
			r.Flags = 0
		}
		_ = ask(listener, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
	}
}

func ask(listener int, what uint, about unsafe.Pointer) unix.Errno {
	_, _, code := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), uintptr(what), uintptr(about))
	return code
}

// losesChildren reports whether a process asks the kernel to forget its children when they end. Their time would be
// counted nowhere. So the call does nothing and succeeds, and the action before it is said to be the default. What
// another thread writes while the kernel reads is not seen here.
func (n *notification) losesChildren() bool {
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
	if n.Arguments[2] != 0 {
		here, there = at(&was, 2)
		_, _ = unix.ProcessVMWritev(int(n.Thread), here, there, 0)
	}
	return true
}
