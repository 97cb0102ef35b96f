//go:build unix && !linux

package external

import (
	"os/exec"
	"syscall"
)

// apart puts a process into a group of its own.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// limitData does nothing here.
func limitData(int, int64) {}

// firstThread does not matter where no sandbox binds threads.
func firstThread() bool { return false }
