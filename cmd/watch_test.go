package cmd_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// gate names a file in the environment. Fits of gated wait until it is there.
const gate = "BENCH_TEST_GATE"

// gated is stump whose fits wait for a file, so that a run is under way as long as a test likes.
func gated() registry.Spec {
	return stumpThat(func(ctx context.Context, _ registry.Env, _ registry.Data, p stumpParams) (registry.Model,
		error) {
		for { // a process of its own does not have the variable
			if _, err := os.Stat(os.Getenv(gate)); err == nil || os.Getenv(gate) == "" {
				break
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(10 * time.Millisecond):
			}
		}
		return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
			for i := range out {
				out[i] = x.At(i, p.Feature)
			}
			return nil
		}), nil
	})
}

// hostileName is what a plugin calls itself that wants to be a program of the page.
const hostileName = "<img src=x onerror=document.title=1>"

// underWay begins a run of methods whose cells wait: CART has ended, the plugin has failed, and StumpBoost is being
// fitted, two cells at a time: one is stored before, since the first cell of a new method runs before its others. open
// lets the run go on.
func underWay(t *testing.T, p process) (run *command, open func()) {
	t.Helper()
	p.copy(t, "plugins/a.sh")
	p.program = "bench-gated"
	p.run(t, "run", "--methods", "StumpBoost", "--datasets", "swiss", "--split", "3")
	p.env = []string{gate + "=" + p.file("gate")}
	run = p.begin(t, "run", "--methods", "CART,StumpBoost,"+hostileName, "--datasets", "swiss", "--splits", "2",
		"--jobs", "2", "--isolate=false")
	waitFor(t, func() bool { return waits(p) })
	return run, func() { p.write(t, "gate", "") }
}

// waits reports whether the database says that cells of StumpBoost alone are being computed, two at a time. The first
// cells of the other methods have ended then: they come before any second one.
func waits(p process) bool {
	db, err := store.OpenReader(context.Background(), p.file("results.db"))
	if err != nil {
		return false
	}
	defer db.Close()
	o, err := db.ProgressReader(context.Background())
	if err != nil {
		return false
	}
	defer o.Close()
	runs, err := o.Read(context.Background())
	if err != nil {
		return false
	}
	n := 0
	for _, r := range runs {
		for _, c := range r.Running {
			if strings.Contains(c.Name, "StumpBoost on ") {
				n++
			}
		}
	}
	return n == 2
}

// TestWatchingARun: where there is no terminal a block is printed, another one when the run is over, and then status
// ends.
func TestWatchingARun(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	run, open := underWay(t, p)
	watch := p.begin(t, "status", "--watch")
	watch.printed.awaits(t, "\nswiss  ")
	first := watch.printed.String()
	must.Hold(t, first, "results.db, protocol table2 ", " of 7 cells", " left", " until ", "StumpBoost on swiss",
		" (run)  ",
		" of "+hostileName+" failed (crash)")
	must.Lack(t, first, "\x1b")
	open()
	run.ends(3)
	watch.ends(0)
	must.Hold(t, strings.TrimPrefix(watch.printed.String(), first), "\nNo run is under way\n", "7/7 (2 failed)")
}

// TestWatchIsInterrupted: Ctrl-C is how one stops looking; a run is waited for.
func TestWatchIsInterrupted(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	p.run(t, "run", "--methods", "CART", "--datasets", "swiss", "--splits", "1")
	watch := p.begin(t, "status", "--watch")
	waitFor(t, func() bool {
		return strings.Contains(watch.said.String(), "no run is under way on results.db; waiting for one (Ctrl-C ends)")
	})
	must.Do(t, watch.Process.Signal(os.Interrupt))
	watch.ends(0)
}
