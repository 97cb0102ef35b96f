package cmd_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// process is bench as a process of its own, in an empty directory.
type process struct {
	dir string
}

func newProcess(t *testing.T) process { return process{dir: t.TempDir()} }

// A screen is what a process has written so far.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (p process) command(args ...string) (*exec.Cmd, *screen) {
	c := exec.Command("bench", args...)
	c.Dir = p.dir
	c.Env = append(os.Environ(), "BENCH_DATA="+filepath.Join(p.dir, "data"), "BENCH_MIRROR=", "BENCH_KNOWN_PLUGINS="+filepath.Join(p.dir, "known"))
	var errors screen
	c.Stderr = &errors
	return c, &errors
}

// protocol writes a protocol file.
func (p process) protocol(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// every is a protocol with little work for every family of methods, on the program's own sets.
const every = `splits = 20
datasets = ["balance", "board", "balance-multiclass"]

[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = true

[methods]
BMKR         = { params = { rounds = 3 }, grid = [{ name = "c", values = [0.1, 1.0] }] }
CART         = { grid = [{ name = "max_depth", values = [2, 4] }] }
GBRFF        = { params = { rounds = 4, features = 5, learning_rate = 0.1 }, grid = [{ name = "beta", values = [1.0, 16.0] }] }
GBRFF-random = { params = { rounds = 4, features = 5, learning_rate = 0.1 }, grid = [{ name = "beta", values = [1.0, 16.0] }] }
GBRFF1       = { params = { rounds = 10 }, grid = [{ name = "beta", values = [0.1, 10.0] }] }
GBRFF2       = { params = { rounds = 20 } }
GFC          = { params = { features = 3 } }
GK           = { grid = [{ name = "lambda", values = [0.01, 1.0] }] }
GMKL         = { grid = [{ name = "c", values = [0.1, 1.0] }] }
KRR-GD       = { params = { max_iter = 2 }, grid = [{ name = "lambda", values = [0.01, 1.0] }] }
LGBM         = { params = { rounds = 5, num_leaves = 7 }, grid = [{ name = "lambda", values = [0.0, 1.0] }] }
MKBOOST      = { params = { rounds = 3 }, grid = [{ name = "c", values = [0.01, 1.0] }] }
PBRFF        = { params = { landmarks = 10 }, grid = [{ name = "c", values = [0.1, 1.0] }] }
RF           = { params = { trees = 5 } }
XGB          = { params = { rounds = 5 }, grid = [{ name = "max_depth", values = [2, 4] }] }
`

const families = "BMKR,CART,GBRFF,GBRFF-random,GBRFF1,GBRFF2,GFC,GK,GMKL,KRR-GD,LGBM,MKBOOST,PBRFF,RF,XGB"

// work is a run of the first splits of that protocol: two of all families are 74 cells, a second's work.
func (p process) work(t *testing.T, methods string, splits, jobs int) (*exec.Cmd, *screen) {
	t.Helper()
	p.protocol(t, "every.toml", every)
	return p.command("run", "--protocol", "every.toml", "--datasets", "balance,board,balance-multiclass", "--methods", methods,
		"--splits", fmt.Sprint(splits), "--jobs", fmt.Sprint(jobs))
}

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

var alone struct {
	once    sync.Once
	content string
	took    time.Duration
}

// undisturbed returns what work of all families stores on two splits where nothing interferes, and how long it took, for the tests where
// something does. It runs once.
func undisturbed(t *testing.T) (content string, took time.Duration) {
	t.Helper()
	alone.once.Do(func() {
		p := newProcess(t)
		start := time.Now()
		if c, stderr := p.work(t, families, 2, 2); c.Run() != nil {
			t.Fatal(stderr)
		}
		alone.took, alone.content = time.Since(start), p.storedContent(t)
	})
	if alone.content == "" {
		t.Fatal("the undisturbed run failed")
	}
	return alone.content, alone.took
}

// TestKilledAndResumed kills the program without warning at 2 random moments, in make thorough at 5, every other one in
// the middle of a transaction, continues it each time, and compares the database with an undisturbed
// run's: what is stored of a cell, the size of its model too, depends on no cell that the process
// computed before. BENCH_KILLS=200 kills it so often.
func TestKilledAndResumed(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	want, whole := undisturbed(t)

	wanted := 2
	if testenv.Thorough(t) {
		wanted = 5
	}
	if n, err := strconv.Atoi(os.Getenv("BENCH_KILLS")); err == nil {
		wanted = n
	}
	killed := newProcess(t)
	kills := 0
	for kills < wanted {
		c, stderr := killed.work(t, families, 2, 2)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		moment := time.Duration(rand.Int64N(int64(whole) / 2))
		now := make(chan string, 1)
		over := make(chan struct{})
		if kills%2 == 1 {
			go killed.insideACommit(1+rand.IntN(8), now, over)
		} else {
			time.AfterFunc(moment, func() { now <- fmt.Sprint("after ", moment) })
		}
		done := make(chan error, 1)
		go func() { done <- c.Wait(); close(over) }()
		select {
		case when := <-now:
			t.Logf("kill %d: %s", kills+1, when)
			if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			<-done
			kills++
		case err := <-done:
			if err != nil {
				t.Fatalf("a resumed run failed: %v\n%s", err, stderr)
			}
			// Finished before the last kill: begin another database.
			if got := killed.storedContent(t); got != want {
				t.Fatalf("after %d kills the database differs from an undisturbed run's", kills)
			}
			killed = newProcess(t)
		}
	}
	if c, stderr := killed.work(t, families, 2, 2); c.Run() != nil {
		t.Fatal(stderr)
	}
	if got := killed.storedContent(t); got != want {
		t.Errorf("after %d kills the database differs from an undisturbed run's:\n%s\nwant\n%s", kills, got, want)
	}
}

// insideACommit says when the log of the database grows for the nth time: the transaction that writes
// it is not over then. It says nothing if the run is over before.
func (p process) insideACommit(n int, now chan<- string, over <-chan struct{}) {
	for last, writes := int64(-1), 0; ; time.Sleep(50 * time.Microsecond) { // a commit takes longer; without a pause this keeps a core busy
		select {
		case <-over:
			return
		default:
		}
		info, err := os.Stat(filepath.Join(p.dir, "results.db-wal"))
		if err != nil || info.Size() == last {
			continue
		}
		last = info.Size()
		if writes++; writes > n {
			now <- fmt.Sprintf("in a transaction, when the log had %d bytes", last)
			return
		}
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

// patience is how long a test waits for what must come, on whatever machine.
const patience = 20 * time.Minute

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ready(); time.Sleep(50 * time.Millisecond) { // some ask every process of the machine
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain", patience)
		}
	}
}
