package runner_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/system/processes"
	"github.com/kernelboosting/bench/internal/system/sandbox"
	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/methods/cart"
	"github.com/kernelboosting/bench/registry"
)

// TestMain makes the test binary the program that workers are.
func TestMain(m *testing.M) {
	if runner.Started() {
		var err error
		limit, _ := strconv.ParseInt(os.Args[2], 10, 64)
		if len(os.Args) == 4 {
			if err = sandbox.FreezeTimes(); err != nil {
				panic(err)
			}
			err = runner.Serve(&runner.InProcess{Registry: tried(), Prepare: prepareLong}, limit)
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

// tried are the faulty ones and one of the project's own, whose workers stay.
func tried() registry.Registry { return faulty.Registry().With(cart.Spec()) }

// prepareLong takes longer than a cell may, where the test asks for it.
func prepareLong(context.Context, string) {
	if long, err := time.ParseDuration(os.Getenv("PREPARE_LONG")); err == nil {
		time.Sleep(long)
	}
}

// TestPreparing: the time in which a method is made ready is not its cell's, in a worker or here. On busy cores a cell
// may take longer than a short limit by itself, so that a longer one is tried then. Preparing takes longer than each.
func TestPreparing(t *testing.T) {
	for _, long := range []time.Duration{500 * time.Millisecond, 5 * time.Second, 30 * time.Second} {
		t.Setenv("PREPARE_LONG", (long + long/2).String())
		w := newWorkers(t, 0)
		w.Timeout, w.Grace = long, time.Millisecond
		here := &runner.InProcess{Registry: tried(), Timeout: long, Prepare: prepareLong}
		late := 0
		for _, r := range []runner.Runner{w, here} {
			run, err := r.Run(t.Context(), cells(t, "Good", 1)[0])
			if err != nil || run.Status != result.OK && run.Status != result.Timeout {
				t.Fatalf("%T: %s %s, %v", r, run.Status, run.Error, err)
			}
			if run.Status == result.Timeout {
				late++
			}
		}
		if late == 0 {
			return
		}
	}
	t.Error("preparing counts as time of the cell")
}

const short = `splits = 40
datasets = ["swiss"]
[semantics]
test_fraction = 0.3
folds = 2
method_seed = 1
standardise = true
`

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
	p := must.Get(protocol.Parse("short", []byte(short)))(t)
	h := plan.Experiment{Protocol: p, Registry: tried(), Catalogue: catalogue.Builtin(),
		Data: catalogue.Directory{Root: t.TempDir()}}
	req := plan.Request{Methods: []string{method}, Datasets: []string{"swiss"}}
	for s := range splits {
		req.Splits = append(req.Splits, s+1)
	}
	plan := must.Get(h.Plan(context.Background(), req, nil, nil))(t)
	var out []runner.CellSpec
	for _, c := range plan.Cells {
		out = append(out, c.Spec)
	}
	return out
}

// below waits until this process has as many processes below it as wanted.
func below(t *testing.T, wanted int) []processes.Process {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(time.Millisecond) {
		all := processes.Below(os.Getpid())
		if len(all) == wanted {
			return all
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d processes below this one, want %d: %+v", len(all), wanted, all)
		}
	}
}

// TestWorkersAreReused by the project's own methods until something goes wrong, and end when they are closed. A method
// of another module has each for one cell, so that it remembers nothing of it in the next.
func TestWorkersAreReused(t *testing.T) {
	w := newWorkers(t, 0)
	ctx := context.Background()
	seen := map[int]bool{}
	for _, c := range cells(t, "CART", 5) {
		run, err := w.Run(ctx, c)
		if err != nil || run.Status != result.OK || !run.Isolated || run.Key != c.Key || len(run.Warnings) > 0 {
			t.Fatalf("%+v, %v", run, err)
		}
		for _, p := range below(t, 2) {
			seen[p.ID] = true
		}
	}
	must.Be(t, len(seen), 2)
	for _, method := range []string{"Panics", "Good"} {
		must.Be(t, must.Get(w.Run(ctx, cells(t, method, 1)[0]))(t).Status == result.OK, method == "Good")
		below(t, 0)
	}
	must.Be(t, must.Get(w.Run(ctx, cells(t, "CART", 1)[0]))(t).Status, result.OK)
	w.Close()
	below(t, 0)
}

// TestWhatIsNotTheMethodsDoing is tried once more, and the row says so.
func TestWhatIsNotTheMethodsDoing(t *testing.T) {
	w := newWorkers(t, 0)
	run, err := w.Run(context.Background(), cells(t, "IsKilled", 1)[0])
	againSince(t, run, err, "killed from outside")
	over := make(chan struct{})
	go func() { // ends each keeper whose worker has begun the cell: it is bound then
		for ; ; time.Sleep(time.Millisecond) {
			select {
			case <-over:
				return
			default:
			}
			if all := processes.Below(os.Getpid()); len(all) == 2 {
				status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", all[1].ID))
				if strings.Contains(string(status), "NoNewPrivs:\t1") {
					_ = syscall.Kill(all[0].ID, syscall.SIGKILL)
				}
			}
		}
	}()
	run, err = w.Run(context.Background(), cells(t, "Hangs", 1)[0])
	close(over)
	againSince(t, run, err, "the process that watches over the worker ended")
	// An idle worker that somebody ends costs nothing.
	must.Get(w.Run(context.Background(), cells(t, "CART", 1)[0]))(t)
	for _, p := range below(t, 2) {
		_ = syscall.Kill(p.ID, syscall.SIGKILL)
	}
	must.Be(t, must.Get(w.Run(context.Background(), cells(t, "CART", 2)[1]))(t).Status, result.OK)
}

func againSince(t *testing.T, run result.Run, err error, says string) {
	t.Helper()
	if err != nil || run.Class != result.ClassCrash || len(run.Warnings) != 1 ||
		!strings.HasPrefix(run.Warnings[0].Text, "run once more, since ") || !strings.Contains(run.Warnings[0].Text,
		says) {
		t.Errorf("%+v, %v; want a second try since %s", run, err, says)
	}
}

// TestProcessorTimeOfChildren is the cell's: a second that a process of the method works is in its row.
func TestProcessorTimeOfChildren(t *testing.T) {
	testenv.NotUnderRace(t)
	run, err := newWorkers(t, 0).Run(context.Background(), cells(t, "ChildWorks", 1)[0])
	if err != nil || run.Status != result.OK {
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

// TestAStoppedProcessStallsNothing: the limit of a cell runs while its worker is stopped, and a keeper that is stopped,
// which cannot end its worker, is ended with it.
func TestAStoppedProcessStallsNothing(t *testing.T) {
	for i, who := range []string{"keeper", "worker"} {
		w := newWorkers(t, 0)
		if _, err := w.Run(context.Background(), cells(t, "CART", 1)[0]); err != nil { // starts it
			t.Fatal(err)
		}
		w.Timeout, w.Grace, w.Ready = 400*time.Millisecond, 100*time.Millisecond, time.Second
		if err := syscall.Kill(below(t, 2)[i].ID, syscall.SIGSTOP); err != nil { // the keeper is the worker's parent
			t.Fatal(err)
		}
		run, err := w.Run(context.Background(), cells(t, "Hangs", 1)[0])
		if err != nil || run.Class != result.ClassTimeout &&
			!strings.Contains(run.Error, "not ready to begin within 1s") {
			t.Errorf("a stopped %s: %+v, %v", who, run, err)
		}
		below(t, 0)
	}
}

// TestADaemonWithoutAKeeperIsEnded: what lives on when the process is ended that watches over it ends with the run.
func TestADaemonWithoutAKeeperIsEnded(t *testing.T) {
	w := newWorkers(t, 0)
	must.Do(t, processes.Adopt())
	w.Adopts = true
	over := make(chan struct{})
	go func() { // ends each keeper whose worker has started a shell in a session of its own
		for ; ; time.Sleep(time.Millisecond) {
			select {
			case <-over:
				return
			default:
			}
			all := processes.Below(os.Getpid())
			for _, shell := range all {
				for _, worker := range all {
					if worker.ID == shell.Parent && worker.Parent != os.Getpid() {
						_ = syscall.Kill(worker.Parent, syscall.SIGKILL)
					}
				}
			}
		}
	}()
	defer close(over)
	must.Be(t, must.Get(w.Run(context.Background(), cells(t, "IgnoresSIGTERM", 1)[0]))(t).Class, result.ClassCrash)
	must.Be(t, len(processes.Below(os.Getpid())), 0, "before Close")
	w.Close()
	below(t, 0)
}

// TestOnlyAnAdopterEndsStrays: a program that does not adopt processes may have children of its own, which nobody here
// waits for. They live on.
func TestOnlyAnAdopterEndsStrays(t *testing.T) {
	w := newWorkers(t, 0)
	child := exec.Command("sleep", "600")
	must.Do(t, child.Start())
	w.Close()
	is, there := processes.Of(child.Process.Pid)
	must.Be(t, there && !is.Zombie, true, "its child lives")
	w.Adopts = true
	w.Close()
	_, there = processes.Of(child.Process.Pid)
	must.Be(t, there, false, "an adopter's child lives")
	_ = child.Process.Kill() // where it lives
	_ = child.Wait()         // the adopter waited for it
}

// TestAWorkerThatCannotStart is an error that says why, and no row of the method.
func TestAWorkerThatCannotStart(t *testing.T) {
	w := newWorkers(t, 0)
	w.Args = []string{"-test.run=^$"} // ends at once and never answers
	err := must.Err(w.Run(context.Background(), cells(t, "Good", 1)[0]))
	must.Say(t, err, "no worker process could be started for Good on swiss, split 1")
}

// TestTimeoutsEndInTime: from the limit until every process is gone it takes less than two seconds.
// BENCH_TIMINGS=1 tries a hundred times and compares with that; else it is only said what it took.
func TestTimeoutsEndInTime(t *testing.T) {
	tries, strict := 3, os.Getenv("BENCH_TIMINGS") != ""
	if strict {
		tries = 100
	}
	w := newWorkers(t, 0)
	w.Timeout = 100 * time.Millisecond
	methods := []string{"Hangs", "Spins", "IgnoresSIGTERM"}
	var longest time.Duration
	for i := range tries {
		c := cells(t, methods[i%len(methods)], 1)[0]
		if run, err := w.Run(context.Background(), cells(t, "CART", 1)[0]); err != nil { // so that a worker is there
			t.Fatalf("%+v, %v", run, err)
		}
		start := time.Now()
		run, err := w.Run(context.Background(), c)
		took := time.Since(start) - w.Timeout
		if left := processes.Below(os.Getpid()); err != nil || run.Class != result.ClassTimeout || len(left) > 0 {
			t.Fatalf("%+v, %v; left: %v", run, err, left)
		}
		longest = max(longest, took)
		if strict && took > 2*time.Second {
			t.Errorf("%s: %v from the limit until it was gone", c.Cell, took)
		}
	}
	t.Logf("%d tries took at most %v from the limit until everything was gone", tries, longest)
}

// BenchmarkCell compares a cell in this process, in a worker that stays, and in one of its own: the differences are
// what isolation and one process a cell cost.
func BenchmarkCell(b *testing.B) {
	isolated := newWorkers(b, 0)
	for _, each := range []struct {
		name, method string
		r            runner.Runner
	}{{"here", "Good", &runner.InProcess{Registry: tried()}}, {"isolated", "CART", isolated}, {"foreign", "Good",
		isolated}} {
		specs, r := cells(b, each.method, 40), each.r
		b.Run(each.name, func(b *testing.B) {
			for i := range b.N {
				if run, err := r.Run(context.Background(), specs[i%len(specs)]); err != nil || run.Status != result.OK {
					b.Fatalf("%+v, %v", run, err)
				}
			}
		})
	}
}
