package cmd_test

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestASecondRun: while a run is under way, another one with the same cells is refused in one line that says what to
// do, and one without them runs beside it. The cell that a killed run was at is run in a process of its own.
func TestASecondRun(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.copy(t, "long.toml")
	run := []string{"run", "--methods", "GBRFF2,CART", "--datasets", "board", "--protocol", "long.toml", "--jobs", "2",
		"--max-cell", "0"}
	first := p.begin(t, append(run, "--listen", "127.0.0.1:0")...)
	waitFor(t, func() bool { return p.cellsStored() > 0 })
	text := p.command(t, run...).ends(2).said.String()
	must.Hold(t, text, "bench: 1 of these cells is of the run of ",
		", which is under way on results.db: add a worker to it: `bench worker 'nats://127.0.0.1:")
	must.Be(t, strings.Count(text, "\n"), 1, "it says")
	p.work(t, "CART", 1, 1).ends(0)
	first.kill()
	again := p.begin(t, run...)
	again.said.awaits(t, "is run in a process of its own: GBRFF2 on board, split 1")
	again.kill()
}
