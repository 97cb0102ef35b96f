//go:build unix

package external

import (
	"os/exec"
	"syscall"

	"github.com/kernelboosting/bench/internal/system/processes"
	"golang.org/x/sys/unix"
)

// killTree ends a process, everything below it, and everything in its group, whatever groups it and what it started are in by now.
func killTree(pid int) {
	if pid > 1 {
		processes.EndTree(pid)
		killGroup(pid)
	}
}

// killGroup ends a process and everything in its group.
func killGroup(pid int) {
	if pid <= 1 {
		return // no plugin's, and -1 stands for every process
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // gone already is as good
}

// withoutWaiting opens a pipe at once, also where nobody has its other end.
const withoutWaiting = unix.O_NONBLOCK

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(c *exec.Cmd) string {
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
