package testenv

import (
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Refusing calls f on a thread to which, as to all processes that it starts, the kernel refuses a system call where its
// second argument has a value.
func Refusing(t *testing.T, call, value uint32, f func()) {
	t.Helper()
	const second = 24 // its offset in the kernel's struct seccomp_data
	load, equal, end := uint16(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS), uint16(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K),
		uint16(unix.BPF_RET|unix.BPF_K)
	filter := []unix.SockFilter{
		{Code: load}, {Code: equal, K: call, Jf: 3}, {Code: load, K: second}, {Code: equal, K: value, Jf: 1},
		{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EINVAL)}, {Code: end, K: unix.SECCOMP_RET_ALLOW},
	}
	done := make(chan error)
	go func() {
		defer close(done) // where f ends this goroutine, too
		runtime.LockOSThread()
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
		}
		if err != nil {
			done <- err
			return
		}
		f()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
