package sandbox

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data, of the number of a system call, of the architecture, and of the lower half of the first argument.
const (
	atNumber   = 0
	atArch     = 4
	atArgument = 16
)

// refused are the system calls by which a process could leave something behind for the next one, or act past Landlock:
// memory, messages and keys that the kernel keeps when their process ends, calls that a ring hides from this filter, and
// the watching of other processes.
var refused = []uint32{
	unix.SYS_SHMGET, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_IO_URING_SETUP, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_SETNS, unix.SYS_CLONE3, // which hides its flags; libraries then take clone
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
}

// ignored are calls that change what Landlock does not guard, the rights, owners and times of files that can be named. They do nothing
// and succeed: who copies a file wants its contents.
var ignored = append([]uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
}, ignoredHere...)

// A guarded call is refused where an argument is set: the number of a process, which is 0 for the caller's own, or a flag.
type guarded struct {
	call     uint32
	argument uint32 // from 0
	flag     uint32 // 0 for any value but 0
}

// others are calls by which a process sets limits, priorities and places of others, or gets further rights in a space of its own.
var others = []guarded{
	{unix.SYS_SETPRIORITY, 1, 0}, {unix.SYS_IOPRIO_SET, 1, 0}, {unix.SYS_SCHED_SETSCHEDULER, 0, 0}, {unix.SYS_SCHED_SETPARAM, 0, 0},
	{unix.SYS_SCHED_SETAFFINITY, 0, 0}, {unix.SYS_SCHED_SETATTR, 0, 0}, {unix.SYS_PRLIMIT64, 0, 0},
	{unix.SYS_CLONE, 0, unix.CLONE_NEWUSER}, {unix.SYS_UNSHARE, 0, unix.CLONE_NEWUSER},
}

// arch is what the kernel calls the architecture that this program is built for, 0 where this filter does not know it.
var arch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// program returns the filter: a refused call fails as one that the kernel does not have, a socket as one that is not permitted.
// Sockets of pairs stay, which processes use among themselves. With the network sockets of the internet stay, too.
func program(network bool) []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	// when skips the next instruction unless what is loaded equals k.
	when := func(k uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jf: 1}
	}
	end := func(k uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
	}
	const failing = unix.SECCOMP_RET_ERRNO
	out := []unix.SockFilter{
		load(atArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: arch, Jt: 1},
		end(failing | uint32(unix.ENOSYS)), // calls of another architecture have other numbers
		load(atNumber),
	}
	if runtime.GOARCH == "amd64" { // the same for the 32-bit numbers of this one
		out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: 0x40000000, Jf: 1}, end(failing|uint32(unix.ENOSYS)))
	}
	for _, number := range refused {
		out = append(out, when(number), end(failing|uint32(unix.ENOSYS)))
	}
	for _, number := range ignored {
		out = append(out, when(number), end(failing))
	}
	for _, g := range others { // five instructions, or none but the first
		test := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jt: 1}
		if g.flag != 0 {
			test = unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: g.flag, Jf: 1}
		}
		out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: g.call, Jf: 4},
			load(atArgument+8*g.argument), test, end(failing|uint32(unix.EPERM)), load(atNumber))
	}
	var families []uint32
	if network {
		families = []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	}
	// Where the call is not socket, skip the load, a pair for each family, and the refusal.
	out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET, Jf: uint8(2*len(families) + 2)}, load(atArgument))
	for _, family := range families {
		out = append(out, when(family), end(unix.SECCOMP_RET_ALLOW))
	}
	return append(out, end(failing|uint32(unix.EACCES)), end(unix.SECCOMP_RET_ALLOW))
}

// filters reports whether this kernel refuses system calls by a filter, and this package knows its architecture.
var filters = sync.OnceValue(func() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, code := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return arch != 0 && code == 0
})

// filter binds the caller's thread, or all threads, by the filter.
func filter(network bool, flags uintptr) error {
	if !filters() { // Missing says so
		return nil
	}
	return install(program(network), flags)
}

// install has the kernel check and obey a filter.
func install(instructions []unix.SockFilter, flags uintptr) error {
	set := unix.SockFprog{Len: uint16(len(instructions)), Filter: &instructions[0]}
	thread, _, code := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&set)))
	runtime.KeepAlive(instructions)
	if code != 0 {
		return fmt.Errorf("sandbox: system calls cannot be filtered: %w", code)
	}
	if thread != 0 { // the kernel names one that has a filter which this one does not follow
		return fmt.Errorf("sandbox: system calls of thread %d cannot be filtered", thread)
	}
	return nil
}
