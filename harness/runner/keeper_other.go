//go:build !linux

package runner

import (
	"errors"
	"os/exec"
)

// CanIsolate says that worker processes are possible on this system.
const CanIsolate = false

func keeperCommand() *exec.Cmd { return &exec.Cmd{Err: errors.ErrUnsupported} }

// RunKeeper needs Linux.
func RunKeeper([]string, int64) error { return errors.ErrUnsupported }
