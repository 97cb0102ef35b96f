package cmd_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// address is what a coordinator tells workers, which begins with nats: where it has no token.
func (c *command) address() string {
	c.t.Helper()
	return strings.Trim(c.said.awaits(c.t, "workers: bench worker "), "'")
}

// TestWorkers: the coordinator runs no cell itself. One worker is killed, a second worker is told to end, and a third
// worker comes. The database has the same content, bit for bit, as that of one process.
func TestWorkers(t *testing.T) {
	t.Parallel()
	methods := "CART,GBRFF2,GFC"
	if testenv.Thorough(t) {
		methods = families
	}
	alone, p := newProcess(t), newProcess(t)
	alone.work(t, methods, 1, 2).ends(0)
	p.env = append(p.env, lostVariable+"=15s")
	run := p.work(t, methods, 1, 0, "--listen", "127.0.0.1:0", "--verify-share", "100%").begin()
	at := run.address()
	worker := func() *command { return newProcess(t).begin(t, "worker", at, "--jobs", "1") }
	killed, stopped := worker(), worker()
	run.said.awaits(t, "has come")
	must.Do(t, killed.Process.Kill())
	last := worker()
	must.Do(t, stopped.Process.Signal(syscall.SIGTERM))
	_ = stopped.Wait() // killed by the signal, if the worker had not begun
	run.ends(0, "computing a part of what workers computed once more here", " computed again, none differs\n")
	last.ends(0)
	p.holds(t, alone.storedContent(t))
	p.run(t, "diff", alone.file("results.db"), "results.db")
}

// TestPluginsTravel starts a worker without --plugins-from-coordinator, which refuses the cells of a plugin by name,
// and the run says that no worker takes these cells. A second worker, started with the flag, runs the cells, with the
// same results as a run without workers. Meanwhile the test sends a different result of a stored cell, in the name of a
// third worker. The run lists both results, and ends with the exit code of a conflict.
func TestPluginsTravel(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	skeleton := string(must.Get(os.ReadFile("skeleton/plugin.sh.tmpl"))(t))
	plugin := strings.NewReplacer("{{.Name}}", "Near", `"tasks"`, `"files":["shift"],"tasks"`, `$(number shift)`,
		`$(cat "$(dirname "$0")/shift")`).Replace(skeleton)
	work := func(p process, args ...string) *command {
		p.write(t, "near.sh", plugin)
		p.write(t, "shift", "0.25\n")
		return p.command(t, append([]string{"run", "--plugin", "near.sh", "--methods", "CART,Near",
			"--datasets", "swiss,balance", "--splits", "2"}, args...)...)
	}
	alone, p := newProcess(t), newProcess(t)
	work(alone).ends(0)
	run := work(p, "--jobs", "0", "--listen", "127.0.0.1:0").begin()
	at := run.address()
	careful := newProcess(t).begin(t, "worker", at, "--jobs", "1")
	careful.said.awaits(t, "refuses Near: this program has no such method; the method is a plugin of the coordinator, "+
		"and this worker takes no plugins")
	waitFor(t, func() bool { return p.cellsStored() == 4 })
	run.said.awaits(t, ", such as Near on ")

	nc := must.Get(nats.Connect(at, nats.Name("liar"), nats.CustomInboxPrefix("bench.run.inbox.worker.liar")))(t)
	defer nc.Close()
	lie := nats.NewMsg("bench.run.done")
	tell := func(split int, machine, score string) {
		key := p.value(t, fmt.Sprint("SELECT key FROM history WHERE method = 'CART' AND dataset = 'swiss' AND split = ",
			split))
		lie.Header.Set("Bench-From", fmt.Sprint("liar", split))
		lie.Data = fmt.Appendf(nil, `[{"key":%q,"machine":%q,"run":{"Status":"ok","Score":%s}}]`, key, machine, score)
		must.Get(nc.RequestMsgWithContext(t.Context(), lie))(t)
	}
	tell(2, "a third machine", `{"Correct":1}`)
	run.said.awaits(t, "worker a third machine gets no more cells, and none of its results is taken any more: "+
		"it sent results that cannot be read: Score: the rows of a score")
	tell(1, "another machine", `{"n":60,"n_correct":1}`)

	willing := newProcess(t).begin(t, "worker", at, "--jobs", "1", "--plugins-from-coordinator")
	run.ends(4, "workers gave different results for 1 cell; the first result is stored",
		"  CART on swiss, split 1: ok, ",
		"(stored), ok, 1 of 60 test rows correct from another machine\n", "complete 8/8")
	must.Be(t, strings.Contains(run.said.String(), "from a third machine"), false, "half a result is compared",
		&run.said)
	careful.ends(0)
	willing.ends(0, "took the plugin near.sh of the coordinator, SHA-256 ")
	p.holds(t, alone.storedContent(t))
}

// TestListeningAgain: a run at an address that other machines reach has the certificate and the token of the run
// before, or those that its user gives.
func TestListeningAgain(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	listen := func(args ...string) (token, fingerprint string) {
		run := p.run(t, append([]string{"run", "--methods", "CART", "--datasets", "balance", "--splits", "1",
			"--listen", "0.0.0.0:0"}, args...)...)
		must.Hold(t, run.said.String(), "complete 1/1")
		at := run.address()
		link := must.Get(url.Parse(at[strings.Index(at, "nats://"):]))(t)
		return link.User.Username(), link.Query().Get("fingerprint")
	}
	token, fingerprint := listen()
	file := p.file("results.db.listen")
	if info := must.Get(os.Stat(file))(t); info.Mode().Perm() != 0o600 || len(token) < 16 || len(fingerprint) != 64 {
		t.Fatalf("token %s, certificate %s, %v", token, fingerprint, info)
	}
	if token2, fingerprint2 := listen(); token2 != token || fingerprint2 != fingerprint {
		t.Error("another token or certificate")
	}
	must.Do(t, os.Rename(file, p.file("own.pem")))
	token3, fingerprint3 := listen("--cert", "own.pem")
	if fingerprint3 != fingerprint || token3 == token || len(token3) < 16 {
		t.Errorf("token %s, certificate %s", token3, fingerprint3)
	}
}

// TestEngine: a run by a server that runs already, whose coordinator is killed and started again. The worker outlives
// this, the content is that of one process, and nothing is left at the server.
func TestEngine(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	want, _ := undisturbed(t)
	s := must.Get(server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), NoLog: true, NoSigs: true, Authorization: "a token of the server"}))(t)
	go s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server did not start")
	}
	p := newProcess(t)
	p.write(t, "token", "a token of the server\n")
	coordinate := func() (*command, string) {
		run := p.work(t, families, 2, 0, "--engine", "nats://"+s.Addr().String(), "--token-file", "token").begin()
		return run, strings.Trim(run.said.awaits(t, "workers: bench worker --token-file token "), "'")
	}
	killed, at := coordinate()
	worker := p.begin(t, "worker", at, "--jobs", "1", "--token-file", "token")
	waitFor(t, func() bool { return p.cellsStored() > 0 })
	killed.kill()
	run, again := coordinate()
	must.Be(t, again, at, "the run is at")
	run.ends(0)
	worker.ends(0)
	p.holds(t, want)
	nc := must.Get(nats.Connect(s.ClientURL(), nats.Token("a token of the server")))(t)
	defer nc.Close()
	for name := range must.Get(jetstream.New(nc))(t).StreamNames(t.Context()).Name() {
		t.Errorf("%s is left at the server", name)
	}
}
