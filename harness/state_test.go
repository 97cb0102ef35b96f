package harness

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/registry"
)

// counting is a method whose models depend on how many of them its process has made.
func counting(name string) registry.Spec {
	made := 0
	return defineTest(name, func(_ context.Context, _ registry.Env, train registry.Data, p testParams) (registry.Model, error) {
		made++
		_, d := train.X.Dims()
		w := make([]float64, d)
		w[0] = float64(made)
		return linearModel{w, p.Shift}, nil
	})
}

// TestStateIsFound: a method whose results depend on what its process did before is named, one that gives the same again is not,
// and one that says that it is not deterministic is not asked.
func TestStateIsFound(t *testing.T) {
	declared := counting("says so")
	declared.Nondeterministic = true
	methods := func() []registry.Spec { return []registry.Spec{centroids(), counting("counts"), declared} }
	h, db := newTestHarness(t, methods()...), openTestDB(t)
	var ended verify.Ended
	todo, _ := runAll(t, h, db, plan.Request{Splits: []int{1, 2}}, schedule.Options{Jobs: 1, Tell: func(e schedule.Event) {
		if e.Kind == schedule.Finished {
			ended.Add(h.Experiment, e.Cell, e.Run)
		}
	}}, nil)
	sample := ended.Sample()
	var names []string
	for _, c := range sample {
		names = append(names, c.Method)
		if i := slices.IndexFunc(todo.Cells, func(o *plan.Cell) bool { return o.Method == c.Method }); todo.Cells[i] == c {
			t.Errorf("the first cell of %s is computed once more", c.Method)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"centroids", "counts"}) {
		t.Fatalf("sampled %q", names)
	}
	fresh := func() (runner.Runner, func()) {
		return &runner.InProcess{Registry: registry.New(methods()...), Data: h.Data}, func() {}
	}
	checks, err := verify.State(t.Context(), fresh, sample, nil, 0, db)
	if err != nil || len(checks) != 2 || db.PutStateChecks(t.Context(), checks) != nil {
		t.Fatal(checks, err)
	}
	found, err := db.Findings(t.Context(), "")
	if err != nil || len(found) != 1 || found[0].Kind != store.State || found[0].Method != "counts" || !strings.Contains(found[0].Details, ", now ") {
		t.Errorf("found %+v, %v", found, err)
	}
	stop := make(chan struct{})
	close(stop)
	if checks, err := verify.State(t.Context(), fresh, sample, stop, 0, db); len(checks) != 0 || err != nil {
		t.Errorf("after an interrupt: %v, %v", checks, err)
	}
	var one verify.Ended
	one.Add(h.Experiment, todo.Cells[0], result.Run{Status: result.OK})
	if cells := one.Sample(); cells != nil {
		t.Errorf("of one cell: %v", cells)
	}
}
