package cmd_test

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestASecondRun: while a run is under way, another one with the same cells is refused in one line that says what to do, and one
// without them runs beside it. The cell that a killed run was at is run in a process of its own.
func TestASecondRun(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	long, _ := longRun(t, p)
	long.Args = append(long.Args, "--listen", "127.0.0.1:0")
	begin(t, long)
	waitFor(t, func() bool { return cellsStored(p) > 0 })
	same, says := longRun(t, p)
	if err := same.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, same); code != 2 {
		t.Errorf("exit %d, want 2: %s", code, says)
	}
	text := says.String()
	for _, want := range []string{"bench: 1 of these cells is of the run of ", ", which is under way on results.db: add a worker to it: `bench worker 'nats://127.0.0.1:"} {
		if !strings.Contains(text, want) || strings.Count(text, "\n") != 1 {
			t.Errorf("it says %q, want %q", text, want)
		}
	}
	if other, says := p.work(t, "CART", 1, 1); other.Run() != nil {
		t.Errorf("a run of other cells: %s", says)
	}
	if err := long.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = long.Wait()
	again, says := longRun(t, p)
	begin(t, again)
	waitFor(t, func() bool {
		return strings.Contains(says.String(), "is run in a process of its own: GBRFF2 on board, split 1")
	})
	if err := again.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = again.Wait()
}
