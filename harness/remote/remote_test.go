package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/nats-io/nats.go"
)

// workerVariable makes the test binary a worker of the coordinator that it names, whose cells never end.
const workerVariable = "REMOTE_TEST_WORKER"

func TestMain(m *testing.M) {
	if at := os.Getenv(workerVariable); at != "" {
		err := Serve(context.Background(), at, options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
			fmt.Println("began", c.Key)
			<-ctx.Done()
			return result.Run{}, ctx.Err()
		}))
		fmt.Println("ended", err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type runs func(context.Context, runner.CellSpec) (result.Run, error)

func (r runs) Run(ctx context.Context, c runner.CellSpec) (result.Run, error) { return r(ctx, c) }

// options are those of a worker that runs one cell at a time.
func options(run runs) WorkerOptions {
	return WorkerOptions{
		Machine: "test", Jobs: 1, Memory: 1 << 30, Environment: result.Environment{CPU: "of the worker"},
		Check: func(runner.CellSpec, string) error { return nil },
		Cells: func(time.Duration) runner.Runner { return run },
	}
}

// answers gives a result that tells which cell it is of.
func answers(_ context.Context, c runner.CellSpec) (result.Run, error) {
	run := c.NewRun()
	run.Status, run.TestRows, run.Scores = result.OK, 100*c.Cell.Split, []float64{0.1, -0.5, 1e-308}
	return run, nil
}

func newPool(t *testing.T, opt Options) *Pool {
	t.Helper()
	if opt.Address == "" {
		opt.Address = "127.0.0.1:0"
	}
	opt.Folder = t.TempDir()
	opt.Log = t.Logf
	p, err := Listen(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(true) })
	return p
}

// serve starts a worker in this process. stop ends it as SIGTERM does and waits for it.
func serve(t *testing.T, p *Pool, at string, opt WorkerOptions) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, at, opt) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// until waits for a state of the pool. A wait ends by what happens, or by the test's own limit of time.
func until(t *testing.T, p *Pool, is func([]schedule.Room) bool) {
	t.Helper()
	for !is(p.Rooms()) {
		select {
		case <-p.Changed():
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the test ended")
		}
	}
}

func slots(n int) func([]schedule.Room) bool {
	return func(rooms []schedule.Room) bool {
		sum := 0
		for _, r := range rooms {
			sum += r.Slots
		}
		return sum == n
	}
}

// anywhere runs a cell in a room that takes it.
func anywhere(ctx context.Context, p *Pool, c runner.CellSpec) (result.Run, error) {
	for _, r := range p.Rooms() {
		if r.Takes(c) {
			return p.RunIn(ctx, r.Name, c)
		}
	}
	return result.Run{}, schedule.ErrGivenBack
}

func cell(method string, split int) runner.CellSpec {
	c := runner.CellSpec{Cell: runner.Cell{Protocol: "p", Dataset: "swiss", Method: method, Split: split}, Key: fmt.Sprint(method, split)}
	e, err := catalogue.Builtin().Lookup("swiss")
	if err != nil {
		panic(err)
	}
	c.Set = e.Description()
	return c
}

// TestWorkersShareCells: each cell comes back once, filled by a worker, under its own key.
func TestWorkersShareCells(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	serve(t, p, p.URL, options(answers))
	liar := options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		run, err := answers(ctx, c)
		run.Key, run.Method = "another", "Another"
		return run, err
	})
	liar.Jobs = 3
	serve(t, p, p.URL, liar)
	until(t, p, slots(4))
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			c := cell("M", i+1)
			run, err := anywhere(t.Context(), p, c)
			if err != nil || run.Key != c.Key || run.Method != "M" || run.TestRows != 100*(i+1) || run.Environment.CPU != "of the worker" || run.Scores[2] != 1e-308 {
				t.Errorf("%v: %+v, %v", c.Cell, run, err)
			}
		})
	}
	all.Wait()
	if len(p.calls) != 0 {
		t.Errorf("%d calls are left", len(p.calls))
	}
	info, err := p.stream.Info(t.Context())
	if err != nil || info.State.Msgs != 0 {
		t.Errorf("%d messages are left, %v", info.State.Msgs, err)
	}
}

// TestRefusedMethodsGoElsewhere: a worker with another version gives the cell back, and gets no other of that method.
func TestRefusedMethodsGoElsewhere(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	other := options(answers)
	other.Check = func(c runner.CellSpec, code string) error {
		if c.Cell.Method == "Other" {
			return &runner.Refusal{What: "Other", Why: "version 2 was asked for, this program has 1"}
		}
		return nil
	}
	serve(t, p, p.URL, other)
	until(t, p, slots(1))
	for range 2 { // the second is not handed out
		if _, err := anywhere(t.Context(), p, cell("Other", 1)); !errors.Is(err, schedule.ErrGivenBack) {
			t.Fatal(err)
		}
	}
	if r := p.Rooms()[0]; r.Takes(cell("Other", 1)) || !r.Takes(cell("M", 1)) {
		t.Errorf("the room refuses %v", r.Refuses)
	}
	serve(t, p, p.URL, options(answers))
	until(t, p, slots(2))
	for _, method := range []string{"Other", "M"} {
		if run, err := anywhere(t.Context(), p, cell(method, 1)); err != nil || run.Status != result.OK {
			t.Errorf("%s: %v, %v", method, run.Status, err)
		}
	}
}

// TestStoppedWorkerGivesBack: what a worker had when it was told to end goes back at once.
func TestStoppedWorkerGivesBack(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: time.Hour})
	began := make(chan bool)
	stop := serve(t, p, p.URL, options(func(ctx context.Context, _ runner.CellSpec) (result.Run, error) {
		began <- true
		<-ctx.Done()
		return result.Run{}, ctx.Err()
	}))
	until(t, p, slots(1))
	ended := make(chan error)
	go func() {
		_, err := anywhere(context.WithoutCancel(t.Context()), p, cell("M", 1))
		ended <- err
	}()
	<-began
	go stop()
	if err := <-ended; !errors.Is(err, schedule.ErrGivenBack) {
		t.Error(err)
	}
	until(t, p, slots(0))
}

// TestCancelledCellsEnd: a worker ends a cell that nobody waits for, and goes on.
func TestCancelledCellsEnd(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: time.Hour})
	began, gone := make(chan bool), make(chan bool)
	serve(t, p, p.URL, options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		if c.Cell.Method == "M" {
			return answers(ctx, c)
		}
		began <- true
		<-ctx.Done()
		gone <- true
		return result.Run{}, ctx.Err()
	}))
	until(t, p, slots(1))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	if _, err := anywhere(ctx, p, cell("Endless", 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-gone
	if run, err := anywhere(t.Context(), p, cell("M", 1)); err != nil || run.Status != result.OK {
		t.Error(run.Status, err)
	}
}

// killedWorker starts a worker as a process whose cells never end. It returns a channel that is closed when
// the process has been killed with its first cell.
func killedWorker(t *testing.T, p *Pool) <-chan struct{} {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), workerVariable+"="+p.URL)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "began") {
				break
			}
		}
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	return killed
}

// TestKilledWorkersLoseNoCell: a cell whose worker was killed goes to another; the second death is a row.
func TestKilledWorkersLoseNoCell(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 3 * time.Second})
	killed := killedWorker(t, p)
	until(t, p, slots(1))
	ended := make(chan callEnd, 1)
	go func() {
		run, err := anywhere(t.Context(), p, cell("M", 1))
		ended <- callEnd{run, err}
	}()
	<-killed
	serve(t, p, p.URL, options(answers))
	end := <-ended
	if errors.Is(end.err, schedule.ErrGivenBack) { // the worker came after the other was missed
		until(t, p, slots(1))
		end.run, end.err = anywhere(t.Context(), p, cell("M", 1))
	}
	if end.err != nil || end.run.TestRows != 100 {
		t.Errorf("%+v", end)
	}
}

func TestACellThatTwoWorkersWereLostWithIsARow(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 3 * time.Second})
	first, second := killedWorker(t, p), killedWorker(t, p)
	until(t, p, slots(2))
	run, err := anywhere(t.Context(), p, cell("Deadly", 1))
	if err != nil || run.Class != result.ClassCrash || !strings.Contains(run.Error, "2 workers were lost while they had this cell") {
		t.Errorf("%+v, %v", run, err)
	}
	<-first
	<-second
}

// give gives a pool a worker's result.
func give(t *testing.T, p *Pool, d done) {
	t.Helper()
	data, err := encode([]done{d})
	if err != nil {
		t.Fatal(err)
	}
	p.takeAll(data)
}

// TestResultsCountOnce: another result of a cell changes nothing. It is a conflict where it says something else than the
// first, other than times and what only a machine's limits say.
func TestResultsCountOnce(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	out := &call{id: "id", spec: cell("M", 1), ends: make(chan callEnd, 1)}
	p.calls[out.spec.Key] = out
	first := out.spec.NewRun()
	right := 7
	first.Status, first.TestRows, first.ScoresHash, first.Test = result.OK, 10, "abc", result.Score{N: 10, Correct: &right}
	first.Evaluations = []result.Evaluation{{FitSeconds: 1}}
	slower, late, other := first, first, first
	seconds, wrong := 3.5, 6
	slower.FitSeconds, slower.StartedAt, slower.Evaluations = &seconds, "later", []result.Evaluation{{FitSeconds: 2}}
	late.Status, late.Class = result.Timeout, result.ClassTimeout
	other.Test.Correct, other.ScoresHash = &wrong, "abd"
	for i, r := range []result.Run{first, slower, late, other, other} {
		give(t, p, done{ID: "id", Key: out.spec.Key, Machine: fmt.Sprint("machine ", i), Run: &r})
	}
	if end := <-out.ends; *end.run.Test.Correct != 7 || len(out.ends) != 0 {
		t.Errorf("%+v and %d more", end.run, len(out.ends))
	}
	want := []string{
		"M on swiss, split 1: ok, 7 of 10 test rows correct, hash of the test scores abc by machine 0, ok, 6 of 10 test rows correct, hash of the test scores abd by machine 3",
		"M on swiss, split 1: ok, 7 of 10 test rows correct, hash of the test scores abc by machine 0, ok, 6 of 10 test rows correct, hash of the test scores abd by machine 4",
	}
	var got []string
	for _, c := range p.Conflicts() {
		got = append(got, fmt.Sprintf("%v: %s by %s, %s by %s", c.Cell, c.Values[0], c.Workers[0], c.Values[1], c.Workers[1]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("conflicts\n%s, not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestUnaskedResultsAreKept: a result that an earlier coordinator asked for counts when its cell is handed out, if it
// comes from the same code.
func TestUnaskedResultsAreKept(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Code: func(runner.CellSpec) string { return "code" }})
	for split, code := range map[int]string{1: "code", 2: "other code"} {
		c := cell("M", split)
		run := c.NewRun()
		run.TestRows = 100 * split
		give(t, p, done{ID: "of another time", Key: c.Key, Code: code, Run: &run})
	}
	if run, err := p.RunIn(t.Context(), "nobody", cell("M", 1)); err != nil || run.TestRows != 100 {
		t.Error(run.TestRows, err)
	}
	if _, err := p.RunIn(t.Context(), "nobody", cell("M", 2)); !errors.Is(err, schedule.ErrGivenBack) {
		t.Error(err)
	}
}

// TestParts: what was split comes back from its parts, whatever a sender began before.
func TestParts(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	long := []byte(strings.Repeat("0123456789", largest/4))
	joins := parts{}
	begun := split(p.nc, "s", "w", long)
	if len(begun) != 3 {
		t.Fatalf("%d parts", len(begun))
	}
	for _, m := range []*nats.Msg{begun[0], begun[2], begun[1], {Header: nats.Header{}}} {
		if joins.add(m) != nil {
			t.Error("parts in a wrong order are taken for a whole")
		}
	}
	for i, m := range split(p.nc, "s", "w", long) {
		if got := joins.add(m); (got != nil) != (i == 2) || got != nil && !bytes.Equal(got, long) {
			t.Errorf("part %d gives %d bytes", i, len(got))
		}
	}
	if len(joins) != 0 {
		t.Errorf("%d are kept", len(joins))
	}
}

// TestShortCellsGoTogether: a worker pulls short cells together, at most a second's work, and no cell is in two batches. Where a
// worker is lost with a batch, its cells go one by one.
func TestShortCellsGoTogether(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	var calls []*call
	for i := range 300 {
		c := cell("M", i+1)
		if i%10 > 0 { // the others were not measured
			c.Seconds = float64(i%10) / 20
		}
		calls = append(calls, &call{id: fmt.Sprint(i), spec: c})
	}
	p.alone[calls[5].spec.Key] = true
	seen := map[string]bool{}
	for _, b := range p.bundle(calls, 2) {
		share := 0
		for _, c := range b {
			share += schedule.Share(c.spec)
			if seen[c.id] || (c == calls[5] || c.spec.Seconds == 0) && len(b) > 1 {
				t.Errorf("cell %s is in two batches, or not alone", c.id)
			}
			seen[c.id] = true
		}
		if len(b) > 1 && share > schedule.Second {
			t.Errorf("a batch has %d of %d parts of a second", share, schedule.Second)
		}
	}
	if len(seen) != len(calls) {
		t.Errorf("%d of %d cells are handed out", len(seen), len(calls))
	}
	sum := 0
	for _, c := range calls[11:19] {
		sum += schedule.Share(c.spec)
	}
	for _, b := range p.bundle(calls[11:19], 4) { // a second's work for four places
		share := 0
		for _, c := range b {
			share += schedule.Share(c.spec)
		}
		if len(b) > 1 && share > (sum+3)/4 {
			t.Errorf("a batch has %d of %d parts, and there are four places", share, sum)
		}
	}
}

// TestALostBatchGoesOneByOne: the cells of a batch with which a worker was lost go back, each to be handed out alone.
func TestALostBatchGoesOneByOne(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 3 * time.Second})
	killed := killedWorker(t, p)
	until(t, p, slots(1))
	room := p.Rooms()[0].Name
	var all sync.WaitGroup
	var calls []*call
	p.mu.Lock()
	for i := range 3 {
		c := cell("M", i+1)
		c.Seconds = 0.01
		out := &call{id: fmt.Sprint(i), spec: c, group: room, ends: make(chan callEnd, 1)}
		p.calls[c.Key] = out
		calls = append(calls, out)
	}
	p.mu.Unlock()
	p.publish(room, calls)
	<-killed
	serve(t, p, p.URL, options(answers))
	for _, c := range calls {
		all.Go(func() {
			if end := <-c.ends; !errors.Is(end.err, schedule.ErrGivenBack) {
				t.Errorf("%v: %+v", c.spec.Cell, end)
			}
		})
	}
	all.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.alone) != 3 || len(p.lost) != 0 {
		t.Errorf("to go alone: %v; lost: %v", p.alone, p.lost)
	}
}

// TestLargeMessages: batches and results that are larger than a message come whole, and nothing is left of them.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	serve(t, p, p.URL, options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		run, err := answers(ctx, c)
		run.Scores = make([]float64, largest/2)
		for i := range run.Scores {
			run.Scores[i] = float64(i) / 3
		}
		return run, err
	}))
	until(t, p, slots(1))
	run, err := anywhere(t.Context(), p, cell("M", 1))
	if err != nil || len(run.Scores) != largest/2 || run.Scores[1000] != 1000.0/3 {
		t.Error(len(run.Scores), err)
	}
	large := cell("M", 2)
	large.Protocol.TOML = strings.Repeat("x", largest+10)
	if run, err := anywhere(t.Context(), p, large); err != nil || run.ProtocolText != large.Protocol.TOML {
		t.Error(len(run.ProtocolText), err)
	}
	if len(p.batches)+len(p.parts) != 0 {
		t.Errorf("%d batches and %d parts are left", len(p.batches), len(p.parts))
	}
}

// identity is kept in a file of the test.
func identity(t *testing.T) (file string, id Identity) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "identity")
	id, err := KeptIdentity(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, id
}

// TestIdentityIsKept: an identity is the same when it is read again, and nobody else may read it.
func TestIdentityIsKept(t *testing.T) {
	file, id := identity(t)
	again, err := KeptIdentity(file)
	if err != nil || again.Token != id.Token || len(id.Token) < 16 || !bytes.Equal(again.Certificate.Certificate[0], id.Certificate.Certificate[0]) {
		t.Error(again.Token, id.Token, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	if _, other := identity(t); other.Token == id.Token || bytes.Equal(other.Certificate.Certificate[0], id.Certificate.Certificate[0]) {
		t.Error("two identities are the same")
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := KeptIdentity(file); err == nil || !strings.Contains(err.Error(), "other users may read") {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil || os.Chmod(file, 0o600) != nil {
		t.Fatal(err)
	}
	if _, err := KeptIdentity(file); err == nil || !strings.Contains(err.Error(), "delete the file") {
		t.Error(err)
	}
}

// TestSecrets: an address of this machine's network needs the token and the certificate.
func TestSecrets(t *testing.T) {
	t.Parallel()
	_, id := identity(t)
	for _, o := range []Options{{Token: id.Token}, {Certificate: &id.Certificate}} {
		o.Address, o.Folder = "0.0.0.0:0", t.TempDir()
		if _, err := Listen(o); err == nil || !strings.Contains(err.Error(), "needs a token and a certificate") {
			t.Fatal(err)
		}
	}
	token := id.Token
	p := newPool(t, Options{Address: "0.0.0.0:0", Token: token, Certificate: &id.Certificate})
	_, query, _ := strings.Cut(p.URL, "?")
	host := fmt.Sprintf("127.0.0.1:%s", p.URL[strings.LastIndex(p.URL[:strings.Index(p.URL, "?")], ":")+1:strings.Index(p.URL, "?")])
	for what, at := range map[string]string{
		"refuses the token":        "nats://wrong@" + host + "?" + query,
		"has the fingerprint":      "nats://" + token + "@" + host + "?fingerprint=00",
		"no coordinator answers":   "nats://" + token + "@" + host,
		"needs tls://, or ?finger": "nats://" + token + "@example.org:4222",
		"is not an address":        "http://" + host,
	} {
		if err := Serve(t.Context(), at, options(answers)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	serve(t, p, "nats://"+token+"@"+host+"?"+query, options(answers))
	until(t, p, slots(1))
	if run, err := anywhere(t.Context(), p, cell("M", 2)); err != nil || run.TestRows != 200 {
		t.Error(run, err)
	}
}

// TestDataOfTheCoordinator: a worker without files gets them by checksum, and no other file.
func TestDataOfTheCoordinator(t *testing.T) {
	t.Parallel()
	mirror := files.Directory{Root: testenv.Mirror(t)}
	p := newPool(t, Options{Data: mirror})
	e, err := catalogue.Builtin().Lookup("wine")
	if err != nil {
		t.Fatal(err)
	}
	c := cell("M", 1)
	c.Cell.Dataset, c.Set = "wine", e.Description()
	opt := options(answers)
	opt.Data = files.Directory{Root: t.TempDir()}
	opt.Fetch = func(context.Context, *catalogue.Entry) error { return errors.New("no mirror answers") }
	serve(t, p, p.URL, opt)
	until(t, p, slots(1))
	if run, err := anywhere(t.Context(), p, c); err != nil || run.Status != result.OK {
		t.Fatal(run.Status, err)
	}
	if state, err := opt.Data.State(e); state != files.Present {
		t.Error(state, err)
	}
	answer, err := p.nc.RequestWithContext(t.Context(), p.names.object(), []byte(`{"name":"0123"}`))
	if err != nil || !strings.Contains(answer.Header.Get(headerError), "no planned cell needs") {
		t.Errorf("%s, %v", answer.Header, err)
	}
}

// TestGroups: workers with the same memory up to some bytes, and the same refusals, take the same cells.
func TestGroups(t *testing.T) {
	a := hello{Memory: 16<<30 - 5000, Refuses: map[string]string{"M": "one reason"}}
	b := hello{Memory: 16<<30 - 9000, Refuses: map[string]string{"M": "another"}}
	if a.group() != b.group() || a.group() == (hello{Memory: a.Memory}).group() || a.group() == (hello{Memory: 8 << 30, Refuses: a.Refuses}).group() {
		t.Error("groups are mixed up")
	}
	for memory, want := range map[int64]int64{0: 0, 5: 5, 8: 8, 9: 8, 100: 96, -3: 0} {
		if got := rounded(memory); got != want {
			t.Errorf("%d is rounded to %d, not %d", memory, got, want)
		}
	}
}
