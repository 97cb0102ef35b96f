//go:build unix

package external

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup ends a process and everything in its group; of a group that is also ours it ends the
// process and what descends from it.
func killGroup(c *exec.Cmd, shared bool) {
	if !shared {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // gone already is as good
		return
	}
	for _, pid := range append(descendants(c.Process.Pid), c.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(c *exec.Cmd) string {
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}

// usedByEnded returns the processor time in seconds of a process that was waited for and of those that it waited for.
func usedByEnded(c *exec.Cmd) float64 {
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}
