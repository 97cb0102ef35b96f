package cmd_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
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
	at := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
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

// TestRoundsOfMisfortune disturbs a run that is under way in four ways, in turn. A worker is killed. The
// coordinator is killed. A worker is stopped for so long that the coordinator counts it as lost, and then continues.
// All connections are cut. No cell is lost, no cell counts twice, and the database holds what one undisturbed process
// would have stored. BENCH_ROUNDS sets the number of disturbances.
func TestRoundsOfMisfortune(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	want, _ := undisturbed(t)
	rounds := 5
	if n, err := strconv.Atoi(os.Getenv("BENCH_ROUNDS")); err == nil {
		rounds = n
	}
	const lost = 3 * time.Second
	free := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := free.Addr().String()
	_ = free.Close()
	way := newLine(t, address)

	var p process
	var run *command
	var ended chan error
	coordinate := func() {
		run, ended = p.work(t, families, 2, 0, "--listen", address).begin(),
			make(chan error, 1)
		go func(c *command, ended chan error) { ended <- c.Wait() }(run, ended)
	}
	workers := make([]*command, 2)
	work := func(i int) {
		for { // a worker ends where nobody answers at its start
			w := newProcess(t).begin(t, "worker", "nats://"+way.Addr().String(), "--jobs", "1")
			workers[i] = w
			gone := make(chan error, 1)
			go func() { gone <- w.Wait() }()
			came := false
			waitFor(t, func() bool {
				came = strings.Contains(run.said.String(), fmt.Sprintf("/%d has come", w.Process.Pid))
				return came || len(gone) > 0 || len(ended) > 0
			})
			if came || len(ended) > 0 {
				return
			}
			t.Logf("a worker ended at once: %s", &w.said)
		}
	}
	var stored int64
	fresh := func() {
		p, stored = newProcess(t), 0
		p.env = append(p.env, lostVariable+"="+lost.String())
		coordinate()
		run.said.awaits(t, "workers: ")
		for i := range workers {
			work(i)
		}
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("the run failed: %v\n%s", err, &run.said)
		}
		p.holds(t, want)
	}
	fresh()
	lostTwice := 0
	for round := range rounds {
		over := false
		waitFor(t, func() bool {
			over = len(ended) > 0
			return over || p.cellsStored() > stored
		})
		if over {
			err := <-ended
			var exit *exec.ExitError
			if errors.As(err, &exit) && exit.ExitCode() == 3 && strings.Contains(run.said.String(),
				"2 workers were lost while they had this cell") {
				// two misfortunes met one cell, which is a row that says so
				p.work(t, families, 2, 2, "--retry").ends(0)
				alone := newProcess(t)
				alone.work(t, families, 2, 2).ends(0)
				p.run(t, "diff", alone.file("results.db"), "results.db")
				lostTwice++
			} else {
				check(err)
			}
			fresh()
		}
		stored = p.cellsStored()
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
	if err := <-ended; err == nil || !strings.Contains(run.said.String(), "2 workers were lost while they had this "+
		"cell") {
		check(err)
	}
	t.Logf("%d rounds; %d times two of them met one cell", rounds, lostTwice)
}
