//go:build !unix

package external

import (
	"os"
	"os/exec"
)

func apart(*exec.Cmd) {}

func killTree(pid int) { killGroup(pid) }

// killGroup ends a process.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// withoutWaiting is nothing where no pipe has a name.
const withoutWaiting = 0

func signalOf(*exec.Cmd) string { return "" }

// limitData does nothing here.
func limitData(int, int64) {}

// firstThread is of no matter where nothing binds threads.
func firstThread() bool { return false }
