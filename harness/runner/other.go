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

// Started needs Linux.
func Started() bool { return false }

func closeOnExec(...int) {}

func limitSelf(int64) {}

func childrenUse() childUse { return childUse{} }

func leftBehind() bool { return false }

// cpuTime is unknown where the system has no clock per thread.
type cpuTime struct{}

func threadCPU() cpuTime { return cpuTime{} }

func (cpuTime) since(cpuTime) (float64, bool) { return 0, false }

func peakRSS() (int64, bool) { return 0, false }
