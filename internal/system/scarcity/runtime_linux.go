package scarcity

// extern char scarcity_said[1024];
import "C"

import (
	"syscall"
	"unsafe"
)

// write is called by the runtime for each piece of what it prints. It has a value before the runtime starts threads.
//
//go:linkname write runtime.overrideWrite
var write = filter

// passing makes filter let everything through; pending is whether [opening] was not printed yet.
var passing, pending bool

// opening begins the runtime's last words. What follows says why.
const opening = "fatal error: "

const (
	noThread = "bench: the system refuses a further thread; raise the limit of processes (ulimit -u) " +
		"or of address space (ulimit -v)\n"
	noMemory = "bench: the system refuses further memory; raise the limit of address space (ulimit -v) or ask for " +
		"less\n"
	noFile = "bench: the system refuses further file descriptors; raise their limit (ulimit -n)\n"
)

// Dump lets the runtime print what it will, for a process whose last words another process reads.
func Dump() { passing = true }

// filter lets through what the runtime prints, unless the system refused it something. It runs where the runtime may
// be in any state: it allocates nothing and takes no lock.
//
//go:nosplit
//go:norace
func filter(fd uintptr, p unsafe.Pointer, n int32) int32 {
	text := unsafe.String((*byte)(p), int(n))
	switch {
	case passing || fd != 2:
	case text == opening:
		pending = true
		return n
	case holds(text, "out of memory"), holds(text, "cannot allocate memory"), holds(text, "cannot map pages"):
		end(noMemory)
	case holds(text, "failed to create new OS thread"):
		end(noThread)
	case holds(text, "epollcreate failed"), holds(text, "eventfd failed"):
		end(noFile)
	case holds(text, "SIGABRT") && // by C, which has said why
		holds(unsafe.String((*byte)(unsafe.Pointer(&C.scarcity_said)), len(C.scarcity_said)), "pthread_create failed"):
		end(noThread)
	}
	if pending {
		pending = false
		put(fd, opening)
	}
	return put(fd, text)
}

//go:nosplit
//go:norace
func holds(text, part string) bool {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			return true
		}
	}
	return false
}

//go:nosplit
//go:norace
func end(line string) {
	put(2, line)
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, ExitCode, 0, 0)
}

//go:nosplit
//go:norace
func put(fd uintptr, text string) int32 {
	from := uintptr(unsafe.Pointer(unsafe.StringData(text)))
	n, _, _ := syscall.RawSyscall(syscall.SYS_WRITE, fd, from, uintptr(len(text)))
	return int32(n)
}
