package cmd

import (
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/processes"
)

var memoryUnits = []struct {
	suffix string
	bytes  float64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"B", 1}}

// memoryLimit parses "8GiB"; the default is three quarters of what
// the machine, or the control group that the program is in, has.
func memoryLimit(text string) (int64, error) {
	if text == "" {
		return processes.MemoryBytes() / 4 * 3, nil
	}
	for _, u := range memoryUnits {
		if number, ok := strings.CutSuffix(text, u.suffix); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err == nil && v*u.bytes >= 1 && v*u.bytes < 1<<62 {
				return int64(v * u.bytes), nil
			}
			break
		}
	}
	return 0, usage("--memory %q is not a size of at least one byte; write for example 8GiB or 500MiB", text)
}

// collectWithin makes the garbage collector work before the program outgrows --memory, and returns a function that
// undoes this. GOMEMLIMIT may ask for less.
func collectWithin(memory int64) (undo func()) {
	before := debug.SetMemoryLimit(-1)
	if memory > 0 {
		debug.SetMemoryLimit(min(before, runner.HeapLimit(memory)))
	}
	return func() { debug.SetMemoryLimit(before) }
}
