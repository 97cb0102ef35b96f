package cmd_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// awaits waits until a process has written a text, and returns what follows it in its line.
func awaits(t *testing.T, s *screen, text string) string {
	t.Helper()
	for {
		if _, rest, found := strings.Cut(s.String(), text); found && strings.Contains(rest, "\n") {
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("%q was not written: %s", text, s)
		}
	}
}

func begin(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
}

// TestWorkers: the coordinator runs no cell itself. One worker is killed, a second worker is told to end, and a third worker comes. The database
// has the same content, bit for bit, as that of one process.
func TestWorkers(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	methods := "CART,GBRFF2,GFC"
	if testenv.Thorough(t) {
		methods = families
	}
	alone, p := newProcess(t), newProcess(t)
	whole, said := alone.work(t, methods, 1, 2)
	if err := whole.Run(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	run, told := p.work(t, methods, 1, 0)
	run.Args = append(run.Args, "--listen", "127.0.0.1:0", "--lost", "15s")
	begin(t, run)
	at := strings.Trim(awaits(t, told, "workers: bench worker "), "'")
	worker := func() (*exec.Cmd, *screen) {
		w := newProcess(t)
		c, said := w.command("worker", at, "--jobs", "1")
		begin(t, c)
		return c, said
	}
	killed, _ := worker()
	stopped, _ := worker()
	awaits(t, told, "has come")
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	last, lastSaid := worker()
	if err := stopped.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = stopped.Wait() // killed by the signal, if the worker had not begun
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	if err := last.Wait(); err != nil {
		t.Errorf("the worker did not end with its run: %v: %s", err, lastSaid)
	}
	if got, want := p.storedContent(t), alone.storedContent(t); got != want {
		t.Errorf("with workers other results are stored:\n%s\nthan by one process:\n%s", got, want)
	}
	diff, differs := p.command("diff", filepath.Join(alone.dir, "results.db"), "results.db")
	if err := diff.Run(); err != nil {
		t.Errorf("%v: %s", err, differs)
	}
}

// TestPluginsTravel starts a worker without --plugins-from-coordinator, which refuses the cells of a plugin by name, and the run says
// that no worker takes these cells. A second worker, started with the flag, runs the cells, with the same results as the coordinator
// alone. Meanwhile another machine sends a different result of a cell that is already stored: the run lists both results, and ends
// with the exit code of a conflict.
func TestPluginsTravel(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	skeleton, err := os.ReadFile("skeleton/plugin.sh.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	plugin := strings.NewReplacer("{{.Name}}", "Near", `"tasks"`, `"files":["shift"],"tasks"`, `$(number shift)`, `$(cat "$(dirname "$0")/shift")`).Replace(string(skeleton))
	work := func(p process, args ...string) (*exec.Cmd, *screen) {
		for name, text := range map[string]string{"near.sh": plugin, "shift": "0.25\n"} {
			if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return p.command(append([]string{"run", "--plugin", "near.sh", "--methods", "CART,Near", "--datasets", "swiss,balance", "--splits", "2"}, args...)...)
	}
	alone, p := newProcess(t), newProcess(t)
	if whole, said := work(alone); whole.Run() != nil {
		t.Fatal(said)
	}
	run, told := work(p, "--jobs", "0", "--listen", "127.0.0.1:0")
	begin(t, run)
	at := strings.Trim(awaits(t, told, "workers: bench worker "), "'")
	careful, said := newProcess(t).command("worker", at, "--jobs", "1")
	begin(t, careful)
	awaits(t, said, "refuses Near: this program has no such method; the method is a plugin of the coordinator, and this worker takes no plugins")
	waitFor(t, func() bool { return cellsStored(p) == 4 })
	awaits(t, told, "cells, such as Near on ")

	nc, err := nats.Connect(at, nats.CustomInboxPrefix("bench.run.inbox.worker.liar"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	lie := nats.NewMsg("bench.run.done")
	lie.Header.Set("Bench-Of", "liar.1")
	lie.Header.Set("Bench-Left", "0")
	lie.Data = []byte(`[{"key":"` + p.keyOf(t, "CART", "swiss", 2) + `","machine":"a third machine","run":{"Status":"ok","Score":{"Correct":1}}}]`)
	if _, err := nc.RequestMsgWithContext(t.Context(), lie); err != nil {
		t.Fatal(err)
	}
	awaits(t, told, "a worker sent results that cannot be read: the rows of a score")
	lie.Data = []byte(`[{"key":"` + p.keyOf(t, "CART", "swiss", 1) + `","machine":"another machine","run":{"Status":"ok","Score":{"n":60,"n_correct":1}}}]`)
	if _, err := nc.RequestMsgWithContext(t.Context(), lie); err != nil {
		t.Fatal(err)
	}

	willing, said := newProcess(t).command("worker", at, "--jobs", "1", "--plugins-from-coordinator")
	begin(t, willing)
	if code := exitCode(t, run); code != 4 {
		t.Errorf("exit %d: %s", code, told)
	}
	if text := told.String(); !strings.Contains(text, "workers gave different results for 1 cell; the first result is stored") ||
		!strings.Contains(text, "  CART on swiss, split 1: ok, ") || !strings.Contains(text, "(stored), ok, 1 of 60 test rows correct from another machine\n") || !strings.Contains(text, "complete 8/8") {
		t.Error(text)
	}
	if strings.Contains(told.String(), "a third machine") {
		t.Errorf("half a result is compared: %s", told)
	}
	for _, w := range []*exec.Cmd{careful, willing} {
		if err := w.Wait(); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(said.String(), "took the plugin near.sh of the coordinator, SHA-256 ") {
		t.Error(said)
	}
	if got, want := p.storedContent(t), alone.storedContent(t); got != want {
		t.Errorf("with workers other results are stored:\n%s\nthan by one process:\n%s", got, want)
	}
}

// TestListeningAgain: a run at an address that other machines reach has the certificate and the token of the run before, or
// those that its user gives.
func TestListeningAgain(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t)
	p := newProcess(t)
	listen := func(args ...string) (token, fingerprint string, said *screen) {
		run, said := p.command(append([]string{"run", "--methods", "CART", "--datasets", "balance", "--splits", "1", "--listen", "0.0.0.0:0"}, args...)...)
		_ = run.Run()
		at := strings.Trim(awaits(t, said, "workers: bench worker "), "'")
		at = at[strings.Index(at, "nats://"):]
		link, err := url.Parse(strings.Trim(at, "'"))
		if err != nil {
			t.Fatal(err)
		}
		return link.User.Username(), link.Query().Get("fingerprint"), said
	}
	token, fingerprint, said := listen()
	file := filepath.Join(p.dir, "results.db.listen")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || len(token) < 16 || len(fingerprint) != 64 || !strings.Contains(said.String(), "complete 1/1") {
		t.Fatalf("%v, %v: %s", info, err, said)
	}
	if token2, fingerprint2, said := listen(); token2 != token || fingerprint2 != fingerprint {
		t.Errorf("another token or certificate: %s", said)
	}
	own, err := os.ReadFile(file)
	if err != nil || os.WriteFile(filepath.Join(p.dir, "own.pem"), own, 0o600) != nil || os.Remove(file) != nil {
		t.Fatal(err)
	}
	token3, fingerprint3, said := listen("--cert", "own.pem", "--key", "own.pem")
	if fingerprint3 != fingerprint || token3 == token || len(token3) < 16 {
		t.Errorf("token %s, certificate %s: %s", token3, fingerprint3, said)
	}
}

// TestEngine: a run by a server that stands already, whose coordinator is killed and started again. The worker outlives this,
// the content is that of one process, and nothing is left at the server.
func TestEngine(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t)
	testenv.NotUnderRace(t)
	want, _ := undisturbed(t)
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true, Authorization: "a token of the server"})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	defer s.Shutdown()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server did not start")
	}
	p := newProcess(t)
	if err := os.WriteFile(filepath.Join(p.dir, "token"), []byte("a token of the server\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	coordinate := func() (*exec.Cmd, *screen, string) {
		run, told := p.work(t, families, 2, 0)
		run.Args = append(run.Args, "--engine", "nats://"+s.Addr().String(), "--token-file", "token")
		begin(t, run)
		return run, told, strings.Trim(awaits(t, told, "workers: bench worker --token-file token "), "'")
	}
	killed, _, at := coordinate()
	w := newProcess(t)
	w.dir = p.dir
	worker, said := w.command("worker", at, "--jobs", "1", "--token-file", "token")
	begin(t, worker)
	waitFor(t, func() bool { return cellsStored(p) > 0 })
	_ = killed.Process.Kill()
	_ = killed.Wait()
	run, told, again := coordinate()
	if again != at {
		t.Errorf("the run is at %s, and was at %s", again, at)
	}
	if err := run.Wait(); err != nil {
		t.Fatalf("%v: %s", err, told)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	if got := p.storedContent(t); got != want {
		t.Errorf("other results are stored:\n%s\nthan by one process:\n%s", got, want)
	}
	nc, err := nats.Connect(s.ClientURL(), nats.Token("a token of the server"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for name := range js.StreamNames(t.Context()).Name() {
		t.Errorf("%s is left at the server", name)
	}
}

// keyOf returns the key of a stored cell.
func (p process) keyOf(t *testing.T, method, dataset string, split int) (key string) {
	t.Helper()
	db, err := store.OpenReader(t.Context(), filepath.Join(p.dir, "results.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Query(t.Context(), fmt.Sprintf("SELECT key FROM history WHERE method = '%s' AND dataset = '%s' AND split = %d", method, dataset, split),
		func([]string) error { return nil }, func(r []any) error { key = r[0].(string); return nil })
	if err != nil || key == "" {
		t.Fatalf("no key of %s on %s, %v", method, dataset, err)
	}
	return key
}
