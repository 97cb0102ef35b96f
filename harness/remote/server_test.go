package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// identity is kept in a file of the test.
func identity(t *testing.T) (file string, id Identity) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "identity")
	id = must.Get(KeptIdentity(file))(t)
	return file, id
}

// TestIdentityIsKept: an identity is the same when it is read again, and nobody else may read it.
func TestIdentityIsKept(t *testing.T) {
	file, id := identity(t)
	again, err := KeptIdentity(file)
	if err != nil || again.Token != id.Token || len(id.Token) < 16 || !bytes.Equal(again.Certificate.Certificate[0],
		id.Certificate.Certificate[0]) {
		t.Error(again.Token, id.Token, err)
	}
	must.Be(t, must.Get(os.Stat(file))(t).Mode().Perm(), 0o600)
	if _, other := identity(t); other.Token == id.Token || bytes.Equal(other.Certificate.Certificate[0],
		id.Certificate.Certificate[0]) {
		t.Error("two identities are the same")
	}
	must.Do(t, os.Chmod(file, 0o640))
	must.Say(t, must.Err(KeptIdentity(file)), "other users may read")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil || os.Chmod(file, 0o600) != nil {
		t.Fatal(err)
	}
	must.Say(t, must.Err(KeptIdentity(file)), "delete the file")
}

// TestSecrets: an address of this machine's network needs the token and the certificate.
func TestSecrets(t *testing.T) {
	t.Parallel()
	_, id := identity(t)
	for _, o := range []Options{{Token: id.Token}, {Certificate: &id.Certificate}} {
		o.Address, o.Folder = "0.0.0.0:0", t.TempDir()
		must.Say(t, must.Err(Listen(o)), "needs a token and a certificate")
	}
	token := id.Token
	p := newPool(t, Options{Address: "0.0.0.0:0", Token: token, Certificate: &id.Certificate})
	_, query, _ := strings.Cut(p.URL, "?")
	host := fmt.Sprintf("127.0.0.1:%s", p.URL[strings.LastIndex(p.URL[:strings.Index(p.URL, "?")], ":")+
		1:strings.Index(p.URL, "?")])
	for what, at := range map[string]string{
		"refuses the token":        "nats://wrong@" + host + "?" + query,
		"has the fingerprint":      "nats://" + token + "@" + host + "?fingerprint=00",
		"with ?fingerprint=":       "nats://" + token + "@" + host,
		"no coordinator answers":   "nats://" + token + "@127.0.0.1:1",
		"needs tls://, or ?finger": "nats://" + token + "@example.org:4222",
		"is not an address":        "http://" + host,
	} {
		must.Say(t, Serve(t.Context(), at, options(answers)), what)
	}
	serve(t, p, "nats://"+token+"@"+host+"?"+query, options(answers))
	until(t, p, slots(1))
	must.Be(t, must.Get(anywhere(t.Context(), p, cell("M", 2)))(t).TestRows, 200)
}

// TestWhatWorkersMayNotDo: who has the token of workers, or at a loopback address no token, cannot do what only the
// coordinator does. The server names each try.
func TestWhatWorkersMayNotDo(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Token: "a token of workers"})
	serve(t, p, p.URL, func() WorkerOptions { o := options(answers); o.Token = "a token of workers"; return o }())
	until(t, p, slots(1))
	must.Be(t, must.Get(anywhere(t.Context(), p, cell("M", 1)))(t).Status, result.OK)
	group := p.Rooms()[0].Name
	nc, err := nats.Connect(p.server.ClientURL(), nats.Token("a token of workers"), nats.Name("thief"),
		nats.CustomInboxPrefix(p.names.inbox("worker.thief")), nats.PermissionErrOnSubscribe(true),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	must.Do(t, err)
	defer nc.Close()
	denied := func(subject string) {
		t.Helper()
		must.Do(t, nc.Flush())
		if err := nc.LastError(); err == nil || !strings.Contains(strings.ToLower(err.Error()),
			`"`+strings.ToLower(subject)+`"`) {
			t.Errorf("%s is not refused: %v", subject, err)
		}
	}
	stream := p.names.stream()
	for _, subject := range []string{
		"$JS.API.STREAM.DELETE." + stream, "$JS.API.STREAM.PURGE." + stream, "$JS.API.STREAM.UPDATE." + stream,
		"$JS.API.STREAM.CREATE.OTHER",
		"$JS.API.STREAM.MSG.DELETE." + stream, "$JS.API.STREAM.MSG.GET." + stream, "$JS.API.DIRECT.GET." + stream,
		"$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO." + stream,
		"$JS.API.CONSUMER.CREATE." + stream, "$JS.API.CONSUMER.DURABLE.CREATE." + stream + ".mine",
		"$JS.API.CONSUMER.DELETE." + stream + "." + group, "$JS.API.INFO",
		p.names.cells(group), p.names.over(), p.names.stop(), p.names.here(), p.names.inbox("worker.other"),
		p.names.objectsOf("other"), p.names.inbox("coordinator.x"), "bench.another.hello", "elsewhere",
	} {
		must.Do(t, nc.Publish(subject, []byte(`{}`)))
		denied(subject)
	}
	for _, subject := range []string{">", "bench.>", p.names.of(">"), p.names.cells(group), p.names.hello(),
		p.names.done(), p.names.inbox("coordinator.>"), p.names.inbox("worker.>"),
		p.names.objectsOf("other"), "_INBOX.>", "$SYS.>", "$JS.>"} {
		must.Get(nc.Subscribe(subject, func(*nats.Msg) {}))(t)
		denied(subject)
	}
	// An answer of the coordinator does not become a cell.
	for _, subject := range []string{p.names.hello(), p.names.done(), p.names.object()} {
		must.Do(t, nc.PublishRequest(subject, p.names.cells(group), []byte(`{"worker":"thief","jobs":1}`)))
	}
	// after this the coordinator has seen the others
	must.Get(nc.Request(p.names.object(), nil, askWithin))(t)
	if info, err := p.stream.Info(t.Context()); err != nil || info.State.LastSeq != 1 || info.State.Consumers < 1 {
		t.Errorf("the stream is %+v, %v", info, err)
	}
}

// TestAWorkerOutlivesItsCoordinator: the coordinator ends while a cell is under way and is started again with its
// identity. The worker comes back, and its result counts without the cell being run again.
func TestAWorkerOutlivesItsCoordinator(t *testing.T) {
	t.Parallel()
	file, id := identity(t)
	first := newPool(t, Options{Address: "127.0.0.1:0", Token: id.Token, Certificate: &id.Certificate})
	var ran atomic.Int32
	began, goOn := make(chan bool), make(chan bool)
	opt := options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		if ran.Add(1) == 1 { // the cell may be run once more
			began <- true
			<-goOn
		}
		return answers(ctx, c)
	})
	opt.Token = id.Token
	serve(t, first, first.URL, opt)
	until(t, first, slots(1))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := anywhere(ctx, first, cell("M", 1))
		ended <- err
	}()
	<-began
	address := first.server.Addr().String()
	first.Close(false)
	cancel()
	<-ended
	if id, _ = KeptIdentity(file); id.Token == "" {
		t.Fatal("the identity is gone")
	}
	second := newPool(t, Options{Address: address, Token: id.Token, Certificate: &id.Certificate})
	must.Be(t, second.URL, first.URL)
	until(t, second, slots(1))
	close(goOn)
	for split := range 2 {
		for { // the worker may still be at its first cell
			run, err := anywhere(t.Context(), second, cell("M", split+1))
			if err == nil && run.TestRows == 100*(split+1) {
				break
			}
			until(t, second, slots(1))
		}
	}
	if n := ran.Load(); n > 3 { // the first cell once more where it was handed out before its result came
		t.Errorf("2 cells were run %d times", n)
	}
}

// TestALateAnswerAcknowledgesNothingElse: a worker that comes to a second coordinator with a cell of the first one ends
// this cell. That must not count for the cell that the second coordinator handed out in the same place of its own
// queue: when the other worker is killed with that cell, the cell is delivered again.
func TestALateAnswerAcknowledgesNothingElse(t *testing.T) {
	t.Parallel()
	first := newPool(t, Options{Lost: 3 * time.Second})
	began, goOn := make(chan bool, 1), make(chan bool)
	serve(t, first, first.URL, options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		if c.Cell.Method == "Old" {
			began <- true
			<-goOn
		}
		return answers(ctx, c)
	}))
	until(t, first, slots(1))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { _, _ = anywhere(ctx, first, cell("Old", 1)) }()
	<-began
	address := first.server.Addr().String()
	first.Close(false)
	cancel()
	second := newPool(t, Options{Address: address, Lost: 3 * time.Second})
	until(t, second, slots(1))
	killed := killedWorker(t, second)
	until(t, second, slots(2))
	ended := make(chan callEnd, 1)
	go func() {
		run, err := anywhere(t.Context(), second, cell("New", 2))
		ended <- callEnd{run, err}
	}()
	<-killed
	close(goOn)
	if end := <-ended; end.err != nil || end.run.TestRows != 200 {
		t.Errorf("%+v", end)
	}
}

// engine is a NATS server of others.
func engine(t *testing.T, opt server.Options) *server.Server {
	t.Helper()
	opt.Host, opt.Port, opt.JetStream, opt.StoreDir, opt.NoLog, opt.NoSigs = "127.0.0.1", server.RANDOM_PORT, true,
		t.TempDir(), true, true
	s := must.Get(server.NewServer(&opt))(t)
	go s.Start()
	if !s.ReadyForConnections(startsWithin) {
		t.Fatal("the server did not start")
	}
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// TestRunsAtOneServer: two runs at a server of others get their own workers' results. A third of the same name is
// refused while the first is there. What a killed coordinator left is replaced, and what ended runs left is nothing.
func TestRunsAtOneServer(t *testing.T) {
	t.Parallel()
	s := engine(t, server.Options{Username: "user", Password: "password"})
	at := "nats://" + s.Addr().String()
	nc := must.Get(nats.Connect(at, nats.UserInfo("user", "password")))(t)
	defer nc.Close()
	js := must.Get(jetstream.New(nc))(t)
	left := jetstream.StreamConfig{Name: names{"one"}.stream(), Subjects: []string{names{"one"}.cells("*")}}
	must.Get(js.CreateStream(t.Context(), left))(t)
	must.Get(js.Publish(t.Context(), names{"one"}.cells("group"), []byte("of a killed coordinator")))(t)
	pools := map[string]*Pool{}
	for _, run := range []string{"one", "two"} {
		p := newPool(t, Options{Engine: at, Run: run, Token: "user:password"})
		pools[run] = p
		opt := options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
			out, err := answers(ctx, c)
			out.Error = run
			return out, err
		})
		opt.Token = "user:password"
		serve(t, p, p.URL, opt)
	}
	must.Say(t, must.Err(Listen(Options{Engine: at, Run: "one", Token: "user:password"})),
		"another run of the same database")
	must.Say(t, must.Err(Listen(Options{Engine: at, Run: "one", Token: "user:wrong"})), "Authorization")
	for run, p := range pools {
		until(t, p, slots(1))
		large := cell("M", 1)
		large.Protocol.TOML = strings.Repeat("x", 3<<20) // this server's messages have at most 1 MiB
		if got, err := anywhere(t.Context(), p, large); err != nil || got.Error != run ||
			got.ProtocolText != large.Protocol.TOML {
			t.Errorf("run %s got a result of %q, %v", run, got.Error, err)
		}
		p.Close(true)
	}
	for name := range js.StreamNames(t.Context()).Name() {
		t.Errorf("%s is left", name)
	}
}

// TestEnginesAreSafe: an address of another machine needs TLS, and a certificate that is trusted, or known by its
// fingerprint.
func TestEnginesAreSafe(t *testing.T) {
	t.Parallel()
	_, id := identity(t)
	s := engine(t, server.Options{Authorization: "a token of the server", TLS: true, TLSTimeout: 10,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{id.Certificate}}})
	at := s.Addr().String()
	for url, want := range map[string]string{
		"nats://example.org:4222":                "needs tls://",
		"tls://" + at:                            "certificate",
		"tls://" + at + "?fingerprint=00":        "has the fingerprint",
		"nats://" + at + "?fingerprint=00&run=x": "has the fingerprint",
	} {
		must.Say(t, must.Err(Listen(Options{Engine: url, Run: "one", Token: "a token of the server"})), want)
	}
	p := newPool(t, Options{Engine: "tls://" + at + "?fingerprint=" + fingerprint(id.Certificate.Certificate[0]),
		Run: "one", Token: "a token of the server", Lost: time.Hour})
	opt := options(answers)
	opt.Token = "a token of the server"
	serve(t, p, p.URL, opt)
	until(t, p, slots(1))
	must.Be(t, must.Get(anywhere(t.Context(), p, cell("M", 2)))(t).TestRows, 200)
}
