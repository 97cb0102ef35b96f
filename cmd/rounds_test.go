package cmd_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testenv"
)

// A line is a way from workers to a coordinator that can be cut.
type line struct {
	net.Listener
	to    string
	mu    sync.Mutex
	conns []net.Conn
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &line{Listener: at, to: to}
	t.Cleanup(func() { _ = at.Close(); l.cut() })
	go func() {
		for {
			in, err := at.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil { // no coordinator is there at present
				_ = in.Close()
				continue
			}
			l.mu.Lock()
			l.conns = append(l.conns, in, out)
			l.mu.Unlock()
			pass := func(a, b net.Conn) {
				_, _ = io.Copy(a, b)
				_, _ = a.Close(), b.Close()
			}
			go pass(in, out)
			go pass(out, in)
		}
	}()
	return l
}

// cut ends all connections.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

// TestRoundsOfMisfortune disturbs a run that is under way, in turn by four misfortunes. A worker is killed. The coordinator is killed.
// A worker is stopped for so long that the coordinator counts it as lost, and then continues. All connections are cut. No cell is
// lost, no cell counts twice, and the database holds what one undisturbed process would have stored. BENCH_ROUNDS sets the number of
// misfortunes.
func TestRoundsOfMisfortune(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	want, _ := undisturbed(t)
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("BENCH_ROUNDS")); err == nil {
		rounds = n
	}
	const lost = 3 * time.Second
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	way := newLine(t, address)

	var p process
	var run *exec.Cmd
	var told *screen
	var ended chan error
	coordinate := func() {
		run, told = p.work(t, families, 2, 0)
		run.Args = append(run.Args, "--listen", address, "--lost", lost.String())
		begin(t, run)
		ended = make(chan error, 1)
		go func(c *exec.Cmd) { ended <- c.Wait() }(run)
	}
	workers := make([]*exec.Cmd, 2)
	work := func(i int) {
		for { // a worker ends where nobody answers at its start
			w, said := newProcess(t).command("worker", "nats://"+way.Addr().String(), "--jobs", "1")
			begin(t, w)
			workers[i] = w
			gone := make(chan error, 1)
			go func() { gone <- w.Wait() }()
			came := false
			waitFor(t, func() bool {
				came = strings.Contains(told.String(), fmt.Sprintf("/%d has come", w.Process.Pid))
				return came || len(gone) > 0 || len(ended) > 0
			})
			if came || len(ended) > 0 {
				return
			}
			t.Logf("a worker ended at once: %s", said)
		}
	}
	var stored int64
	fresh := func() {
		p, stored = newProcess(t), 0
		coordinate()
		awaits(t, told, "workers: ")
		for i := range workers {
			work(i)
		}
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("the run failed: %v\n%s", err, told)
		}
		if got := p.storedContent(t); got != want {
			t.Errorf("other results are stored:\n%s\nthan by one process:\n%s", got, want)
		}
	}
	fresh()
	lostTwice := 0
	for round := range rounds {
		over := false
		waitFor(t, func() bool {
			over = len(ended) > 0
			return over || cellsStored(p) > stored
		})
		if over {
			err := <-ended
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == 3 && strings.Contains(told.String(), "2 workers were lost while they had this cell") {
				again, said := p.work(t, families, 2, 2) // two misfortunes met one cell, which is a row that says so
				again.Args = append(again.Args, "--retry")
				if err := again.Run(); err != nil {
					t.Fatalf("%v: %s", err, said)
				}
				alone := newProcess(t)
				if c, said := alone.work(t, families, 2, 2); c.Run() != nil {
					t.Fatal(said)
				}
				if c, said := p.command("diff", filepath.Join(alone.dir, "results.db"), "results.db"); c.Run() != nil {
					t.Errorf("the results differ: %s", said)
				}
				lostTwice++
			} else {
				check(err)
			}
			fresh()
		}
		stored = cellsStored(p)
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) // any moment must do
		i := rand.IntN(len(workers))
		switch kind := round % 4; kind {
		case 0:
			_ = workers[i].Process.Kill()
			work(i)
		case 1:
			_ = run.Process.Kill()
			if err := <-ended; err == nil { // the run was over before
				check(nil)
				fresh()
				continue
			}
			coordinate()
		case 2:
			_ = workers[i].Process.Signal(syscall.SIGSTOP)
			time.Sleep(lost + lost/2)
			_ = workers[i].Process.Signal(syscall.SIGCONT)
		case 3:
			way.cut()
		}
	}
	if err := <-ended; err == nil || !strings.Contains(told.String(), "2 workers were lost while they had this cell") {
		check(err)
	}
	t.Logf("%d rounds; %d times two of them met one cell", rounds, lostTwice)
}
