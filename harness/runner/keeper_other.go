//go:build !linux

package runner

import (
	"errors"
	"os/exec"
)

// CanIsolate says that this system has what worker processes need.
const CanIsolate = false

func keeperCommand() *exec.Cmd { return &exec.Cmd{Err: errors.ErrUnsupported} }

// RunKeeper needs Linux.
func RunKeeper([]string, int64) error { return errors.ErrUnsupported }
