package external

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// firstThread reports whether the caller is on the program's first thread.
func firstThread() bool { return syscall.Gettid() == os.Getpid() }

// limitData bounds the data of a process and of those that it will start.
func limitData(pid int, most int64) {
	if most > 0 {
		_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(most), Max: uint64(most)}, nil) // one that has ended needs none
	}
}

// apart puts a process into a group of its own. It is not asked to end with the thread that starts it, which is bound as it is
// and has to be gone before the process can signal it; its keeper, or the end of its input, ends it with this program.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
