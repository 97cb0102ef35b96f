package cmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

const short = `splits = 1
datasets = ["swiss"]
[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = true
`

// TestFaultyMethods: whatever a method does costs its own cell. Its row says what happened, the other
// cells are as if it were not there, the run ends with its summary, and no process is left.
func TestFaultyMethods(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t) // a worker is as large as the detector makes it, and map races are its findings
	if runtime.GOOS != "linux" {
		t.Skip("cells are isolated on Linux only")
	}
	t.Run("idle", faultyMethods)
	t.Run("busy", func(t *testing.T) {
		if os.Getenv("BENCH_BUSY") == "" {
			t.Skip("keeps every core busy; make fire runs it")
		}
		defer load(2 * runtime.NumCPU())()
		faultyMethods(t)
	})
}

// load keeps every core busy until it is undone.
func load(goroutines int) (undo func()) {
	var over atomic.Bool
	for range goroutines {
		go func() {
			for {
				if over.Load() {
					return
				}
			}
		}()
	}
	return func() { over.Store(true) }
}

// oneOfEachFault are what make test tries: a method for each class of failures.
var oneOfEachFault = []string{"Hangs", "PanicsElsewhere", "Exits0", "SaysNaN", "Noisy", "GrowsFast"}

func faultyMethods(t *testing.T) {
	p := newProcess(t)
	p.protocol(t, "short.toml", short)
	mark := faulty.Mark + "=" + p.dir
	run := func(asked []string, more ...string) {
		t.Helper()
		args := append([]string{"run", "--protocol", "short.toml", "--datasets", "swiss", "--jobs", "2", "--methods", strings.Join(append(asked, "Good"), ",")}, more...)
		c, stderr := p.command(args...)
		c.Path, c.Args[0] = mustLookPath(t, "bench-faulty"), "bench-faulty"
		c.Env = append(c.Env, mark)
		if code := startedCode(t, c); code != 3 || !strings.Contains(stderr.String(), fmt.Sprintf("/%d; ", len(asked)+1)) {
			t.Errorf("exit %d, want 3 and a summary\n%s", code, stderr)
		}
		if left := carriersOf(t, mark); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	}
	var ending, endless, large []string
	faults := map[string]faulty.Fault{"Good": {Status: "ok"}}
	for _, f := range faulty.All() {
		if f.Name == "ChildWorks" && os.Getenv("BENCH_BUSY") == "" {
			continue // for seconds; TestProcessorTimeOfChildren of package runner runs it
		}
		if !testenv.Thorough(t) && !slices.Contains(oneOfEachFault, f.Name) {
			continue
		}
		faults[f.Name] = f
		switch {
		case f.Endless:
			endless = append(endless, f.Name)
		case f.Large:
			large = append(large, f.Name)
		default:
			ending = append(ending, f.Name)
		}
	}
	run(ending)
	run(large, "--memory", "150MiB")
	run(endless, "--timeout", "1s")
	p.compareEnds(t, faults)
}

// compareEnds compares the stored rows with how the methods have to end.
func (p process) compareEnds(t *testing.T, faults map[string]faulty.Fault) {
	t.Helper()
	db, err := store.OpenReader(context.Background(), filepath.Join(p.dir, "results.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows := 0
	err = db.Query(context.Background(), `SELECT method, status, coalesce(failure, ''), coalesce(error, ''), isolated, coalesce(stderr, ''), coalesce(peak_rss_bytes, 0), cpu_seconds IS NULL FROM results`,
		func([]string) error { return nil }, func(r []any) error {
			rows++
			method, status, class, says, stderr := r[0].(string), r[1].(string), r[2].(string), r[3].(string), r[5].(string)
			f := faults[method]
			if status != f.Status || class != f.Class || !strings.Contains(says, f.Says) || strings.Contains(says, "\n") || r[4] != int64(1) {
				t.Errorf("%s: %s %s %q, isolated %v; want %s %s and one line with %q", method, status, class, says, r[4], f.Status, f.Class, f.Says)
			}
			if len(stderr) > 4000 || method == "Noisy" && !strings.HasSuffix(stderr, "the last line\n") || strings.HasPrefix(method, "Panics") && !strings.Contains(stderr+says, "faulty.go") {
				t.Errorf("%s: standard error of %d bytes ends with %q", method, len(stderr), stderr[max(0, len(stderr)-300):])
			}
			if method != "ChangesItsVersion" && (r[6].(int64) < 1<<20 || r[7] != int64(0)) {
				t.Errorf("%s: %v bytes at the peak, no processor time: %v", method, r[6], r[7])
			}
			return nil
		})
	if err != nil || rows != len(faults) {
		t.Errorf("%d rows of %d methods, %v", rows, len(faults), err)
	}
}

// carriersOf names the processes that have a variable in their environment, whoever started them.
func carriersOf(t *testing.T, variable string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		environment, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if bytes.Contains(environment, []byte(variable)) {
			line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			out = append(out, e.Name()+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return out
}

// TestIsolatedIsTheSame: what is stored of a cell does not depend on the process that computes it.
func TestIsolatedIsTheSame(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	methods := "CART,GBRFF2"
	if testenv.Thorough(t) {
		methods = families
	}
	var contents []string
	for _, isolate := range []string{"false", "true"} {
		p := newProcess(t)
		c, stderr := p.work(t, methods, 1, 2)
		c.Args = append(c.Args, "--isolate="+isolate)
		if c.Run() != nil {
			t.Fatal(stderr)
		}
		contents = append(contents, p.storedContent(t))
	}
	if contents[0] != contents[1] {
		t.Errorf("isolated cells differ:\n%s\nwant\n%s", contents[1], contents[0])
	}
}

// startedCode runs a program to its end.
func startedCode(t *testing.T, c *exec.Cmd) int {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return exitCode(t, c)
}

// TestNothingOutlivesAKilledHarness: also what ignores signals in a session of its own is gone.
func TestNothingOutlivesAKilledHarness(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	p.protocol(t, "short.toml", short)
	mark := faulty.Mark + "=" + p.dir
	c, stderr := p.command("run", "--protocol", "short.toml", "--datasets", "swiss", "--methods", "IgnoresSIGTERM,OrphanThenExit,Hangs", "--jobs", "3")
	c.Path, c.Args[0] = mustLookPath(t, "bench-faulty"), "bench-faulty"
	c.Env = append(c.Env, mark)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return len(carriersOf(t, mark)) >= 7 }) // keepers, workers, what they started
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	waitFor(t, func() bool { return len(carriersOf(t, mark)) == 0 })
	t.Log(stderr)
}

// TestAKillerInProcessIsIsolatedByTheNextRun: with --isolate=false methods run inside the program, so that a method that exits ends
// the whole program. The next run gives that method a process of its own and stores its failure as a row.
func TestAKillerInProcessIsIsolatedByTheNextRun(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	p.protocol(t, "short.toml", short)
	run := func() (int, *screen) {
		args := []string{"run", "--protocol", "short.toml", "--datasets", "swiss", "--methods", "Exits0,PanicsElsewhere,Good", "--jobs", "1", "--isolate=false"}
		c, stderr := p.command(args...)
		c.Path, c.Args[0] = mustLookPath(t, "bench-faulty"), "bench-faulty"
		return startedCode(t, c), stderr
	}
	if code, stderr := run(); code != 0 || strings.Contains(stderr.String(), "complete") {
		t.Fatalf("exit %d: the first method is to end the program\n%s", code, stderr)
	}
	// A canary of either killer ends the program, too. Canaries stand at random among the cells, so that the number of runs varies.
	code, said := 0, ""
	for tries := 0; code != 3 && tries < 10; tries++ {
		var stderr *screen
		code, stderr = run()
		said += stderr.String()
	}
	if code != 3 || !strings.Contains(said, "complete 1/3; 2 failed") || !strings.Contains(said, "is run in a process of its own: Exits0 on swiss, split 1") {
		t.Errorf("exit %d\n%s", code, said)
	}
	if p.rows(t, "method = 'Good' AND status = 'ok'") != 1 || p.rows(t, "status = 'failed' AND failure = 'crash'") != 2 {
		t.Errorf("the rows are others:\n%s", said)
	}
}

// rows counts the stored results for which a condition in SQL holds; it is 0 where there is no database yet.
func (p process) rows(t *testing.T, condition string) int64 {
	t.Helper()
	n, _ := p.value(t, "SELECT count(*) FROM results WHERE "+condition).(int64)
	return n
}

// scalar is the one text that a question comes to.
func (p process) scalar(t *testing.T, question string) string {
	t.Helper()
	text, _ := p.value(t, question).(string)
	return text
}

// value is the last value of a question's answer, nil where there is no database yet.
func (p process) value(t *testing.T, question string) (v any) {
	t.Helper()
	db, err := store.OpenReader(context.Background(), filepath.Join(p.dir, "results.db"))
	if err != nil {
		return nil
	}
	defer db.Close()
	err = db.Query(context.Background(), question, func([]string) error { return nil }, func(r []any) error {
		v = r[0]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestAKillerOfTheHarnessComesLast: a cell during which the program was killed is run after all other cells, and when the program
// is killed during it again, the cell is stored as failed. The test itself kills the program when the cell has begun.
func TestAKillerOfTheHarnessComesLast(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	p.protocol(t, "short.toml", short)
	mark := faulty.Mark + "=" + p.dir
	const killer = "IgnoresSIGTERM"
	killed := func(until func() bool) {
		t.Helper()
		c, _ := p.command("run", "--protocol", "short.toml", "--datasets", "swiss", "--methods", killer+",Remembers,Restless", "--jobs", "1")
		c.Path, c.Args[0] = mustLookPath(t, "bench-faulty"), "bench-faulty"
		c.Env = append(c.Env, mark)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		waitFor(t, until)
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		waitFor(t, func() bool { return len(carriersOf(t, mark)) == 0 })
	}
	begun := func() bool { // what the method starts is there
		return slices.ContainsFunc(carriersOf(t, mark), func(line string) bool { return strings.Contains(line, "sleep 200000") })
	}
	killed(begun)
	if n := p.rows(t, "1"); n != 0 {
		t.Fatalf("%d cells are stored before the killer's begins; the test needs one that begins first", n)
	}
	killed(begun)
	if n := p.rows(t, "status = 'ok'"); n != 2 {
		t.Errorf("%d of 2 others are stored when the program dies of the cell again", n)
	}
	killed(func() bool { return p.rows(t, "method = '"+killer+"'") == 1 })
	if p.rows(t, "method = '"+killer+"' AND status = 'failed' AND failure = 'crash' AND error LIKE 'the program ended 2 times while this cell was running; %--retry'") != 1 {
		t.Error("the row does not say what became of the cell")
	}
}
