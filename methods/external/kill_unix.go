//go:build unix

package external

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// killGroup ends a process and everything in its group.
func killGroup(pid int) {
	if pid <= 1 {
		return // no plugin's, and -1 stands for every process
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // gone already is as good
}

// openRegular opens a file to read if it is one.
func openRegular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, errors.New("it is no regular file"))
	}
	return f, nil
}

// signalOf returns the name of the signal that ended a process, or "".
func signalOf(c *exec.Cmd) string {
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
