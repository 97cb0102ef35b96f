package remote

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
			run, err := p.Run(t.Context(), c)
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
		if _, err := p.Run(t.Context(), cell("Other", 1)); !errors.Is(err, schedule.ErrGivenBack) {
			t.Fatal(err)
		}
	}
	if r := p.Rooms()[0]; r.Takes(cell("Other", 1)) || !r.Takes(cell("M", 1)) {
		t.Errorf("the room refuses %v", r.Refuses)
	}
	serve(t, p, p.URL, options(answers))
	until(t, p, slots(2))
	for _, method := range []string{"Other", "M"} {
		if run, err := p.Run(t.Context(), cell(method, 1)); err != nil || run.Status != result.OK {
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
		_, err := p.Run(context.WithoutCancel(t.Context()), cell("M", 1))
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
	if _, err := p.Run(ctx, cell("Endless", 1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-gone
	if run, err := p.Run(t.Context(), cell("M", 1)); err != nil || run.Status != result.OK {
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
	p := newPool(t, Options{Lost: 15 * time.Second})
	killed := killedWorker(t, p)
	until(t, p, slots(1))
	ended := make(chan callEnd, 1)
	go func() {
		run, err := p.Run(t.Context(), cell("M", 1))
		ended <- callEnd{run, err}
	}()
	<-killed
	serve(t, p, p.URL, options(answers))
	end := <-ended
	if errors.Is(end.err, schedule.ErrGivenBack) { // the worker came after the other was missed
		until(t, p, slots(1))
		end.run, end.err = p.Run(t.Context(), cell("M", 1))
	}
	if end.err != nil || end.run.TestRows != 100 {
		t.Errorf("%+v", end)
	}
}

func TestACellThatTwoWorkersWereLostWithIsARow(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: 15 * time.Second})
	first, second := killedWorker(t, p), killedWorker(t, p)
	until(t, p, slots(2))
	run, err := p.Run(t.Context(), cell("Deadly", 1))
	if err != nil || run.Class != result.ClassCrash || !strings.Contains(run.Error, "2 workers were lost while they had this cell") {
		t.Errorf("%+v, %v", run, err)
	}
	<-first
	<-second
}

// TestResultsCountOnce: the second result of a cell is heard and changes nothing.
func TestResultsCountOnce(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	out := &call{spec: cell("M", 1), ends: make(chan callEnd, 1)}
	p.calls["id"] = out
	for i := range 2 {
		run := out.spec.NewRun()
		run.TestRows = i + 1
		data, err := pack(t.Context(), p.nc, p.objects, "x", done{ID: "id", Run: &run})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.nc.RequestWithContext(t.Context(), subjectDone, data); err != nil {
			t.Fatal(err)
		}
	}
	if end := <-out.ends; end.run.TestRows != 1 || len(out.ends) != 0 {
		t.Errorf("%+v and %d more", end.run, len(out.ends))
	}
}

// TestLargeMessages go through the object store, which is empty afterwards.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	const scores = largest / 12 // 17 bytes each
	p := newPool(t, Options{})
	serve(t, p, p.URL, options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		run, err := answers(ctx, c)
		run.Scores = make([]float64, scores)
		for i := range run.Scores {
			run.Scores[i] = float64(i) / 3
		}
		return run, err
	}))
	until(t, p, slots(1))
	run, err := p.Run(t.Context(), cell("M", 1))
	if err != nil || len(run.Scores) != scores || run.Scores[1000] != 1000.0/3 {
		t.Error(len(run.Scores), err)
	}
	if left, err := p.objects.List(t.Context()); err == nil {
		t.Errorf("%d objects are left", len(left))
	}
}

// TestSecrets: an address of this machine's network needs the token and the certificate.
func TestSecrets(t *testing.T) {
	t.Parallel()
	if _, err := Listen(Options{Address: "0.0.0.0:0", Folder: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "needs a token") {
		t.Fatal(err)
	}
	token := NewToken()
	p := newPool(t, Options{Address: "0.0.0.0:0", Token: token})
	_, query, _ := strings.Cut(p.URL, "?")
	host := fmt.Sprintf("127.0.0.1:%s", p.URL[strings.LastIndex(p.URL[:strings.Index(p.URL, "?")], ":")+1:strings.Index(p.URL, "?")])
	for what, at := range map[string]string{
		"refuses the token":      "nats://wrong@" + host + "?" + query,
		"has the fingerprint":    "nats://" + token + "@" + host + "?fingerprint=00",
		"no coordinator answers": "nats://" + token + "@" + host,
		"needs ?fingerprint":     "nats://" + token + "@example.org:4222",
		"is not an address":      "http://" + host,
	} {
		if err := Serve(t.Context(), at, options(answers)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	serve(t, p, "nats://"+token+"@"+host+"?"+query, options(answers))
	until(t, p, slots(1))
	if run, err := p.Run(t.Context(), cell("M", 2)); err != nil || run.TestRows != 200 {
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
	if run, err := p.Run(t.Context(), c); err != nil || run.Status != result.OK {
		t.Fatal(run.Status, err)
	}
	if state, err := opt.Data.State(e); state != files.Present {
		t.Error(state, err)
	}
	answer, err := p.nc.RequestWithContext(t.Context(), subjectFile, []byte("0123"))
	if err != nil || !strings.Contains(string(answer.Data), "no planned cell needs") {
		t.Errorf("%s, %v", answer.Data, err)
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
