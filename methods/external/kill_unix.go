//go:build unix

package external

import (
	"os/exec"
	"syscall"

	"github.com/kernelboosting/bench/internal/system/processes"
	"golang.org/x/sys/unix"
)

// killTree ends a process, all processes below it, and all processes of its group, whatever groups they are
// in by now.
func killTree(pid int) {
	if pid > 1 {
		processes.EndTree(pid)
		killGroup(pid)
	}
}

// killGroup ends a process and all processes of its group.
func killGroup(pid int) {
	if pid <= 1 {
		return // no plugin has this number, and -1 means every process
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // a group that is gone needs no signal
}

// apart puts a process into a process group of its own. It does not ask the system to end the process with the thread
// that starts it: the process ends with this program by its keeper or by the end of its input.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// withoutWaiting opens a pipe at once, even if its other end is not open.
const withoutWaiting = unix.O_NONBLOCK

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(status syscall.WaitStatus) string {
	if status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
