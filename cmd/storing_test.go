package cmd_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
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

// TestSIGTERMEndsSoon also where a cell would go on for hours.
func TestSIGTERMEndsSoon(t *testing.T) {
	p := newProcess(t)
	c, stderr := longRun(t, p)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return cellsStored(p) > 0 })
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, c); code != 130 {
		t.Errorf("exit %d, want 130\n%s", code, stderr)
	}
}

// TestAClosedTerminalOrPipeIsAFirstInterrupt: running cells finish and are stored.
func TestAClosedTerminalOrPipeIsAFirstInterrupt(t *testing.T) {
	// Under nohup this process ignores SIGHUP, and so would those that it starts.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for name, end := range map[string]func(c *exec.Cmd, reader *os.File) error{
		"SIGHUP": func(c *exec.Cmd, _ *os.File) error { return c.Process.Signal(syscall.SIGHUP) },
		"a closed pipe": func(c *exec.Cmd, reader *os.File) error {
			return errors.Join(reader.Close(), c.Process.Signal(syscall.SIGPIPE))
		},
	} {
		p := newProcess(t)
		c, _ := p.work(t, families, 20, 1) // far more than is done by the time of the signal
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		c.Stderr = writer
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_ = writer.Close()
		waitFor(t, func() bool { return cellsStored(p) > 0 })
		if err := end(c, reader); err != nil {
			t.Fatal(err)
		}
		if code := exitCode(t, c); code != 130 {
			t.Errorf("after %s: exit %d with %d cells stored, want 130", name, code, cellsStored(p))
		}
		_ = reader.Close()
		if c, stderr := p.work(t, "CART,GBRFF2", 1, 2); c.Run() != nil {
			t.Errorf("after %s the continuation failed: %s", name, stderr)
		}
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
