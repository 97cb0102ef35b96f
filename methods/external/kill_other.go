//go:build !unix

package external

import (
	"os"
	"os/exec"
	"syscall"
)

func apart(*exec.Cmd) {}

func killTree(pid int) { killGroup(pid) }

// killGroup ends a process.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// withoutWaiting has no effect on a system without named pipes.
const withoutWaiting = 0

func signalOf(syscall.WaitStatus) string { return "" }
