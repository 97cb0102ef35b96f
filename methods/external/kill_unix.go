//go:build unix

package external

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup ends a process and everything in its group.
func killGroup(c *exec.Cmd) {
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // gone already is as good
}

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(c *exec.Cmd) string {
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
