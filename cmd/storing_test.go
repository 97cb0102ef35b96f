package cmd_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
// finish, for longer than SQLite waits. A run that begins then waits.
func TestALockedDatabaseLosesNothing(t *testing.T) {
	p := newProcess(t)
	c, stderr, open := underWay(t, p)
	release := holdDatabase(t, filepath.Join(p.dir, "results.db"))
	next, says := p.command("run", "--methods", "CART", "--datasets", "board", "--splits", "1")
	begin(t, next)
	waitFor(t, func() bool { return strings.Contains(says.String(), "waiting: ") })
	open()
	waitFor(t, func() bool { return strings.Contains(stderr.String(), "another program holds it") })
	release()
	if code := exitCode(t, next); code != 0 {
		t.Errorf("a run that began meanwhile: exit %d: %s", code, says)
	}
	if code := exitCode(t, c); code != 3 { // the plugin failed
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if n := cellsStored(p); n != 7 {
		t.Errorf("%d of 7 cells are stored\n%s", n, stderr.String())
	}
}

// TestGivingUpSaysWhatIsLost: three interrupts while the database stays locked.
func TestGivingUpSaysWhatIsLost(t *testing.T) {
	p := newProcess(t)
	c, stderr, open := underWay(t, p)
	release := holdDatabase(t, filepath.Join(p.dir, "results.db"))
	defer release()
	before := cellsStored(p)
	open()
	for _, says := range []string{"results wait in memory", "stopping: running cells finish", ", interrupt again to give up"} {
		waitFor(t, func() bool { return strings.Contains(stderr.String(), says) })
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if code := exitCode(t, c); code != 130 && code != 3 {
		t.Errorf("exit %d, want 130 or 3", code)
	}
	if want := regexp.MustCompile(`complete \d/6(.|\n)*\d finished results are lost: .*StumpBoost on swiss, split`); !want.MatchString(stderr.String()) {
		t.Errorf("standard error lacks %q:\n%s", want, stderr.String())
	}
	if n := cellsStored(p); n != before {
		t.Errorf("%d cells are stored, and %d were", n, before)
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
