//go:build !unix

package external

import "os/exec"

func apart(*exec.Cmd, bool) {}

func killGroup(c *exec.Cmd, _ bool) { _ = c.Process.Kill() }

func signalOf(*exec.Cmd) string { return "" }

func usedByEnded(c *exec.Cmd) float64 {
	return (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
}
