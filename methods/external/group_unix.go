//go:build unix && !linux

package external

import (
	"os/exec"
	"syscall"
)

// apart puts a process into a group of its own unless it must stay in ours.
func apart(c *exec.Cmd, shared bool) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: !shared} }
