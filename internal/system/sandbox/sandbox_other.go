//go:build !linux

package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Missing says what this system cannot enforce of a Policy.
func Missing() string {
	return "files, the network and other processes are not out of a plugin's reach: only Linux has what enforces that"
}

// Weaker says what is not counted.
func Weaker() string {
	return "time and memory of plugins are not counted, whose processes could hide both"
}

// Counts reports that processes which have ended do not all count.
func Counts() bool { return false }

// Name says what enforces policies here, for the record of an environment.
func Name() string { return "none (" + runtime.GOOS + ")" }

// Rules are a Policy as the system takes it: nothing, here.
type Rules struct{}

// Rules makes the rules of a policy.
func (p Policy) Rules() (*Rules, error) { return &Rules{}, nil }

// Close lets go of the rules.
func (r *Rules) Close() {}

// A Process is a command.
type Process struct {
	*exec.Cmd
	ID int
}

// Start starts a command.
func Start(c *exec.Cmd, _ Policy) (*Process, error) {
	if err := c.Start(); err != nil {
		return nil, err
	}
	return &Process{c, c.Process.Pid}, nil
}

// Largest knows no size.
func (p *Process) Largest() int64 { return 0 }

// Wait waits for the end of the command and returns how it ended.
func (p *Process) Wait() syscall.WaitStatus {
	_ = p.Cmd.Wait()
	status, _ := p.ProcessState.Sys().(syscall.WaitStatus)
	return status
}

// BindProcess does nothing here.
func (r *Rules) BindProcess() error { return nil }
