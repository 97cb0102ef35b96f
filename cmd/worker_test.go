package cmd_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// awaits waits until a process has written a text, and returns what follows it in its line.
func awaits(t *testing.T, s *screen, text string) string {
	t.Helper()
	for {
		if _, rest, found := strings.Cut(s.String(), text); found && strings.Contains(rest, "\n") {
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("%q was not written: %s", text, s)
		}
	}
}

func begin(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
}

// TestWorkers: the coordinator runs no cell itself. One worker is killed, a second worker is told to end, and a third worker comes. The database
// has the same content, bit for bit, as that of one process.
func TestWorkers(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	alone, p := newProcess(t), newProcess(t)
	whole, said := alone.work(t, families, 1, 2)
	if err := whole.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	run, told := p.work(t, families, 1, 0)
	run.Args = append(run.Args, "--listen", "127.0.0.1:0", "--lost", "15s")
	begin(t, run)
	at := strings.Trim(awaits(t, told, "workers: bench worker "), "'")
	worker := func() (*exec.Cmd, *screen) {
		w := newProcess(t)
		c, said := w.command("worker", at, "--jobs", "1")
		begin(t, c)
		return c, said
	}
	killed, _ := worker()
	stopped, _ := worker()
	awaits(t, told, "has come")
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	last, lastSaid := worker()
	if err := stopped.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = stopped.Wait() // killed by the signal, if the worker had not begun
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	if err := last.Wait(); err != nil {
		t.Errorf("the worker did not end with its run: %v: %s", err, lastSaid)
	}
	if got, want := p.storedContent(t), alone.storedContent(t); got != want {
		t.Errorf("with workers other results are stored:\n%s\nthan by one process:\n%s", got, want)
	}
	diff, differs := p.command("diff", filepath.Join(alone.dir, "results.db"), "results.db")
	if err := diff.Run(); err != nil {
		t.Errorf("%v: %s", err, differs)
	}
}
