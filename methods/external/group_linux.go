package external

import (
	"os/exec"
	"syscall"
)

// apart puts a process into a group of its own, and ends it when this program dies in a way that lets it end nothing itself.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
