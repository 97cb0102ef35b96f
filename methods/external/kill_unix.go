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

// withoutWaiting opens a pipe at once, even if its other end is not open.
const withoutWaiting = unix.O_NONBLOCK

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(c *exec.Cmd) string {
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
