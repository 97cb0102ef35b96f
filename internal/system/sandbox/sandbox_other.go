//go:build !linux

package sandbox

import "runtime"

// Missing says what this system cannot enforce of a Policy.
func Missing() string {
	return "files, the network and other processes are not out of a plugin's reach: only Linux has what enforces that"
}

// Name says what enforces policies here, for the record of an environment.
func Name() string { return "none (" + runtime.GOOS + ")" }

// Rules are a Policy as the system takes it: nothing, here.
type Rules struct{}

// Rules makes the rules of a policy.
func (p Policy) Rules() (*Rules, error) { return &Rules{}, nil }

// Close lets go of the rules.
func (r *Rules) Close() {}

// BindThread does nothing here.
func (r *Rules) BindThread() error { return nil }

// BindProcess does nothing here.
func (r *Rules) BindProcess() error { return nil }
