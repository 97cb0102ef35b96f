package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestSameContentForAnyPolicy compares the databases of runs with policies in which chance decides, bit for bit.
func TestSameContentForAnyPolicy(t *testing.T) {
	h := newTestHarness(t, centroids())
	req := plan.Request{Splits: []int{1, 2, 3}}
	reference := openTestDB(t)
	runAll(t, h, reference, req, schedule.Options{Jobs: 1}, nil)
	want := content(t, reference)
	if !strings.Contains(want, "centroids") {
		t.Fatal("nothing was stored")
	}
	for jobs := range 4 {
		db, draw := openTestDB(t), rand.New(rand.NewPCG(uint64(jobs), 1))
		f := plan.NewForecast(nil)
		f.Policy.Order = func(*plan.Cell, float64) (round int, weight float64) { return draw.IntN(2), draw.Float64() }
		f.Policy.MayStart = func([]*plan.Cell, plan.Resources, plan.Resources) bool { return draw.IntN(2) == 0 }
		_, out := runAll(t, h, db, req, schedule.Options{Jobs: jobs + 1, Forecast: f}, nil)
		must.Be(t, out.OK, 6, jobs+1)
		must.Be(t, content(t, db), want, jobs+1)
	}
}

func TestResumeRunsOnlyWhatIsMissing(t *testing.T) {
	h := newTestHarness(t, centroids())
	db := openTestDB(t)
	runAll(t, h, db, plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 3}}, schedule.Options{Jobs: 1}, nil)
	todo, out := runAll(t, h, db, plan.Request{Splits: []int{1, 2, 3}}, schedule.Options{Jobs: 2}, nil)
	if todo.Requested != 6 || todo.Stored != 2 || len(todo.Cells) != 4 || out.OK != 4 {
		t.Errorf("plan %+v, outcome %+v; want 6 requested, 2 stored, 4 run", todo, out)
	}
	todo, _ = runAll(t, h, db, plan.Request{Splits: []int{1, 2, 3}}, schedule.Options{Jobs: 2}, nil)
	must.Be(t, len(todo.Cells), 0)
	must.Be(t, todo.Stored, 6)
}

// TestKeysSeeWhatResultsDependOn changes one input at a time.
func TestKeysSeeWhatResultsDependOn(t *testing.T) {
	key := func(change func(h *plan.Experiment)) string {
		h := newTestHarness(t, centroids())
		if change != nil {
			change(h.Experiment)
		}
		todo := must.Get(h.Plan(context.Background(), plan.Request{Datasets: []string{"balance"}, Splits: []int{1}},
			nil, nil))(t)
		return todo.Cells[0].Spec.Key
	}
	base := key(nil)
	if key(nil) != base || key(func(h *plan.Experiment) { h.Protocol.Splits = 9; h.Protocol.Title = "other" }) != base {
		t.Error("the key depends on something that no result depends on")
	}
	for name, change := range map[string]func(*plan.Experiment){
		"seed":     func(h *plan.Experiment) { h.Protocol.Semantics.MethodSeed = 2 },
		"folds":    func(h *plan.Experiment) { h.Protocol.Semantics.Folds = 4 },
		"fraction": func(h *plan.Experiment) { h.Protocol.Semantics.TestFraction = 0.4 },
		"protocol": func(h *plan.Experiment) { h.Protocol.Name = "other" },
		"grid": func(h *plan.Experiment) {
			h.Protocol.Methods = map[string]protocol.MethodSettings{"centroids": {Grid: registry.Grid{{Name: "shift",
				Values: registry.Values(1.0)}}}}
		},
		"version": func(h *plan.Experiment) {
			s := centroids()
			s.Version = "2"
			h.Registry = registry.New(s)
		},
	} {
		if key(change) == base {
			t.Errorf("the key does not see a change of %s", name)
		}
	}
}

// TestFaultyMethodsAreRows: whatever one method does, every other cell is stored,
// and its own cells say what happened.
func TestFaultyMethodsAreRows(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	type data = registry.Data
	faults := map[string]struct {
		spec   registry.Spec
		status result.Status
		reason string
	}{}
	add := func(name string, status result.Status, reason string, fit registry.FitFunc[testParams],
		opts ...registry.Option[testParams]) {
		faults[name] = struct {
			spec   registry.Spec
			status result.Status
			reason string
		}{defineTest(name, fit, opts...), status, reason}
	}
	add("error", result.Failed, "the matrix is singular", gives(nil, errors.New("the matrix\nis singular")))
	add("nothing", result.Failed, "neither a model nor an error", gives(nil, nil))
	scores := func(write func(out []float64)) registry.FitFunc[testParams] {
		return gives(registry.ScoreFunc(func(_ context.Context, _ *mat.Dense, out []float64) error {
			write(out)
			return nil
		}), nil)
	}
	const longest = "no luck no luck"
	long := strings.Repeat("no luck\n", 1<<20)
	add("nan", result.Failed, "is NaN", gives(constantModel(math.NaN()), nil))
	add("infinite", result.Failed, "is +Inf", gives(constantModel(math.Inf(1)), nil))
	add("minus infinite", result.Failed, "is -Inf", gives(constantModel(math.Inf(-1)), nil))
	add("writes nothing", result.Failed, "score 0 of row 0 was never written", scores(func([]float64) {}))
	add("writes half", result.Failed, "was never written", scores(func(out []float64) {
		for i := range len(out) / 2 {
			out[i] = 1
		}
	}))
	add("long error", result.Failed, longest, gives(nil, errors.New(long)))
	add("long panic", result.Failed, "panic: "+longest, func(context.Context, registry.Env, data,
		testParams) (registry.Model, error) {
		panic(long)
	})
	add("leaves", result.Failed, "runtime.Goexit", func(context.Context, registry.Env, data,
		testParams) (registry.Model, error) {
		runtime.Goexit()
		return nil, nil
	})
	add("panic", result.Failed, "panic: runtime error: index out of range [3] with length 0 at harness/run_test.go",
		func(context.Context, registry.Env, data, testParams) (registry.Model, error) {
			var empty []float64
			at := 3
			return constantModel(empty[at]), nil
		})
	add("obeys", result.Timeout, "no result within", obeys)
	add("hangs", result.Timeout, "abandoned", func(context.Context, registry.Env, data, testParams) (registry.Model,
		error) {
		<-release
		return nil, nil
	})
	add("forgets", result.Failed, "gave no model for", gives(constantModel(1), nil),
		registry.Path(func(context.Context, registry.Env, data, []testParams, func(int, registry.Model) error) error {
			return nil
		}))
	add("repeats", result.Failed, "twice", gives(constantModel(1), nil),
		registry.Path(func(_ context.Context, _ registry.Env, _ data, _ []testParams,
			yield func(int, registry.Model) error) error {
			return errors.Join(yield(0, constantModel(1)), yield(0, constantModel(1)))
		}))

	// What ends by itself has all the time it needs; the rest never ends.
	specs, endless, ending := []registry.Spec{centroids()}, []string{}, []string{"centroids"}
	for name, f := range faults {
		specs = append(specs, f.spec)
		if f.status == result.Timeout {
			endless = append(endless, name)
		} else {
			ending = append(ending, name)
		}
	}
	h, db := newTestHarness(t, specs...), openTestDB(t)
	const timeout = 100 * time.Millisecond
	req := plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}
	req.Methods = ending
	_, out := runAll(t, h, db, req, schedule.Options{Jobs: 4}, nil)
	must.Be(t, out.OK, 1, out)
	must.Be(t, out.Failed, len(ending)-1, out)
	req.Methods, req.Timeout = endless, timeout
	h.limits = runner.InProcess{Timeout: timeout, Grace: 50 * time.Millisecond}
	if _, out = runAll(t, h, db, req, schedule.Options{Jobs: 4}, nil); out.OK != 0 || out.Failed != len(endless) {
		t.Errorf("outcome %+v; want %d timeouts", out, len(endless))
	}
	results := must.Get(db.Rows(context.Background(), "test", false))(t)
	for _, r := range results {
		if f, faulty := faults[r.Method]; faulty {
			must.Be(t, r.Status, f.status, r.Method, r.Error)
			must.Hold(t, strings.Join(strings.Fields(r.Error), " "), f.reason)
			cut := strings.Contains(r.Error, "the whole message has 8388")
			if len(r.Error) > 2100 || cut != strings.Contains(f.reason, longest) {
				t.Errorf("%s: the reason has %d bytes; that it was cut is said: %v", r.Method, len(r.Error), cut)
			}
		} else if r.Status != result.OK {
			t.Errorf("%s: %s %s", r.Method, r.Status, r.Error)
		}
	}

	req.Methods = nil
	runAll(t, h, db, req, schedule.Options{Jobs: 4}, func(cells []*plan.Cell) {
		must.Be(t, len(cells), 0)
	})
}

// TestRetry runs a failed cell again when asked to, and replaces its row.
func TestRetry(t *testing.T) {
	var calls atomic.Int32
	flaky := defineTest("flaky", func(context.Context, registry.Env, registry.Data, testParams) (registry.Model,
		error) {
		if calls.Add(1) == 1 {
			return nil, errors.New("the first call fails")
		}
		return constantModel(1), nil
	})
	h, db := newTestHarness(t, flaky), openTestDB(t)
	req := plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}
	runAll(t, h, db, req, schedule.Options{Jobs: 1}, nil)
	req.Retry = true
	todo, out := runAll(t, h, db, req, schedule.Options{Jobs: 1}, nil)
	if len(todo.Cells) != 1 || out.OK != 1 {
		t.Fatalf("plan of %d cells, outcome %+v", len(todo.Cells), out)
	}
	must.Be(t, strings.Count(content(t, db), "flaky"), 1+3*3)
}

// TestBudgetTakesTheCheapestSets leaves out what does not fit, whole sets only.
func TestBudgetTakesTheCheapestSets(t *testing.T) {
	h, db := newTestHarness(t, slowOnSwiss()), openTestDB(t)
	_, out := runAll(t, h, db, plan.Request{Splits: []int{1, 2, 3}}, schedule.Options{Jobs: 2, Budget: time.Hour}, nil)
	if out.OK != 3 || len(out.Excluded) != 3 || out.Excluded[2].Dataset != "swiss" ||
		out.Excluded[2].Why.Kind != result.OverBudget || out.Interrupted {
		t.Errorf("outcome %+v; want balance done and swiss left out", out)
	}
	// What is left does not fit a second budget either, and so does not start.
	_, out = runAll(t, h, db, plan.Request{Splits: []int{1, 2, 3}}, schedule.Options{Jobs: 2, Budget: time.Hour}, nil)
	if out.OK != 0 || len(out.Excluded) != 3 || out.Interrupted {
		t.Errorf("outcome %+v; want swiss left out again", out)
	}
}

// TestBudgetGivesUpOvertime: a cell that was predicted short and is not is given up
// without a result, and is no interrupt.
func TestBudgetGivesUpOvertime(t *testing.T) {
	h, db := newTestHarness(t, defineTest("endless", obeys), centroids()), openTestDB(t)
	_, out := runAll(t, h, db, plan.Request{Splits: []int{1, 2, 3}}, schedule.Options{Jobs: 2,
		Budget: 100 * time.Millisecond}, nil)
	if out.Interrupted || out.NotStarted != 0 || out.Failed != 0 || out.Excluded == nil ||
		out.OK+len(out.Excluded) != 12 {
		t.Errorf("outcome %+v; want what did not end left out", out)
	}
}

// TestStopFinishesRunningCells: closing stop lets the running cells end and starts no other, also where a cell has
// ended by the time that stop is seen; cancelling leaves no result.
func TestStopFinishesRunningCells(t *testing.T) {
	h := newTestHarness(t, defineTest("quick", gives(constantModel(1), nil)))
	todo := must.Get(h.Plan(context.Background(), plan.Request{Splits: []int{1, 2, 3}}, nil, nil))(t)
	var stored atomic.Int32
	for range 10 {
		stop, ended, begun := make(chan struct{}), make(chan struct{}, len(todo.Cells)), 0
		stored.Store(0)
		opt := schedule.Options{Jobs: 2, Tell: func(e schedule.Event) {
			if e.Kind != schedule.Started {
				return
			}
			if begun++; begun == 2 { // the first cell ends before the run can see either
				<-ended
				close(stop)
				time.Sleep(time.Millisecond)
			}
		}}
		out, err := schedule.Run(context.Background(), h.runner(), stop, todo.Cells, opt, func(result.Run) error {
			stored.Add(1)
			ended <- struct{}{}
			return nil
		})
		if err != nil || !out.Interrupted || out.OK != 2 || out.NotStarted != 4 || stored.Load() != 2 {
			t.Fatalf("outcome %+v, %v, %d stored; want 2 finished and 4 not started", out, err, stored.Load())
		}
	}

	h = newTestHarness(t, defineTest("waits", obeys))
	todo = must.Get(h.Plan(context.Background(), plan.Request{Splits: []int{1}}, nil, nil))(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	stored.Store(0)
	out, err := schedule.Run(ctx, h.runner(), make(chan struct{}), todo.Cells, schedule.Options{Jobs: 2},
		func(r result.Run) error { stored.Add(1); return nil })
	must.Be(t, out.Interrupted, true, "outcome", out, err)
	must.Be(t, stored.Load(), 0, "outcome", out, err)
}

// TestStorageErrorStopsTheRun and is reported.
func TestStorageErrorStopsTheRun(t *testing.T) {
	h := newTestHarness(t, centroids())
	todo := must.Get(h.Plan(context.Background(), plan.Request{Splits: []int{1, 2, 3}}, nil, nil))(t)
	full := errors.New("disk full")
	_, err := schedule.Run(context.Background(), h.runner(), make(chan struct{}), todo.Cells, schedule.Options{Jobs: 2},
		func(result.Run) error { return full })
	must.Is(t, err, full)
}

// TestAnEditedProtocolChangedBack shows its own results again.
func TestAnEditedProtocolChangedBack(t *testing.T) {
	h, db := newTestHarness(t, centroids()), openTestDB(t)
	req := plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2}}
	runAll(t, h, db, req, schedule.Options{Jobs: 2}, nil)
	before := content(t, db)
	h.edit(t, "test_fraction = 0.3", "test_fraction = 0.5")
	runAll(t, h, db, plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}, schedule.Options{Jobs: 1}, nil)
	if content(t, db) == before {
		t.Fatal("the edit changed nothing")
	}
	h.edit(t, "test_fraction = 0.5", "test_fraction = 0.3")
	todo, _ := runAll(t, h, db, req, schedule.Options{Jobs: 2}, nil)
	must.Be(t, todo.Stored, 2, "plan")
	must.Be(t, content(t, db), before, "plan")
}

// TestDataChangedUnderWay: rows other than the planned ones are not run.
func TestDataChangedUnderWay(t *testing.T) {
	dir := t.TempDir()
	write := func(rows int) {
		text := "a,class\n"
		for i := range rows {
			text += fmt.Sprintf("%d,%d\n", i*7%13, i%2)
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, "own.csv"), []byte(text), 0o644))
	}
	write(60)
	toml := filepath.Join(dir, "own.toml")
	must.Do(t, os.WriteFile(toml, []byte("name = \"own\"\nfile = \"own.csv\"\nlabel = \"class\"\n"), 0o644))
	h := newTestHarness(t, centroids())
	must.Get(h.Catalogue.Add(toml))(t)
	todo := must.Get(h.Plan(context.Background(), plan.Request{Datasets: []string{"own"}, Splits: []int{1}}, nil,
		nil))(t)
	write(80)
	_, err := schedule.Run(context.Background(), h.runner(), make(chan struct{}), todo.Cells, schedule.Options{Jobs: 1},
		func(result.Run) error {
			t.Error("a result of other data is stored")
			return nil
		})
	must.Say(t, err, "own changed while the run was under way")
}

func TestExplain(t *testing.T) {
	h, db := newTestHarness(t, centroids()), openTestDB(t)
	req := plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}
	explain := func() string {
		t.Helper()
		todo := must.Get(h.Plan(context.Background(), req, nil, nil))(t)
		why := must.Get(todo.Cells[0].Explain(context.Background(), db))(t)
		return why
	}
	must.Be(t, explain(), "never run")
	runAll(t, h, db, req, schedule.Options{Jobs: 1}, nil)
	s := centroids()
	s.Version = "2"
	h.Registry = registry.New(s)
	must.Be(t, explain(), "method version was 1, is 2")
}

func TestProtocolRefuses(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(testProtocol, "folds = 3", "folds = 1", 1):                    "folds = 1",
		strings.Replace(testProtocol, "folds = 3", "fold = 3", 1):                     `unknown key "semantics.fold"`,
		strings.Replace(testProtocol, "splits = 3", "splits = 0", 1):                  "splits = 0",
		strings.Replace(testProtocol, "splits = 3", "splits = 1000001", 1):            "must be 1 to 1000000",
		strings.Replace(testProtocol, "test_fraction = 0.3", "test_fraction = 30", 1): "between 0 and 1",
		"apart = [\"wine\"]\n" + testProtocol: `"wine", which is not in ` +
			`datasets`,
	} {
		must.Say(t, must.Err(protocol.Parse("p", []byte(text))), want)
	}
	for _, name := range protocol.Names() {
		p := must.Get(protocol.Load(name))(t)
		for _, d := range p.Datasets {
			if _, err := catalogue.Builtin().Lookup(d); err != nil {
				t.Errorf("protocol %s: %v", name, err)
			}
		}
		// The catalogue's listing names the protocols of a set; the two must agree.
		n := 0
		for _, e := range catalogue.Builtin().All() {
			if !slices.Contains(e.Protocols, name) {
				continue
			}
			if n++; !slices.Contains(p.Datasets, e.Name) {
				t.Errorf("the catalogue puts %s into protocol %s, whose list lacks it", e.Name, name)
			}
		}
		if n > 0 && n != len(p.Datasets) {
			t.Errorf("protocol %s lists %d sets, the catalogue %d", name, len(p.Datasets), n)
		}
	}
	must.Say(t, must.Err(protocol.Load("tabel2")), "table2")
}

// TestDocumentedProtocol: the file of the published cap does what it says.
func TestDocumentedProtocol(t *testing.T) {
	p := must.Get(protocol.Load("../docs/notebook/bmkr-capped.toml"))(t)
	table2 := must.Get(protocol.Load("table2"))(t)
	must.Be(t, p.Semantics, table2.Semantics, "semantics")
	must.Be[any](t, p.Methods["BMKR"].Params["max_iter"], int64(10000), "semantics")
}

// TestProtocolGrid: a protocol's grid and parameters replace the method's.
func TestProtocolGrid(t *testing.T) {
	p := must.Get(protocol.Parse("p", []byte(testProtocol+`
[methods.centroids]
grid = [{name = "shift", values = [1.0, 2], per = "feature"}]
`)))(t)
	points := must.Get(p.GridPoints(centroids(), "any", registry.Shape{Task: registry.Binary, N: 10, D: 4,
		Classes: 2}))(t)
	got, err := json.Marshal(points)
	if err != nil || string(got) != `[{"shift":0.25},{"shift":0.5}]` {
		t.Errorf("settings %s, %v", got, err)
	}
	// An axis without a name moves several parameters together.
	p = must.Get(protocol.Parse("p", []byte(testProtocol+`
[[methods.CENTROIDS.grid]]
values = [{shift = 1.0}, {shift = 3.0}]
`)))(t)
	must.Get(p.Resolve(registry.New(centroids())))(t)
	points, err = p.GridPoints(centroids(), "any", registry.Shape{Task: registry.Binary, N: 10, D: 4, Classes: 2})
	if got, _ := json.Marshal(points); err != nil || string(got) != `[{"shift":1},{"shift":3}]` {
		t.Errorf("settings %s, %v", got, err)
	}
	p.Methods = map[string]protocol.MethodSettings{"centroid": {}}
	must.Say(t, must.Err(p.Resolve(registry.New(centroids()))), "did you mean centroids")
}
