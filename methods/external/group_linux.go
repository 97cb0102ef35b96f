package external

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// firstThread reports whether the caller runs on the first thread of the program.
func firstThread() bool { return syscall.Gettid() == os.Getpid() }

// limitData bounds the data segment of a process and of the processes that it will start.
func limitData(pid int, most int64) {
	if most > 0 {
		// a process that has ended needs no limit
		_ = unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: uint64(most), Max: uint64(most)}, nil)
	}
}

// apart puts a process into a process group of its own. It does not ask the system to end the process with
// the thread that starts it: this thread is bound by the sandbox and must end before the process can signal
// it. The process ends with this program by its keeper or by the end of its input.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
