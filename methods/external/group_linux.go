package external

import (
	"os"
	"os/exec"
	"syscall"
)

// firstThread reports whether the caller is on the program's first thread.
func firstThread() bool { return syscall.Gettid() == os.Getpid() }

// apart puts a process into a group of its own. It is not asked to end with the thread that starts it, which is bound as it is
// and has to be gone before the process can signal it; its keeper, or the end of its input, ends it with this program.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
