package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kernelboosting/bench/internal/test/faulty"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestFaultyMethods: whatever a method does costs its own cell. Its row says what happened, the other
// cells are as if it were not there, the run ends with its summary, and no process is left.
func TestFaultyMethods(t *testing.T) {
	t.Parallel()
	onLinux(t)
	idleAndBusy(t, faultyMethods)
}

// onLinux skips a test elsewhere: cells are isolated, and processes are adopted and found in /proc, on Linux alone.
func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("cells are isolated on Linux only")
	}
}

// idleAndBusy runs a test as it is and, in make fire, while every core is busy.
func idleAndBusy(t *testing.T, test func(t *testing.T)) {
	t.Run("idle", test)
	t.Run("busy", func(t *testing.T) {
		if os.Getenv("BENCH_BUSY") == "" {
			t.Skip("keeps every core busy; make fire runs it")
		}
		var over atomic.Bool
		defer over.Store(true)
		for range 2 * runtime.NumCPU() {
			go func() {
				for !over.Load() {
				}
			}()
		}
		test(t)
	})
}

// oneOfEachFault are what make test tries: a method for each class of failures.
var oneOfEachFault = []string{"Hangs", "PanicsElsewhere", "Exits0", "SaysNaN", "Noisy", "GrowsFast"}

// faultyProcess is a program with faulty methods. What it starts carries a mark in its environment.
func faultyProcess(t *testing.T) (p process, mark string) {
	p = newProcess(t)
	p.copy(t, "short.toml")
	mark = faulty.Mark + "=" + p.dir
	p.program, p.env = "bench-faulty", []string{mark}
	return p, mark
}

// short runs methods on one split of one set.
func (p process) short(t *testing.T, methods string, more ...string) *command {
	args := []string{"run", "--protocol", "short.toml", "--datasets", "swiss", "--methods", methods}
	return p.command(t, append(args, more...)...)
}

// noneLeft fails the test if processes have a mark.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	if left := carriersOf(t, mark); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
}

func faultyMethods(t *testing.T) {
	p, mark := faultyProcess(t)
	run := func(asked []string, more ...string) {
		t.Helper()
		c := p.short(t, strings.Join(append(asked, "Good"), ","), append(more, "--jobs", "2")...)
		c.ends(3, fmt.Sprintf("/%d; ", len(asked)+1))
		noneLeft(t, mark)
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
	rows := must.Get(p.ask(`SELECT method, status, coalesce(failure, ''), coalesce(error, ''), isolated, ` +
		`coalesce(stderr, ''), coalesce(peak_rss_bytes, 0), cpu_seconds IS NULL FROM results`))(t)
	for _, r := range rows {
		method, status, class, says, stderr := r[0].(string), r[1].(string), r[2].(string), r[3].(string), r[5].(string)
		f := faults[method]
		if status != f.Status || class != f.Class || !strings.Contains(says, f.Says) || strings.Contains(says, "\n") ||
			r[4] != int64(1) {
			t.Errorf("%s: %s %s %q, isolated %v; want %s %s and one line with %q", method, status, class, says, r[4],
				f.Status, f.Class, f.Says)
		}
		if len(stderr) > 4000 || method == "Noisy" && !strings.HasSuffix(stderr, "the last line\n") ||
			strings.HasPrefix(method, "Panics") && !strings.Contains(stderr+says, "faulty.go") {
			t.Errorf("%s: standard error of %d bytes ends with %q", method, len(stderr),
				stderr[max(0, len(stderr)-300):])
		}
		if method != "ChangesItsVersion" && (r[6].(int64) < 1<<20 || r[7] != int64(0)) {
			t.Errorf("%s: %v bytes at the peak, no processor time: %v", method, r[6], r[7])
		}
	}
	must.Be(t, len(rows), len(faults))
}

// carriersOf names the processes that have a variable in their environment, whoever started them.
func carriersOf(t *testing.T, variable string) []string {
	t.Helper()
	var out []string
	for _, e := range must.Get(os.ReadDir("/proc"))(t) {
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
	methods := "CART,GBRFF2"
	if testenv.Thorough(t) {
		methods = families
	}
	here, apart := newProcess(t), newProcess(t)
	here.work(t, methods, 1, 2, "--isolate=false").ends(0)
	apart.work(t, methods, 1, 2, "--isolate=true").ends(0)
	apart.holds(t, here.storedContent(t))
}

// TestNothingOutlivesAKilledHarness: also what ignores signals in a session of its own is gone.
func TestNothingOutlivesAKilledHarness(t *testing.T) {
	t.Parallel()
	p, mark := faultyProcess(t)
	c := p.short(t, "IgnoresSIGTERM,OrphanThenExit,Hangs", "--jobs", "3").begin()
	waitFor(t, func() bool { return len(carriersOf(t, mark)) >= 7 }) // keepers, workers, what they started
	c.kill()
	waitFor(t, func() bool { return len(carriersOf(t, mark)) == 0 })
}

// TestAKillerInProcessIsIsolatedByTheNextRun: with --isolate=false methods run inside the program, so that a method
// that exits ends the whole program. The next run gives that method a process of its own and stores its failure as a
// row.
func TestAKillerInProcessIsIsolatedByTheNextRun(t *testing.T) {
	t.Parallel()
	p, _ := faultyProcess(t)
	run := func() *command { return p.short(t, "Exits0,PanicsElsewhere,Good", "--jobs", "1", "--isolate=false") }
	if c := run().ends(0); strings.Contains(c.said.String(), "complete") {
		t.Fatalf("the first method is to end the program\n%s", &c.said)
	}
	// A canary of either killer ends the program, too. Canaries are placed at random among the cells, so that
	// the number of runs varies.
	code, said := 0, ""
	for tries := 0; code != 3 && tries < 10; tries++ {
		c := run()
		code = c.code()
		said += c.said.String()
	}
	must.Hold(t, said, "complete 1/3; 2 failed", "is run in a process of its own: Exits0 on swiss, split 1")
	good, crashed := p.rows(t, "method = 'Good' AND status = 'ok'"),
		p.rows(t, "status = 'failed' AND failure = 'crash'")
	if code != 3 || good != 1 || crashed != 2 {
		t.Errorf("exit %d, or the rows are others:\n%s", code, said)
	}
}

// TestAKillerOfTheHarnessComesLast: a cell during which the program was killed is run after all other cells, and when
// the program is killed during it again, the cell is stored as failed. The test itself kills the program when the cell
// has begun.
func TestAKillerOfTheHarnessComesLast(t *testing.T) {
	t.Parallel()
	p, mark := faultyProcess(t)
	const killer = "IgnoresSIGTERM"
	killed := func(until func() bool) {
		t.Helper()
		c := p.short(t, killer+",Remembers,Restless", "--jobs", "1").begin()
		waitFor(t, until)
		c.kill()
		waitFor(t, func() bool { return len(carriersOf(t, mark)) == 0 })
	}
	begun := func() bool { // what the method starts is there
		return slices.ContainsFunc(carriersOf(t, mark), func(line string) bool {
			return strings.Contains(line, "sleep 200000")
		})
	}
	killed(begun)
	if n := p.rows(t, "1"); n != 0 {
		t.Fatalf("%d cells are stored before the killer's begins; the test needs one that begins first", n)
	}
	killed(begun)
	must.Be(t, p.rows(t, "status = 'ok'"), 2)
	killed(func() bool { return p.rows(t, "method = '"+killer+"'") == 1 })
	must.Be(t, p.rows(t, "method = '"+killer+"' AND status = 'failed' AND failure = 'crash' AND error LIKE 'the "+
		"program ended 2 times while this cell was running; %--retry'"), 1,
		"the row does not say what became of the cell")
}
