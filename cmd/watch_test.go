package cmd_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// gate names a file in the environment. Fits of gated wait until it is there.
const gate = "BENCH_TEST_GATE"

// gated is stump whose fits wait for a file, so that a run is under way as long as a test likes.
func gated() registry.Spec {
	return stumpThat("1", func(ctx context.Context, _ registry.Env, _ registry.Data, p stumpParams) (registry.Model, error) {
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

// aPlugin fails, and writes to standard error what wants to be one, too.
const aPlugin = `while read -r line; do
	id=$(printf '%s\n' "$line" | sed 's/^{"id":\([0-9]*\).*/\1/')
	case $line in
	*describe*) echo '{"id":'$id',"protocol":[1,1],"name":"` + hostileName + `","version":"1","tasks":["binary"]}' ;;
	*) echo '<script>document.title="owned"</script>' >&2; exit 3 ;;
	esac
done
`

// underWay begins a run of two methods whose cells wait: CART has ended, the plugin has failed, and StumpBoost is being fitted. open lets it go on.
func underWay(t *testing.T, p process) (run *exec.Cmd, told *screen, open func()) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(p.dir, "plugins"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "plugins", "a.sh"), []byte(aPlugin), 0o644); err != nil {
		t.Fatal(err)
	}
	run, told = p.command("run", "--methods", "CART,StumpBoost,"+hostileName, "--datasets", "swiss", "--splits", "2", "--jobs", "2", "--isolate=false")
	run.Path, run.Args[0] = mustLookPath(t, "bench-gated"), "bench-gated"
	file := filepath.Join(p.dir, "gate")
	run.Env = append(run.Env, gate+"="+file)
	begin(t, run)
	waitFor(t, func() bool { return waits(p) })
	return run, told, func() {
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// waits reports whether the database says that cells of StumpBoost alone are being computed, two at a time. The first cells of
// the other methods have ended then: they come before any second one.
func waits(p process) bool {
	db, err := store.OpenReader(context.Background(), filepath.Join(p.dir, "results.db"))
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

// TestWatchingARun: where there is no terminal a block is printed, another one when the run is over, and then status ends.
func TestWatchingARun(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	run, told, open := underWay(t, p)
	watch, said := p.command("status", "--watch")
	var out screen
	watch.Stdout = &out
	begin(t, watch)
	waitFor(t, func() bool { return strings.Contains(out.String(), "data set") })
	first := out.String()
	for _, want := range []string{"results.db, protocol table2 ", " of 8 cells", " left, until ", "StumpBoost on swiss", " (run)  ", " of " + hostileName + " failed (crash)", "\nswiss  "} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not shown in\n%s", want, first)
		}
	}
	if strings.Contains(first, "\x1b") {
		t.Errorf("a file is written as a terminal is: %q", first)
	}
	open()
	if code := exitCode(t, run); code != 3 {
		t.Fatalf("exit %d: %s", code, told)
	}
	if err := watch.Wait(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	if last := strings.TrimPrefix(out.String(), first); !strings.Contains(last, "\nno run is under way\n") || !strings.Contains(last, "6/6 (2 failed)") {
		t.Errorf("the last block is\n%s", last)
	}
}

// TestWatchIsInterrupted: Ctrl-C is how one stops looking; a run is waited for.
func TestWatchIsInterrupted(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	if c, said := p.command("run", "--methods", "CART", "--datasets", "swiss", "--splits", "1"); c.Run() != nil {
		t.Fatal(said)
	}
	for _, args := range [][]string{{"status", "--watch"}, {"serve", "127.0.0.1:0"}, {"serve", "0.0.0.0:0"}} {
		watch, said := p.command(args...)
		var out screen
		watch.Stdout = &out
		begin(t, watch)
		waitFor(t, func() bool { return strings.Contains(said.String()+out.String(), "\n") })
		if err := watch.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := watch.Wait(); err != nil {
			t.Errorf("%v: %v: %s", args, err, said)
		}
		switch text := out.String(); {
		case args[0] == "status" && said.String() != "no run is under way on results.db; waiting for one (Ctrl-C ends)\n",
			args[0] == "serve" && args[1][0] == '1' && !strings.HasPrefix(text, "http://127.0.0.1:"):
			t.Errorf("%v says %q and %q", args, said, text)
		}
	}
}
