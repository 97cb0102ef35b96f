package harness

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// counting is a method whose models depend on how many of them its process has made.
func counting(name string) registry.Spec {
	made := 0
	return defineTest(name, func(_ context.Context, _ registry.Env, train registry.Data, p testParams) (registry.Model,
		error) {
		made++
		_, d := train.X.Dims()
		w := make([]float64, d)
		w[0] = float64(made)
		return linearModel{w, p.Shift}, nil
	})
}

// runAndSample runs a request and draws the cells to compute again.
func runAndSample(t *testing.T, h *testHarness, db *store.DB, req plan.Request) (*plan.Plan, []verify.Sampled) {
	t.Helper()
	var ended verify.Ended
	todo, _ := runAll(t, h, db, req, schedule.Options{Jobs: 1, Tell: func(e schedule.Event) {
		if e.Kind == schedule.Finished {
			ended.Add(h.Experiment, e.Cell, e.Run)
		}
	}}, nil)
	return todo, ended.Sample()
}

// TestStateIsFound: a deterministic method whose results depend on what its process did before is named, and one that
// gives the same again is not.
func TestStateIsFound(t *testing.T) {
	methods := func() []registry.Spec { return []registry.Spec{centroids(), counting("counts")} }
	h, db := newTestHarness(t, methods()...), openTestDB(t)
	todo, sample := runAndSample(t, h, db, plan.Request{Splits: []int{1, 2}})
	var names []string
	for _, c := range sample {
		names = append(names, c.Method)
		i := slices.IndexFunc(todo.Cells, func(o *plan.Cell) bool { return o.Method == c.Method })
		if todo.Cells[i] == c.Cell {
			t.Errorf("the first cell of %s is computed once more", c.Method)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"centroids", "counts"}) {
		t.Fatalf("sampled %q", names)
	}
	fresh := func(bool) (runner.Runner, func()) {
		return &runner.InProcess{Registry: registry.New(methods()...), Data: h.Data}, func() {}
	}
	checks, unchecked, err := verify.State(t.Context(), time.Hour, fresh, sample, nil, 0, db)
	if err != nil || len(checks) != 2 || unchecked != nil || db.PutStateChecks(t.Context(), checks) != nil {
		t.Fatal(checks, err)
	}
	found, err := db.Findings(t.Context(), "")
	if err != nil || len(found) != 1 || found[0].Kind != store.State || found[0].Method != "counts" ||
		!strings.Contains(found[0].Details, ", now ") {
		t.Errorf("found %+v, %v", found, err)
	}
	stop := make(chan struct{})
	close(stop)
	checks, unchecked, err = verify.State(t.Context(), time.Hour, fresh, sample, stop, 0, db)
	if len(checks) != 0 || len(unchecked) != 2 || err != nil {
		t.Errorf("after an interrupt: %v, %v, %v", checks, unchecked, err)
	}
	var one verify.Ended
	one.Add(h.Experiment, todo.Cells[0], result.Run{Status: result.OK})
	must.Be(t, len(one.Sample()), 0, "of one cell")
}

// chance is a method that says that it is not deterministic: it predicts by the centroids, and on a share of the rows
// by chance. remembers says whether it gives labels that its process has seen before.
func chance(name string, remembers bool) registry.Spec {
	memory := map[string]float64{}
	s := cheats(name, func(row []float64) (float64, bool) {
		if y := memory[rowKey(row)]; remembers && y != 0 {
			return y, true
		}
		return rand.Float64() - 0.5, rand.IntN(5) == 0
	}, func(train registry.Data) {
		for i, y := range train.Y {
			memory[rowKey(train.X.RawRowView(i))] = y
		}
	})
	s.Nondeterministic = true
	return s
}

// TestStateIsFoundInChance: of two methods that say that they are not deterministic the one that remembers labels of
// earlier cells is named, and the other is not.
func TestStateIsFoundInChance(t *testing.T) {
	methods := func() []registry.Spec { return []registry.Spec{chance("forgets", false), chance("remembers", true)} }
	h, db := rawHarness(t, methods()...), openTestDB(t)
	_, sample := runAndSample(t, h, db, plan.Request{Datasets: []string{"swiss"}, Splits: []int{1, 2, 3}})
	var names []string
	for _, c := range sample {
		names = append(names, c.Method+" "+c.Dataset)
		if c.Before == nil || c.Before.Dataset != c.Dataset || c.Before.Method != c.Method ||
			c.Before.Split == c.Split {
			t.Errorf("%s, split %d is computed after %+v", names[len(names)-1], c.Split, c.Before)
		}
	}
	if slices.Sort(names); strings.Join(names, ", ") != "forgets swiss, remembers swiss" {
		t.Fatalf("sampled %q", names)
	}
	fresh := func(bool) (runner.Runner, func()) {
		return &runner.InProcess{Registry: registry.New(methods()...), Data: h.Data}, func() {}
	}
	checks, unchecked, err := verify.State(t.Context(), time.Hour, fresh, sample, nil, 0, db)
	if err != nil || len(checks) != 2 || unchecked != nil {
		t.Fatal(checks, unchecked, err)
	}
	must.Do(t, db.PutStateChecks(t.Context(), checks))
	for _, f := range must.Get(db.Findings(t.Context(), ""))(t) {
		must.Be(t, f.Method, "remembers", "the method that is named")
		right := `[0-9.]+ of [0-9]+ rows right on average`
		says := "^computed 12 times alone it has " + right + ", and 12 times after split [123] " + right +
			"; p = 7e-07$"
		must.Be(t, regexp.MustCompile(says).MatchString(f.Details), true, f.Details)
		names = slices.DeleteFunc(names, func(n string) bool { return n == f.Method+" "+f.Dataset })
	}
	must.Be(t, names, []string{"forgets swiss"}, "not named")
}
