package external

import (
	"os/exec"
	"syscall"
)

// apart puts a process into a group of its own unless it must stay in ours, and ends it when this
// program dies in a way that lets it end nothing itself.
func apart(c *exec.Cmd, shared bool) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: !shared, Pdeathsig: syscall.SIGKILL}
}
