//go:build !unix

package external

import "os/exec"

func apart(*exec.Cmd) {}

func killGroup(c *exec.Cmd) { _ = c.Process.Kill() }

func signalOf(*exec.Cmd) string { return "" }
