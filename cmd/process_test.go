package cmd_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// A process is a program, bench unless it says otherwise, that runs in a folder which begins empty.
type process struct {
	dir, program string
	env          []string
}

func newProcess(t *testing.T) process { return process{dir: t.TempDir(), program: "bench"} }

// file is the path of a file in the folder.
func (p process) file(name ...string) string {
	return filepath.Join(append([]string{p.dir}, name...)...)
}

// write writes a file into the folder and returns its path.
func (p process) write(t *testing.T, name, text string) string {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(p.file(name)), 0o755))
	must.Do(t, os.WriteFile(p.file(name), []byte(text), 0o600))
	return p.file(name)
}

// copy copies a file of testdata/process into the folder.
func (p process) copy(t *testing.T, name string) {
	t.Helper()
	p.write(t, name, string(must.Get(os.ReadFile(filepath.Join("testdata", "process", name)))(t)))
}

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

// awaits waits until a text is written, and returns what follows it in its line.
func (s *screen) awaits(t *testing.T, text string) (rest string) {
	t.Helper()
	waitFor(t, func() (found bool) {
		_, rest, found = strings.Cut(s.String(), text)
		return found && strings.Contains(rest, "\n")
	})
	return strings.SplitN(rest, "\n", 2)[0]
}

// A command is a process of the program, started or not yet, with its output on standard output and standard error.
type command struct {
	*exec.Cmd
	t             *testing.T
	said, printed screen
}

func (p process) command(t *testing.T, args ...string) *command {
	c := &command{Cmd: exec.Command(p.program, args...), t: t}
	c.Dir, c.Stderr, c.Stdout = p.dir, &c.said, &c.printed
	c.Env = append(os.Environ(), "BENCH_DATA="+p.file("data"), "BENCH_MIRROR=",
		"BENCH_PLUGINS=")
	c.Env = append(c.Env, p.env...)
	return c
}

// begin starts a command, which the end of the test kills.
func (c *command) begin() *command {
	c.t.Helper()
	must.Do(c.t, c.Start())
	c.t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// begin starts the program.
func (p process) begin(t *testing.T, args ...string) *command {
	t.Helper()
	return p.command(t, args...).begin()
}

// kill ends a command without warning.
func (c *command) kill() {
	c.t.Helper()
	must.Do(c.t, c.Process.Kill())
	_ = c.Wait()
}

// code starts the command if it is not under way, and waits: it must end by itself.
func (c *command) code() int {
	c.t.Helper()
	if c.Process == nil {
		c.begin()
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case err := <-done:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exit.ExitCode()
		}
		must.Do(c.t, err)
	case <-time.After(patience):
		c.t.Fatal("the program did not end")
	}
	return 0
}

// ends runs the command to its end, with an exit code and, on standard error, texts.
func (c *command) ends(code int, says ...string) *command {
	c.t.Helper()
	if got := c.code(); got != code {
		c.t.Fatalf("%s: exit %d, want %d\n%s", strings.Join(c.Args, " "), got, code, &c.said)
	}
	must.Hold(c.t, c.said.String(), says...)
	return c
}

// run runs the program to its end, with exit code 0.
func (p process) run(t *testing.T, args ...string) *command {
	t.Helper()
	return p.command(t, args...).ends(0)
}

// ask returns the rows of an answer from the database, none where there is no database yet.
func (p process) ask(question string) (rows [][]any, err error) {
	db, err := store.OpenReader(context.Background(), p.file("results.db"))
	if err != nil {
		return nil, nil
	}
	defer db.Close()
	err = db.Query(context.Background(), question, func([]string) error { return nil }, func(r []any) error {
		rows = append(rows, slices.Clone(r))
		return nil
	})
	return rows, err
}

// value is the one value of an answer, nil where there is none yet.
func (p process) value(t *testing.T, question string) any {
	t.Helper()
	if rows := must.Get(p.ask(question))(t); len(rows) == 1 {
		return rows[0][0]
	}
	return nil
}

// rows counts the stored results for which a condition in SQL holds.
func (p process) rows(t *testing.T, condition string) int64 {
	t.Helper()
	n, _ := p.value(t, "SELECT count(*) FROM results WHERE "+condition).(int64)
	return n
}

// families are the methods of every.toml.
const families = "BMKR,CART,GBRFF,GBRFF-random,GBRFF1,GBRFF2,GFC,GK,GMKL,KRR-GD,LGBM,MKBOOST,PBRFF,RF,XGB"

// work is a run of the first splits of every.toml: two of all families are 74 cells, a second's work.
func (p process) work(t *testing.T, methods string, splits, jobs int, more ...string) *command {
	t.Helper()
	p.copy(t, "every.toml")
	return p.command(t, append([]string{"run", "--protocol", "every.toml", "--datasets",
		"balance,board,balance-multiclass",
		"--methods", methods, "--splits", fmt.Sprint(splits), "--jobs", fmt.Sprint(jobs)}, more...)...)
}

// storedContent is all that the database holds but timings and environments.
func (p process) storedContent(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []string{
		`SELECT protocol, method, method_version, dataset, split, status, params, grid_size, n_train, n_test, n_correct,
			accuracy,
		   cv_accuracy, tn, fp, fn, tp, model_bytes, error, key FROM history ORDER BY key`,
		`SELECT protocol, method, dataset, split, grid_index, params, fold, n_valid, n_correct, tn, fp, fn, tp
		   FROM evaluations ORDER BY protocol, method, dataset, split, grid_index, fold`,
		`SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM fold_counts), (SELECT count(*) FROM grids)`,
		`PRAGMA integrity_check`, `PRAGMA foreign_key_check`,
	} {
		for _, row := range must.Get(p.ask(q))(t) {
			fmt.Fprintln(&b, row...)
		}
	}
	return b.String()
}

// holds fails the test unless the database holds what another one does.
func (p process) holds(t *testing.T, want string) {
	t.Helper()
	must.Be(t, p.storedContent(t), want, "other results are stored")
}

var alone struct {
	once    sync.Once
	content string
	took    time.Duration
}

// undisturbed returns what work of all families stores on two splits where nothing interferes, and how long it took,
// for the tests where something does. It runs once.
func undisturbed(t *testing.T) (content string, took time.Duration) {
	t.Helper()
	alone.once.Do(func() {
		p, start := newProcess(t), time.Now()
		p.work(t, families, 2, 2).ends(0)
		alone.took, alone.content = time.Since(start), p.storedContent(t)
	})
	if alone.content == "" {
		t.Fatal("the undisturbed run failed")
	}
	return alone.content, alone.took
}

// TestKilledAndResumed kills the program without warning at 5 random moments, every other one in
// the middle of a transaction, continues it each time, and compares the database with an undisturbed
// run's: what is stored of a cell, the size of its model too, depends on no cell that the process
// computed before. BENCH_KILLS=200 kills it so often.
func TestKilledAndResumed(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	want, whole := undisturbed(t)

	wanted := 5
	if n, err := strconv.Atoi(os.Getenv("BENCH_KILLS")); err == nil {
		wanted = n
	}
	p := newProcess(t)
	for kills := 0; kills < wanted; {
		run := p.work(t, families, 2, 2).begin()
		moment := time.Duration(rand.Int64N(int64(whole) / 2))
		now, over, done := make(chan string, 1), make(chan struct{}), make(chan error, 1)
		if kills%2 == 1 {
			go p.insideACommit(1+rand.IntN(8), now, over)
		} else {
			time.AfterFunc(moment, func() { now <- fmt.Sprint("after ", moment) })
		}
		go func() { done <- run.Wait(); close(over) }()
		select {
		case when := <-now:
			kills++
			t.Logf("kill %d: %s", kills, when)
			_ = run.Process.Kill() // it may be over
			<-done
		case err := <-done:
			if err != nil {
				t.Fatalf("a resumed run failed: %v\n%s", err, &run.said)
			}
			p.holds(t, want) // it was over before the last kill: begin another database
			p = newProcess(t)
		}
	}
	p.work(t, families, 2, 2).ends(0)
	p.holds(t, want)
}

// insideACommit says when the log of the database grows for the nth time: the transaction that writes
// it is not over then. It says nothing if the run is over before.
func (p process) insideACommit(n int, now chan<- string, over <-chan struct{}) {
	// a commit takes longer; without a pause this keeps a core busy
	for last, writes := int64(-1), 0; ; time.Sleep(50 * time.Microsecond) {
		select {
		case <-over:
			return
		default:
		}
		info, err := os.Stat(p.file("results.db-wal"))
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

// cellsStored counts the results, while other programs write them, too.
func (p process) cellsStored() int64 {
	if rows, err := p.ask("SELECT count(*) FROM results"); err == nil && len(rows) == 1 {
		return rows[0][0].(int64)
	}
	return 0
}

// patience is how long a test waits for what must come, on whatever machine.
const patience = 20 * time.Minute

func waitFor(t *testing.T, ready func() bool) {
	t.Helper()
	// some ask every process of the machine
	for deadline := time.Now().Add(patience); !ready(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited ", patience)
		}
	}
}
