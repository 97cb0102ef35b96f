package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// workerVariable makes the test binary a worker of the coordinator that it names, whose cells never end.
const workerVariable = "REMOTE_TEST_WORKER"

func TestMain(m *testing.M) {
	if at := os.Getenv(workerVariable); at != "" {
		err := Serve(context.Background(), at, options(func(ctx context.Context, c runner.CellSpec) (result.Run,
			error) {
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
		Check: func(runner.CellSpec) error { return nil },
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
	p := must.Get(Listen(opt))(t)
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
		must.Do(t, <-ended)
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
	c := runner.CellSpec{Cell: runner.Cell{Protocol: "p", Dataset: "swiss", Method: method, Split: split},
		Key: fmt.Sprint(method, split)}
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
			if err != nil || run.Key != c.Key || run.Method != "M" || run.TestRows != 100*(i+1) ||
				run.Environment.CPU != "of the worker" || run.Scores[2] != 1e-308 {
				t.Errorf("%v: %+v, %v", c.Cell, run, err)
			}
		})
	}
	all.Wait()
	must.Be(t, len(p.calls), 0)
	must.Be(t, must.Get(p.stream.Info(t.Context()))(t).State.Msgs, 0, "messages are left")
}

// TestRefusedMethodsGoElsewhere: a worker with another version gives the cell back, and gets no other of that method.
func TestRefusedMethodsGoElsewhere(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{})
	other := options(answers)
	other.Check = func(c runner.CellSpec) error {
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
		must.Be(t, must.Get(anywhere(t.Context(), p, cell(method, 1)))(t).Status, result.OK, method)
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
	must.Is(t, <-ended, schedule.ErrGivenBack)
	until(t, p, slots(0))
}

// TestAnExpelledWorkerGivesBack: a cell that a worker fetches after it was expelled goes back at once.
func TestAnExpelledWorkerGivesBack(t *testing.T) {
	t.Parallel()
	p := newPool(t, Options{Lost: time.Hour})
	begins := func(at chan bool) WorkerOptions { // a cell sends once when it begins, and once before it ends
		return options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
			for range 2 {
				select {
				case at <- true:
				case <-ctx.Done():
					return result.Run{}, ctx.Err()
				}
			}
			return answers(ctx, c)
		})
	}
	ends := make(chan error, 3)
	ask := func(split int) {
		go func() {
			_, err := anywhere(t.Context(), p, cell("M", split))
			ends <- err
		}()
	}
	honest, other := make(chan bool), make(chan bool)
	serve(t, p, p.URL, begins(honest))
	until(t, p, slots(1))
	ask(1)
	<-honest
	gone := make(chan error)
	go func() { gone <- Serve(t.Context(), p.URL, begins(other)) }()
	until(t, p, slots(2))
	ask(2)
	<-other
	p.mu.Lock()
	id := ""
	for worker, m := range p.members {
		if slices.Contains(m.Running, p.calls[cell("M", 2).Key].id) {
			id = worker
		}
	}
	p.mu.Unlock()
	p.Expel(id, errors.New("it forges"))
	must.Is(t, <-ends, schedule.ErrGivenBack)
	ask(3)
	until(t, p, func([]schedule.Room) bool { // the cell is in the queue
		p.mu.Lock()
		defer p.mu.Unlock()
		c := p.calls[cell("M", 3).Key]
		return c != nil && c.in != nil
	})
	<-other
	if expelled := (*ExpelledError)(nil); !errors.As(<-gone, &expelled) {
		t.Error("the worker was not told")
	}
	must.Is(t, <-ends, schedule.ErrGivenBack)
	<-honest
	must.Do(t, <-ends)
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
	must.Be(t, must.Get(anywhere(t.Context(), p, cell("M", 1)))(t).Status, result.OK)
}

// TestShortCellsGoTogether: a worker pulls short cells together, at most a second's work, and no cell is in two
// batches. Where a worker is lost with a batch, its cells go one by one.
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
	must.Be(t, len(seen), len(calls))
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

// TestDataOfTheCoordinator: a worker without files gets them by checksum, and no other file.
func TestDataOfTheCoordinator(t *testing.T) {
	t.Parallel()
	mirror := catalogue.Directory{Root: testenv.Mirror(t)}
	p := newPool(t, Options{Data: mirror})
	e := must.Get(catalogue.Builtin().Lookup("pima"))(t)
	c := cell("M", 1)
	c.Cell.Dataset, c.Set = "pima", e.Description()
	opt := options(answers)
	opt.Data = catalogue.Directory{Root: t.TempDir()}
	opt.Fetch = func(context.Context, *catalogue.Entry) error { return errors.New("no mirror answers") }
	serve(t, p, p.URL, opt)
	until(t, p, slots(1))
	must.Be(t, must.Get(anywhere(t.Context(), p, c))(t).Status, result.OK)
	if state, err := opt.Data.State(e); state != catalogue.Present {
		t.Error(state, err)
	}
	answer, err := p.nc.RequestWithContext(t.Context(), p.names.object(), []byte(`{"name":"0123"}`))
	must.Do(t, err)
	must.Hold(t, answer.Header.Get(headerError), "no planned cell needs")
}

// TestGroups: workers with the same memory up to some bytes, and the same refusals, take the same cells.
func TestGroups(t *testing.T) {
	a := hello{Memory: 16<<30 - 5000, Refuses: map[string]string{"M": "one reason"}}
	b := hello{Memory: 16<<30 - 9000, Refuses: map[string]string{"M": "another"}}
	if a.group() != b.group() || a.group() == (hello{Memory: a.Memory}).group() ||
		a.group() == (hello{Memory: 8 << 30, Refuses: a.Refuses}).group() {
		t.Error("groups are mixed up")
	}
	for memory, want := range map[int64]int64{0: 0, 5: 5, 8: 8, 9: 8, 100: 96, -3: 0} {
		must.Be(t, rounded(memory), want, memory)
	}
}
