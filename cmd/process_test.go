package cmd_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	long := filepath.Join(p.dir, "long.toml")
	text := "splits = 1\ndatasets = [\"board\"]\n[semantics]\ntest_fraction = 0.3\nfolds = 5\nmethod_seed = 1\nstandardise = true\n" +
		"[methods.GBRFF2]\nparams = {t = 2000000}\n"
	if err := os.WriteFile(long, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, stderr := p.command("run", "--methods", "GBRFF2", "--datasets", "board", "--protocol", "long.toml")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { _, err := os.Stat(filepath.Join(p.dir, "results.db")); return err == nil })
	time.Sleep(300 * time.Millisecond)
	for range 2 {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(200 * time.Millisecond)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("exit %v, want 130\n%s", err, stderr)
		}
	case <-time.After(20 * time.Second):
		_ = c.Process.Signal(syscall.SIGKILL)
		t.Error("a second interrupt did not stop the run")
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
