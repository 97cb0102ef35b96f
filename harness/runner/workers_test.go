package runner_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/faulty"
	"github.com/kernelboosting/bench/internal/processes"
)

// TestMain makes the test binary the program that workers are.
func TestMain(m *testing.M) {
	if runner.Started() {
		var err error
		limit, _ := strconv.ParseInt(os.Args[2], 10, 64)
		if len(os.Args) == 4 {
			err = runner.Serve(&runner.InProcess{Registry: faulty.Registry()}, limit)
		} else {
			err = runner.RunKeeper(append(os.Args, "--serve"), limit)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const short = `splits = 40
datasets = ["swiss"]
[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = true
`

// newWorkers are workers of the test binary.
func newWorkers(t testing.TB, memory int64) *runner.Workers {
	t.Helper()
	if !runner.CanIsolate {
		t.Skip("cells are isolated on Linux only")
	}
	w := &runner.Workers{Args: []string{"cell", fmt.Sprint(memory)}, Memory: memory}
	t.Cleanup(w.Close)
	return w
}

// cells plans a method on the first splits of a small set.
func cells(t testing.TB, method string, splits int) []runner.CellSpec {
	t.Helper()
	p, err := protocol.Parse("short", []byte(short))
	if err != nil {
		t.Fatal(err)
	}
	h := harness.Harness{Protocol: p, Registry: faulty.Registry(), Catalogue: datasets.Builtin(), Data: datasets.Directory{Root: t.TempDir()}}
	req := harness.Request{Methods: []string{method}, Datasets: []string{"swiss"}}
	for s := range splits {
		req.Splits = append(req.Splits, s+1)
	}
	plan, err := h.Plan(context.Background(), req, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []runner.CellSpec
	for _, c := range plan.Cells {
		out = append(out, c.Spec)
	}
	return out
}

// below waits until this process has as many processes below it as wanted.
func below(t *testing.T, wanted int) []processes.Process {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		all := processes.Below(os.Getpid())
		if len(all) == wanted {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d processes below this one, want %d: %+v", len(all), wanted, all)
		}
	}
}

// TestWorkersAreReused until something goes wrong, and end when they are closed.
func TestWorkersAreReused(t *testing.T) {
	w := newWorkers(t, 0)
	ctx := context.Background()
	seen := map[int]bool{}
	for _, c := range cells(t, "Good", 5) {
		run, err := w.Run(ctx, c)
		if err != nil || run.Status != store.OK || !run.Isolated || run.Key != c.Key || len(run.Warnings) > 0 {
			t.Fatalf("%+v, %v", run, err)
		}
		for _, p := range below(t, 2) {
			seen[p.ID] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d processes ran the cells, want a keeper and a worker", len(seen))
	}
	if run, err := w.Run(ctx, cells(t, "Panics", 1)[0]); err != nil || run.Class != store.ClassCrash {
		t.Errorf("%+v, %v", run, err)
	}
	below(t, 0)
	if run, err := w.Run(ctx, cells(t, "Good", 1)[0]); err != nil || run.Status != store.OK {
		t.Errorf("after a fault: %+v, %v", run, err)
	}
	w.Close()
	below(t, 0)
}

// TestWhatIsNotTheMethodsDoing is tried once more, and the row says so.
func TestWhatIsNotTheMethodsDoing(t *testing.T) {
	w := newWorkers(t, 0)
	for method, says := range map[string]string{"IsKilled": "killed from outside", "KillsItsKeeper": "watches over the worker ended"} {
		run, err := w.Run(context.Background(), cells(t, method, 1)[0])
		if err != nil || run.Class != store.ClassCrash || len(run.Warnings) != 1 || !strings.HasPrefix(run.Warnings[0].Text, "run once more, since ") || !strings.Contains(run.Warnings[0].Text, says) {
			t.Errorf("%s: %+v, %v", method, run, err)
		}
	}
	// An idle worker that somebody ends costs nothing.
	if _, err := w.Run(context.Background(), cells(t, "Good", 1)[0]); err != nil {
		t.Fatal(err)
	}
	for _, p := range below(t, 2) {
		_ = syscall.Kill(p.ID, syscall.SIGKILL)
	}
	if run, err := w.Run(context.Background(), cells(t, "Good", 2)[1]); err != nil || run.Status != store.OK {
		t.Errorf("after its worker was ended: %+v, %v", run, err)
	}
}

// TestProcessorTimeOfChildren is the cell's: a second that a process of the method works is in its row.
func TestProcessorTimeOfChildren(t *testing.T) {
	run, err := newWorkers(t, 0).Run(context.Background(), cells(t, "ChildWorks", 1)[0])
	if err != nil || run.Status != store.OK {
		t.Fatalf("%s %s, %v", run.Status, run.Error, err)
	}
	if *run.CPUSeconds < 0.5 { // the limit that ends the child is counted in ticks
		t.Errorf("the cell took %v s of processor time", *run.CPUSeconds)
	}
}

// TestACancelledCellHasNoResult, and no process is left of it.
func TestACancelledCellHasNoResult(t *testing.T) {
	w := newWorkers(t, 0)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		below(t, 2)
		cancel()
	}()
	if run, err := w.Run(ctx, cells(t, "Hangs", 1)[0]); err != context.Canceled {
		t.Errorf("%+v, %v", run, err)
	}
	below(t, 0)
}

// TestAStoppedWorkerKeepsItsTime: while its process is stopped, the limit of a cell does not run.
func TestAStoppedWorkerKeepsItsTime(t *testing.T) {
	w := newWorkers(t, 0)
	if _, err := w.Run(context.Background(), cells(t, "Good", 1)[0]); err != nil { // starts it
		t.Fatal(err)
	}
	all := below(t, 2)
	worker := all[1].ID // the keeper is its parent
	w.Timeout, w.Grace = 400*time.Millisecond, 100*time.Millisecond
	if err := syscall.Kill(worker, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ended := make(chan store.Run, 1)
	go func() {
		run, err := w.Run(context.Background(), cells(t, "Hangs", 1)[0])
		if err != nil {
			t.Error(err)
		}
		ended <- run
	}()
	select {
	case run := <-ended:
		t.Errorf("a stopped worker was out of time: %+v", run)
		return
	case <-time.After(3 * time.Second): // six times its time
	}
	if err := syscall.Kill(worker, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if run := <-ended; run.Class != store.ClassTimeout {
		t.Errorf("%+v", run)
	}
}

// TestAWorkerThatCannotStart is an error that says why, and no row of the method.
func TestAWorkerThatCannotStart(t *testing.T) {
	w := newWorkers(t, 0)
	w.Args = []string{"-test.run=^$"} // ends at once and never answers
	run, err := w.Run(context.Background(), cells(t, "Good", 1)[0])
	if err == nil || !strings.Contains(err.Error(), "no worker process could be started for Good on swiss, split 1") {
		t.Errorf("%+v, %v", run, err)
	}
}

// TestTimeoutsEndInTime: from the limit until every process is gone it takes less than two seconds.
// BENCH_TIMINGS=1 tries a hundred times and compares with that; else it is only said what it took.
func TestTimeoutsEndInTime(t *testing.T) {
	tries, strict := 3, os.Getenv("BENCH_TIMINGS") != ""
	if strict {
		tries = 100
	}
	t.Setenv(faulty.Pids, t.TempDir()+"/pids")
	w := newWorkers(t, 0)
	w.Timeout = 100 * time.Millisecond
	methods := []string{"Hangs", "Spins", "IgnoresSIGTERM"}
	var longest time.Duration
	for i := range tries {
		c := cells(t, methods[i%len(methods)], 1)[0]
		if run, err := w.Run(context.Background(), cells(t, "Good", 1)[0]); err != nil { // so that a worker is there
			t.Fatalf("%+v, %v", run, err)
		}
		start := time.Now()
		run, err := w.Run(context.Background(), c)
		took := time.Since(start) - w.Timeout
		if left := processes.Below(os.Getpid()); err != nil || run.Class != store.ClassTimeout || len(left) > 0 {
			t.Fatalf("%+v, %v; left: %v", run, err, left)
		}
		longest = max(longest, took)
		if strict && took > 2*time.Second {
			t.Errorf("%s: %v from the limit until it was gone", c.Cell, took)
		}
	}
	t.Logf("%d tries took at most %v from the limit until everything was gone", tries, longest)
}

// BenchmarkCell compares a cell in this process and in a worker: the difference is what isolation costs.
func BenchmarkCell(b *testing.B) {
	specs := cells(b, "Good", 40)
	for name, r := range map[string]runner.Runner{"here": &runner.InProcess{Registry: faulty.Registry()}, "isolated": newWorkers(b, 0)} {
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				if run, err := r.Run(context.Background(), specs[i%len(specs)]); err != nil || run.Status != store.OK {
					b.Fatalf("%+v, %v", run, err)
				}
			}
		})
	}
}
