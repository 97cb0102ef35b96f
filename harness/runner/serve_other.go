//go:build !linux

package runner

import "github.com/kernelboosting/bench/internal/processes"

func closeOnExec(...int) {}

// Started needs Linux.
func Started() bool { return false }

func limitSelf(int64) {}

func childrenUse() processes.Usage { return processes.Usage{} }
