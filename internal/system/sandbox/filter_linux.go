package sandbox

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in the kernel's struct seccomp_data, of the number of a system call, of the architecture, and of the lower
// half of the first argument.
const (
	atNumber   = 0
	atArch     = 4
	atArgument = 16
)

// refused are the system calls by which a process could leave something behind for the next one, or act past
// Landlock: memory, messages and keys that the kernel keeps when their process ends, values that a signal carries,
// calls that a ring hides from this filter, the watching of other processes and of files that others use, attributes
// of files that can be named, and what shows which pages of a file are in memory or how much is free on a disk.
var refused = append([]uint32{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV,
	unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_INOTIFY_INIT1, unix.SYS_FANOTIFY_INIT,
	unix.SYS_CACHESTAT,
	unix.SYS_IO_URING_SETUP, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PIDFD_GETFD,
	// which hides its flags; libraries then take clone
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_CLONE3,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR,
	unix.SYS_FREMOVEXATTR,
	unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
	unix.SYS_MINCORE, unix.SYS_IO_SETUP, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES, unix.SYS_PROCESS_MADVISE,
	unix.SYS_STATFS, unix.SYS_FSTATFS, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
}, refusedHere...)

// ignored are calls that change what Landlock does not guard, the rights, owners and times of files that can be
// named, and the pages of files that are in memory, and locks of files. They do nothing and succeed: who copies a
// file wants its contents, a hint may be ignored, and who locks a file in its private folder shares it with its own
// processes alone.
var ignored = append([]uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_FADVISE64, unix.SYS_READAHEAD, unix.SYS_FLOCK,
}, ignoredHere...)

// locks are the commands of fcntl that lock parts of a file. They do nothing and succeed, as flock does. What asks
// for the locks of others is refused.
var locks = []uint32{unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_SETLK, unix.F_OFD_SETLKW}

// A guarded call is refused by one of its arguments: where that is set, as the number of a process, which is 0 for the
// caller's own; where one of some flags is; or where it has a value.
type guarded struct {
	call     uint32
	argument uint32 // from 0
	flag     uint32 // one or more; 0 for any value but 0
	value    uint32 // 0 where a flag or any value counts
}

// others are calls by which a process sets limits, priorities and places of others, gets further rights in a space of
// its own, hides its open files in a thread, or leaves something with a file that it may only read: its flags, its
// generation and project, hints of how long what is written lives, leases, locks, the watching of a folder, and which
// of its pages are in memory.
var others = []guarded{
	// a group's, a user's
	{unix.SYS_SETPRIORITY, 1, 0, 0}, {unix.SYS_SETPRIORITY, 0, 0, 0}, {unix.SYS_IOPRIO_SET, 1, 0, 0},
	{unix.SYS_IOPRIO_SET, 0, 2, 0},
	{unix.SYS_SCHED_SETSCHEDULER, 0, 0, 0}, {unix.SYS_SCHED_SETPARAM, 0, 0, 0},
	{unix.SYS_SCHED_SETAFFINITY, 0, 0, 0}, {unix.SYS_SCHED_SETATTR, 0, 0, 0}, {unix.SYS_PRLIMIT64, 0, 0, 0},
	{unix.SYS_CLONE, 0, unix.CLONE_NEWUSER, 0}, {unix.SYS_UNSHARE, 0, unix.CLONE_NEWUSER, 0}, {unix.SYS_UNSHARE, 0,
		unix.CLONE_FILES, 0},
	{unix.SYS_IOCTL, 1, 0, unix.FS_IOC_SETFLAGS}, {unix.SYS_IOCTL, 1, 0, setVersion}, {unix.SYS_IOCTL, 1, 0,
		setVersionOfExt4},
	{unix.SYS_IOCTL, 1, 0, setAttributes}, {unix.SYS_IOCTL, 1, 0, addKey}, {unix.SYS_IOCTL, 1, 0, fiemap},
	{unix.SYS_FCNTL, 1, 0, unix.F_SET_RW_HINT}, {unix.SYS_FCNTL, 1, 0, unix.F_SET_FILE_RW_HINT},
	{unix.SYS_FCNTL, 1, 0, unix.F_SETLEASE}, {unix.SYS_FCNTL, 1, 0, unix.F_NOTIFY},
	{unix.SYS_FCNTL, 1, 0, unix.F_GETLK}, {unix.SYS_FCNTL, 1, 0, unix.F_OFD_GETLK},
	{unix.SYS_PREADV2, 5, unix.RWF_NOWAIT | dontCache, 0},
	{unix.SYS_MADVISE, 2, 0, unix.MADV_COLD}, {unix.SYS_MADVISE, 2, 0, unix.MADV_PAGEOUT},
	{unix.SYS_MADVISE, 2, 0, unix.MADV_MERGEABLE}, // pages of other processes
	{unix.SYS_MBIND, 5, 0, 0},
	{unix.SYS_SOCKETPAIR, 1, unix.SOCK_DGRAM, 0}, // which sends to every socket file
}

// Requests of ioctl as linux/fs.h, linux/fscrypt.h and the sources of ext4 number them.
const (
	setVersion       = 0x40087602 // FS_IOC_SETVERSION
	setVersionOfExt4 = 0x40086604
	setAttributes    = 0x401c5820 // FS_IOC_FSSETXATTR
	addKey           = 0xc0506617 // FS_IOC_ADD_ENCRYPTION_KEY
	fiemap           = 0xc020660b // FS_IOC_FIEMAP
)

const dontCache = 0x80 // RWF_DONTCACHE of linux/fs.h: what is read leaves memory, unless it was there before

// arch is what the kernel calls the architecture that this program is built for, 0 where this filter does not know it.
var arch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// program returns the filter: a refused call fails as one that the kernel does not have, a socket as one that is not
// permitted. Sockets of pairs stay, which processes use among themselves. With the network sockets of the internet
// stay, too. With a listener the kernel asks that at the end of a process, and where a process says what happens at the
// ends of its children.
func program(network, listener bool) []unix.SockFilter {
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
	// where is the end of a call whose argument passes a test.
	where := func(call, argument uint32, test unix.SockFilter, k uint32) []unix.SockFilter {
		return []unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 4},
			load(atArgument + 8*argument), test, end(k), load(atNumber)}
	}
	const failing = unix.SECCOMP_RET_ERRNO
	out := []unix.SockFilter{
		load(atArch),
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: arch, Jt: 1},
		end(failing | uint32(unix.ENOSYS)), // calls of another architecture have other numbers
		load(atNumber),
	}
	if runtime.GOARCH == "amd64" { // the same for the 32-bit numbers of this one
		out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: 0x40000000, Jf: 1},
			end(failing|uint32(unix.ENOSYS)))
	}
	for _, number := range refused {
		out = append(out, when(number), end(failing|uint32(unix.ENOSYS)))
	}
	for _, number := range ignored {
		out = append(out, when(number), end(failing))
	}
	if listener {
		out = append(out, when(unix.SYS_EXIT_GROUP), end(unix.SECCOMP_RET_USER_NOTIF))
		out = append(out, where(unix.SYS_RT_SIGACTION, 0, when(uint32(unix.SIGCHLD)), unix.SECCOMP_RET_USER_NOTIF)...)
	}
	for _, command := range locks {
		out = append(out, where(unix.SYS_FCNTL, 1, when(command), failing)...)
	}
	for _, g := range others {
		test := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jt: 1}
		switch {
		case g.flag != 0:
			test = unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: g.flag, Jf: 1}
		case g.value != 0:
			test = when(g.value)
		}
		out = append(out, where(g.call, g.argument, test, failing|uint32(unix.EPERM))...)
	}
	families := map[bool][]uint32{true: {unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}}[network]
	// Where the call is not socket, skip the load, a pair for each family, and the refusal.
	out = append(out, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET,
		Jf: uint8(2*len(families) + 2)}, load(atArgument))
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

// filter binds the caller's thread, or all threads, by the filter. listener is 0 if the flags ask for none.
func filter(network bool, flags uintptr) (listener int, err error) {
	if !filters() { // Missing says so
		return 0, nil
	}
	return install(program(network, flags&unix.SECCOMP_FILTER_FLAG_NEW_LISTENER != 0), flags)
}

// install has the kernel check and obey a filter.
func install(instructions []unix.SockFilter, flags uintptr) (listener int, err error) {
	set := unix.SockFprog{Len: uint16(len(instructions)), Filter: &instructions[0]}
	number, _, code := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&set)))
	runtime.KeepAlive(instructions)
	if code != 0 {
		return 0, fmt.Errorf("sandbox: system calls cannot be filtered: %w", code)
	}
	if flags&unix.SECCOMP_FILTER_FLAG_NEW_LISTENER == 0 && number != 0 { // that of a thread with another filter
		return 0, fmt.Errorf("sandbox: system calls of thread %d cannot be filtered", number)
	}
	return int(number), nil
}
