package cmd_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// longRun begins a run with a cell that would take hours and one that is soon stored.
func longRun(t *testing.T, p process) (*exec.Cmd, *screen) {
	t.Helper()
	p.protocol(t, "long.toml", `splits = 1
datasets = ["board"]
[semantics]
test_fraction = 0.3
folds = 5
method_seed = 1
standardise = true
[methods.GBRFF2]
params = { rounds = 2000000 }
`)
	return p.command("run", "--methods", "GBRFF2,CART", "--datasets", "board", "--protocol", "long.toml", "--jobs", "2", "--max-cell", "0")
}

// exitCode waits for the program, which must end by itself.
func exitCode(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		return 0
	case <-time.After(patience):
		_ = c.Process.Kill()
		t.Fatal("the program did not end")
		return -1
	}
}

// TestALockedDatabaseLosesNothing: another program holds the database while cells
// finish, for longer than SQLite waits.
func TestALockedDatabaseLosesNothing(t *testing.T) {
	p := newProcess(t)
	if c, stderr := p.work(t, "CART", 1, 2); c.Run() != nil {
		t.Fatal(stderr)
	}
	release := holdDatabase(t, filepath.Join(p.dir, "results.db"))
	c, stderr := p.work(t, "CART", 20, 2)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(stderr.String(), "another program holds it") })
	release()
	if code := exitCode(t, c); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if n := cellsStored(p); n != 60 {
		t.Errorf("%d of 60 cells are stored\n%s", n, stderr.String())
	}
}

// TestGivingUpSaysWhatIsLost: three interrupts while the database stays locked.
func TestGivingUpSaysWhatIsLost(t *testing.T) {
	p := newProcess(t)
	if c, stderr := p.command("run", "--methods", "CART", "--datasets", "board", "--splits", "1"); c.Run() != nil {
		t.Fatal(stderr)
	}
	c, stderr := p.command("run", "--methods", "CART", "--datasets", "board", "--splits", "3")
	release := holdDatabase(t, filepath.Join(p.dir, "results.db"))
	defer release()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"results wait in memory", "stopping: running cells finish", "not stored yet: 2 finished results, interrupt again to give up"} {
		waitFor(t, func() bool { return strings.Contains(stderr.String(), says) })
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if code := exitCode(t, c); code != 130 && code != 3 {
		t.Errorf("exit %d, want 130 or 3", code)
	}
	for _, want := range []string{"2 finished results are lost: CART on board, split", "complete 1/3"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, stderr.String())
		}
	}
	if n := cellsStored(p); n != 1 {
		t.Errorf("%d cells are stored", n)
	}
}

// holdDatabase locks a database as another program would.
func holdDatabase(t *testing.T, path string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err == nil {
		_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		_, _ = conn.ExecContext(context.Background(), "ROLLBACK")
		_ = conn.Close()
		_ = db.Close()
	})
}
