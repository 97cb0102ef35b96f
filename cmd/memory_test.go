package cmd

import (
	"runtime/debug"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestPlannedMemory: the memory that a dry run shows is what --memory must allow.
func TestPlannedMemory(t *testing.T) {
	var r planRow
	for _, c := range []*plan.Cell{{Memory: 3, SetBytes: 2}, {Memory: 4}} {
		r.addCell(c, plan.NewForecast(nil))
	}
	must.Be(t, r.memory, 5)
}

func TestCollectWithin(t *testing.T) {
	start := debug.SetMemoryLimit(1 << 40)
	defer debug.SetMemoryLimit(start)
	for _, c := range []struct{ memory, want int64 }{
		{1 << 30, 1<<30 - 40<<20},
		{64 << 20, 32 << 20}, // half at least
		{1 << 41, 1 << 40},   // a lower limit from before
		{0, 1 << 40},         // the machine's memory is not known
	} {
		undo := collectWithin(c.memory)
		must.Be(t, debug.SetMemoryLimit(-1), c.want, "--memory", c.memory)
		undo()
		must.Be(t, debug.SetMemoryLimit(-1), 1<<40, "--memory", c.memory)
	}
}
