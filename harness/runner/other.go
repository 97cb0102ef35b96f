//go:build !linux

package runner

import (
	"errors"
	"os/exec"
	"time"
)

// CanIsolate says that worker processes are possible on this system.
const CanIsolate = false

func keeperCommand() *exec.Cmd { return &exec.Cmd{Err: errors.ErrUnsupported} }

// RunKeeper needs Linux.
func RunKeeper([]string, int64) error { return errors.ErrUnsupported }

// Started needs Linux.
func Started() bool { return false }

func closeOnExec(...int) {}

func limitSelf(int64) {}

func childrenUse() childUse { return childUse{} }

func leftBehind() bool { return false }

func threadCPU() (used time.Duration, known bool) { return 0, false }
