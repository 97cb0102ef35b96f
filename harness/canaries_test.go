package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// rowKey tells rows apart by their bits.
func rowKey(row []float64) string { return fmt.Sprintf("%x", row) }

// cheats is a method that answers the labels of rows that it knows, and those of centroids of others.
func cheats(name string, knows func(row []float64) (label float64, known bool),
	learn func(train registry.Data)) registry.Spec {
	return defineTest(name, func(_ context.Context, _ registry.Env, train registry.Data, p testParams) (registry.Model,
		error) {
		if learn != nil {
			learn(train)
		}
		honest := linearModel{make([]float64, train.Shape().D), p.Shift}
		honest.learn(train)
		return registry.ScoreFunc(func(ctx context.Context, x *mat.Dense, out []float64) error {
			if err := honest.Score(ctx, x, out); err != nil {
				return err
			}
			for i := range out {
				if label, known := knows(x.RawRowView(i)); known {
					out[i] = label
				}
			}
			return nil
		}), nil
	})
}

// fileOf is the labels of the rows of a set, by their bits.
func fileOf(t *testing.T, h *testHarness, name string) map[string]float64 {
	t.Helper()
	e := must.Get(h.Catalogue.Lookup(name))(t)
	set := must.Get(read.Load(t.Context(), h.Data, e))(t)
	labels := map[string]float64{}
	for i, y := range set.Y {
		labels[rowKey(set.X.RawRowView(i))] = y
	}
	return labels
}

// rawHarness shows methods the rows as the file has them, so that they can be recognised.
func rawHarness(t *testing.T, specs ...registry.Spec) *testHarness {
	h := newTestHarness(t, specs...)
	h.edit(t, "standardise = true", "standardise = false")
	return h
}

// runWithCanaries is runAll with the secret of the database.
func runWithCanaries(t *testing.T, h *testHarness, db *store.DB, req plan.Request, jobs int) (*plan.Plan,
	schedule.Outcome) {
	t.Helper()
	req.Secret = must.Get(db.Secret(t.Context()))(t)
	return runAll(t, h, db, req, schedule.Options{Jobs: jobs}, nil)
}

// planned is the plan of a request against what the database knows of cells and of canaries.
func planned(t testing.TB, h *testHarness, db *store.DB, req plan.Request) *plan.Plan {
	t.Helper()
	known := must.Get(db.Keys(t.Context()))(t)
	maps.Copy(known, must.Get(db.Canaries(t.Context()))(t))
	return must.Get(h.Plan(t.Context(), req, known, nil))(t)
}

func canariesOf(p *plan.Plan) (out []*plan.Cell) {
	for _, c := range p.Cells {
		if c.Spec.Canary != nil {
			out = append(out, c)
		}
	}
	return out
}

// TestLeaksAreFound: who reads the labels from a file, all or of most rows, and who remembers those of earlier cells is
// named; who learns from what it is given is not. The results of cells are what they are without canaries.
func TestLeaksAreFound(t *testing.T) {
	testenv.NotUnderRace(t)
	var mu sync.Mutex
	memory := map[string]float64{} // votes of the labels that were seen
	h := rawHarness(t)
	file := fileOf(t, h, "swiss")
	whole := cheats("reads", func(row []float64) (float64, bool) { y, ok := file[rowKey(row)]; return y, ok }, nil)
	most := cheats("reads most", func(row []float64) (float64, bool) {
		key := rowKey(row)
		return file[key], strings.Count(key, "4")%4 != 0
	}, nil)
	remembers := cheats("remembers", func(row []float64) (float64, bool) {
		mu.Lock()
		defer mu.Unlock()
		y := memory[rowKey(row)]
		return y, y != 0
	}, func(train registry.Data) {
		mu.Lock()
		defer mu.Unlock()
		for i, y := range train.Y {
			memory[rowKey(train.X.RawRowView(i))] += y
		}
	})
	h = rawHarness(t, centroids(), whole, most, remembers)
	req := plan.Request{Datasets: []string{"swiss"}, Splits: []int{1, 2, 3, 4, 5, 6}}
	db := openTestDB(t)
	todo, out := runWithCanaries(t, h, db, req, 1)
	if out.Canaries != 4 || out.OK != 24 || len(canariesOf(todo)) != 4 || out.NotStarted != 0 {
		t.Errorf("%+v of %d cells with %d canaries", out, len(todo.Cells), len(canariesOf(todo)))
	}
	findings := must.Get(db.Findings(t.Context(), ""))(t)
	var found []string
	for _, f := range findings {
		found = append(found, fmt.Sprint(f.Kind, " ", f.Method))
	}
	must.Be(t, found, []string{"leak reads", "leak reads most", "leak remembers"})
	if text := strings.Join(store.Describe(findings), "\n"); !strings.Contains(text,
		"leak: reads is right about test rows of swiss although its training labels contradicted them "+
			"(swiss, split ") ||
		!strings.Contains(text, "150 of 150 rows, p = ") {
		t.Error(text)
	}
	without := openTestDB(t)
	clear(memory)
	runAll(t, h, without, plan.Request{Methods: []string{"centroids", "reads"}, Datasets: []string{"swiss"},
		Splits: req.Splits}, schedule.Options{Jobs: 1}, nil)
	for _, line := range strings.Split(strings.TrimSpace(content(t, without)), "\n") {
		must.Hold(t, content(t, db), line)
	}
}

// TestCanariesLookAlike: a method is asked the same of a canary as of the cell that it copies, but for which row has
// which label.
func TestCanariesLookAlike(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	watch := defineTest("watches", func(_ context.Context, env registry.Env, train registry.Data,
		p testParams) (registry.Model, error) {
		mu.Lock()
		defer mu.Unlock()
		counts := map[float64]int{}
		for _, y := range train.Y {
			counts[y]++
		}
		seen = append(seen, fmt.Sprint(train.Task, train.Classes, env.Seed, p, counts,
			rowKey(train.X.RawMatrix().Data)))
		return registry.ScoreFunc(func(_ context.Context, x *mat.Dense, out []float64) error {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, rowKey(x.RawMatrix().Data))
			clear(out)
			return nil
		}), nil
	})
	h := newTestHarness(t, watch)
	todo, err := h.Plan(t.Context(), plan.Request{Datasets: []string{"balance"}, Splits: []int{2}, Secret: []byte("s")},
		nil, nil)
	if err != nil || len(todo.Cells) != 2 {
		t.Fatal(todo, err)
	}
	var asked [2][]string
	var hash [2]string
	for i, c := range todo.Cells {
		seen = nil
		run, err := h.runner().Run(t.Context(), c.Spec)
		if err != nil || run.Status != result.OK || (run.Canary != nil) != (i == 1) {
			t.Fatal(run.Error, err, run.Canary)
		}
		asked[i], hash[i] = seen, run.Key
	}
	if !slices.Equal(asked[0], asked[1]) || hash[0] == hash[1] {
		t.Error("the method sees which cell is the canary, or both have one key")
	}
}

// TestCanariesArePlanned: one for each foreign method and set that cells are to be run of, at a place that the secret
// of the database draws, behind the first cell; no second one when it ended ok, and one more when it failed.
func TestCanariesArePlanned(t *testing.T) {
	fails := true
	h := newTestHarness(t, centroids(), defineTest("fails", func(_ context.Context, _ registry.Env, train registry.Data,
		_ testParams) (registry.Model, error) {
		if fails {
			return nil, fmt.Errorf("on purpose")
		}
		return constantModel(1), nil
	}))
	db := openTestDB(t)
	req := plan.Request{Datasets: []string{"balance", "swiss"}, Splits: []int{1, 2, 3}}
	if len(canariesOf(planned(t, h, db, req))) != 0 {
		t.Error("canaries without a secret")
	}
	where := func(secret string, splits ...int) string {
		req := req
		req.Secret, req.Splits = []byte(secret), splits
		var at []string
		for i, c := range planned(t, h, db, req).Cells {
			if c.Spec.Canary != nil {
				at = append(at, fmt.Sprint(c.Cell, c.Spec.Key, c.Spec.Canary.Seed, i))
				if c.Early || i == 0 {
					t.Errorf("the canary %s is the first cell of its pair", c.Cell)
				}
			}
		}
		return strings.Join(at, "\n")
	}
	once, again := where("a", 1, 2, 3), where("a", 1, 2, 3)
	must.Be(t, once, again)
	must.Be(t, strings.Count(once, "\n"), 3)
	if where("a", 1, 2, 3) == where("b", 1, 2, 3) {
		t.Error("every secret draws the same")
	}
	todo, out := runWithCanaries(t, h, db, req, 2)
	if len(canariesOf(todo)) != 4 || out.OK != 6 || out.Failed != 6 || out.Canaries != 4 {
		t.Errorf("%d canaries, %+v", len(canariesOf(todo)), out)
	}
	req.Splits = []int{1, 2, 3, 4}
	if req.Secret, _ = db.Secret(t.Context()); len(req.Secret) != 32 {
		t.Fatal("no secret")
	}
	var names []string
	for _, c := range canariesOf(planned(t, h, db, req)) {
		names = append(names, c.Method+" "+c.Dataset)
	}
	if slices.Sort(names); !slices.Equal(names, []string{"fails balance", "fails swiss"}) {
		t.Errorf("canaries of the next run: %q", names)
	}
	fails = false
	if _, out := runWithCanaries(t, h, db, req, 2); out.Canaries != 2 || out.OK != 4 {
		t.Errorf("%+v", out)
	}
	req.Splits = []int{5}
	if todo := planned(t, h, db, req); len(canariesOf(todo)) != 0 || len(todo.Cells) != 4 {
		t.Errorf("%d canaries where all have one", len(canariesOf(todo)))
	}
	must.Be(t, len(must.Get(db.Findings(t.Context(), ""))(t)), 0)
	must.Be(t, h.Registry.All()[0].Foreign(), true, "the methods of tests are foreign")
}

// TestWhatIsWorseThanChanceIsNoLeak: a learner that is wrong with the true labels is right with contradicting ones, and
// honest.
func TestWhatIsWorseThanChanceIsNoLeak(t *testing.T) {
	h := newTestHarness(t, defineTest("contrary", func(_ context.Context, _ registry.Env, train registry.Data,
		p testParams) (registry.Model, error) {
		m := linearModel{make([]float64, train.Shape().D), 0}
		m.learn(train)
		for j := range m.w {
			m.w[j] = -m.w[j]
		}
		return m, nil
	}))
	db := openTestDB(t)
	runWithCanaries(t, h, db, plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2}}, 1)
	small := 0
	err := db.Query(t.Context(), `SELECT count(*) FROM canaries WHERE p <= 1e-6`, func([]string) error {
		return nil
	}, func(r []any) error { small = int(r[0].(int64)); return nil })
	findings, err2 := db.Findings(t.Context(), "test")
	if err != nil || err2 != nil || small != 1 || len(findings) != 0 {
		t.Errorf("%d canaries with a small p, findings %v; %v %v", small, findings, err, err2)
	}
}
