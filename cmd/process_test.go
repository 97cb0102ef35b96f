package cmd_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/store"
)

// process is bench as a process of its own, in an empty directory.
type process struct {
	dir string
}

func newProcess(t *testing.T) process { return process{dir: t.TempDir()} }

func (p process) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	c := exec.Command("bench", args...)
	c.Dir = p.dir
	c.Env = append(os.Environ(), "BENCH_DATA="+filepath.Join(p.dir, "data"), "BENCH_MIRROR=")
	var errors bytes.Buffer
	c.Stderr = &errors
	return c, &errors
}

// work is a run of some seconds on the program's own sets.
var work = []string{"run", "--methods", "GBRFF2,CART", "--datasets", "balance,swiss,board", "--splits", "2", "--jobs", "2"}

// storedContent is all that the database holds but timings and environments.
func (p process) storedContent(t *testing.T) string {
	t.Helper()
	db, err := store.OpenReader(context.Background(), filepath.Join(p.dir, "results.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b strings.Builder
	for _, q := range []string{
		`SELECT protocol, method, method_version, dataset, split, status, params, grid_size, n_train, n_test, n_correct, accuracy,
		   cv_accuracy, tn, fp, fn, tp, model_bytes, error, key FROM history ORDER BY key`,
		`SELECT protocol, method, dataset, split, grid_index, params, fold, n_valid, n_correct, tn, fp, fn, tp
		   FROM evaluations ORDER BY protocol, method, dataset, split, grid_index, fold`,
		`SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM fold_counts), (SELECT count(*) FROM grids)`,
		`PRAGMA integrity_check`, `PRAGMA foreign_key_check`,
	} {
		err := db.Query(context.Background(), q, func([]string) error { return nil }, func(row []any) error {
			_, err := fmt.Fprintln(&b, row...)
			return err
		})
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return b.String()
}

// TestKilledAndResumed kills the program without warning at 20 random moments,
// continues it each time, and compares the database with an undisturbed run's.
func TestKilledAndResumed(t *testing.T) {
	undisturbed := newProcess(t)
	start := time.Now()
	if c, stderr := undisturbed.command(work...); c.Run() != nil {
		t.Fatal(stderr)
	}
	whole := time.Since(start)
	want := undisturbed.storedContent(t)

	killed := newProcess(t)
	kills := 0
	for kills < 20 {
		c, stderr := killed.command(work...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		moment := time.Duration(rand.Int64N(int64(whole) / 2))
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()
		select {
		case <-time.After(moment):
			if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			<-done
			kills++
		case err := <-done:
			if err != nil {
				t.Fatalf("a resumed run failed: %v\n%s", err, stderr)
			}
			// Finished before the 20th kill: begin another database.
			if got := killed.storedContent(t); got != want {
				t.Fatalf("after %d kills the database differs from an undisturbed run's", kills)
			}
			killed = newProcess(t)
		}
	}
	if c, stderr := killed.command(work...); c.Run() != nil {
		t.Fatal(stderr)
	}
	if got := killed.storedContent(t); got != want {
		t.Errorf("after 20 kills the database differs from an undisturbed run's:\n%s\nwant\n%s", got, want)
	}
}

// TestInterrupt: the first Ctrl-C stores what is running and exits with 130; the
// same command continues.
func TestInterrupt(t *testing.T) {
	p := newProcess(t)
	c, stderr := p.command(work...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return cellsStored(p) > 0 })
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		t.Fatalf("exit %v, want 130\n%s", err, stderr)
	}
	for _, want := range []string{"stopping: running cells finish and are stored", "not run: the same command continues"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, stderr)
		}
	}
	if c, stderr := p.command(work...); c.Run() != nil {
		t.Errorf("the continuation failed: %s", stderr)
	}
}

// TestSecondInterruptStops a run whose cells would take long.
func TestSecondInterruptStops(t *testing.T) {
	p := newProcess(t)
	c, stderr := longRun(t, p)
	var told synchronised
	c.Stderr = &told
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"1 cells to run", "stopping: running cells finish"} {
		waitFor(t, func() bool { return strings.Contains(told.String(), says) })
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if code := exitCode(t, c); code != 130 {
		t.Errorf("exit %d, want 130\n%s%s", code, stderr, told.String())
	}
}

func cellsStored(p process) int64 {
	db, err := store.OpenReader(context.Background(), filepath.Join(p.dir, "results.db"))
	if err != nil {
		return 0
	}
	defer db.Close()
	var n int64
	_ = db.Query(context.Background(), "SELECT count(*) FROM results", func([]string) error { return nil }, func(r []any) error {
		n = r[0].(int64)
		return nil
	})
	return n
}

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited a minute in vain")
		}
	}
}

// longRun begins a run of one cell that would take hours.
func longRun(t *testing.T, p process, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	text := "splits = 1\ndatasets = [\"board\"]\n[semantics]\ntest_fraction = 0.3\nfolds = 5\nmethod_seed = 1\nstandardise = true\n" +
		"[methods.GBRFF2]\nparams = {t = 2000000}\n"
	if err := os.WriteFile(filepath.Join(p.dir, "long.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return p.command(append([]string{"run", "--methods", "GBRFF2", "--datasets", "board", "--protocol", "long.toml"}, args...)...)
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
	case <-time.After(2 * time.Minute):
		_ = c.Process.Signal(syscall.SIGQUIT)
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
	waitFor(t, func() bool { return stored(p) })
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, c); code != 130 {
		t.Errorf("exit %d, want 130\n%s", code, stderr)
	}
}

// stored reports that the run has begun: its database can be read.
func stored(p process) bool {
	db, err := store.OpenReader(context.Background(), filepath.Join(p.dir, "results.db"))
	if err == nil {
		_ = db.Close()
	}
	return err == nil
}

// TestAClosedTerminalOrPipeIsAFirstInterrupt: running cells finish and are stored.
func TestAClosedTerminalOrPipeIsAFirstInterrupt(t *testing.T) {
	for name, end := range map[string]func(c *exec.Cmd, reader *os.File) error{
		"SIGHUP": func(c *exec.Cmd, _ *os.File) error { return c.Process.Signal(syscall.SIGHUP) },
		"a closed pipe": func(c *exec.Cmd, reader *os.File) error {
			return errors.Join(reader.Close(), c.Process.Signal(syscall.SIGPIPE))
		},
	} {
		p := newProcess(t)
		c, _ := p.command(append(slices.Clone(work), "--jobs", "1")...)
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
		// All may have finished before the signal came.
		if code := exitCode(t, c); code != 130 && !(code == 0 && cellsStored(p) == 12) {
			t.Errorf("after %s: exit %d with %d cells stored, want 130", name, code, cellsStored(p))
		}
		_ = reader.Close()
		if c, stderr := p.command(work...); c.Run() != nil {
			t.Errorf("after %s the continuation failed: %s", name, stderr)
		}
	}
}

// TestALockedDatabaseLosesNothing: another program holds the database while cells
// finish, for longer than SQLite waits.
func TestALockedDatabaseLosesNothing(t *testing.T) {
	p := newProcess(t)
	if c, stderr := p.command("run", "--methods", "CART", "--datasets", "board", "--splits", "1"); c.Run() != nil {
		t.Fatal(stderr)
	}
	release := holdDatabase(t, filepath.Join(p.dir, "results.db"))
	c, stderr := p.command("run", "--methods", "CART", "--datasets", "board,swiss,circles", "--splits", "24")
	var told synchronised
	c.Stderr = &told
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(told.String(), "another program holds it") })
	release()
	if code := exitCode(t, c); code != 0 {
		t.Fatalf("exit %d: %s%s", code, stderr, told.String())
	}
	if n := cellsStored(p); n != 72 {
		t.Errorf("%d of 72 cells are stored\n%s", n, told.String())
	}
}

// TestGivingUpSaysWhatIsLost: three interrupts while the database stays locked.
func TestGivingUpSaysWhatIsLost(t *testing.T) {
	p := newProcess(t)
	if c, stderr := p.command("run", "--methods", "CART", "--datasets", "board", "--splits", "1"); c.Run() != nil {
		t.Fatal(stderr)
	}
	c, _ := p.command("run", "--methods", "CART", "--datasets", "board", "--splits", "3")
	var told synchronised
	c.Stderr = &told
	release := holdDatabase(t, filepath.Join(p.dir, "results.db"))
	defer release()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"results wait in memory", "stopping: running cells finish", "not stored yet: 2 finished results, interrupt again to give up"} {
		waitFor(t, func() bool { return strings.Contains(told.String(), says) })
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if code := exitCode(t, c); code != 130 && code != 3 {
		t.Errorf("exit %d, want 130 or 3", code)
	}
	for _, want := range []string{"2 finished results are lost: CART on board, split", "complete 1/3"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("standard error lacks %q:\n%s", want, told.String())
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

// synchronised is a buffer that is read while a process writes to it.
type synchronised struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *synchronised) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *synchronised) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
