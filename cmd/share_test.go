package cmd_test

import (
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestTwoRunsShareTheWork: two runs of everything on one database compute each cell once, and both
// end with the whole.
func TestTwoRunsShareTheWork(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	want, _ := undisturbed(t)
	p := newProcess(t)
	first, out1 := p.work(t, families, 2, 1)
	second, out2 := p.work(t, families, 2, 1)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	if a, b := exitCode(t, first), exitCode(t, second); a != 0 || b != 0 {
		t.Fatalf("exit %d and %d\n%s\n%s", a, b, out1, out2)
	}
	if got := p.storedContent(t); got != want {
		t.Errorf("together they stored\n%s\nwant\n%s", got, want)
	}
	byOthers := 0
	for _, out := range []*screen{out1, out2} {
		text := out.String()
		if !strings.Contains(text, "complete 74/74") {
			t.Errorf("no summary:\n%s", text)
		}
		if strings.Contains(text, "by another run") {
			byOthers++
		}
	}
	t.Logf("%d of the runs left cells to the other", byOthers)
}

// TestACellOfADeadRunIsTakenUp: what a killed run was at is free at once, and what a living one is at
// is waited for.
func TestACellOfADeadRunIsTakenUp(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	long, _ := longRun(t, p)
	if err := long.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return cellsStored(p) > 0 })
	other, says := longRun(t, p)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		return strings.Contains(says.String(), "waiting for 1 cell that another run is at (process ")
	})
	if err := long.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = long.Wait()
	waitFor(t, func() bool {
		return strings.Contains(says.String(), "is run in a process of its own: GBRFF2 on board, split 1")
	})
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
}
