package harness

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// nothing is a method that does nothing, on a grid of the given size.
func nothing(points int) registry.Spec {
	axis := registry.Axis{Name: "shift"}
	for i := range points {
		axis.Values = append(axis.Values, float64(i))
	}
	return registry.Define(registry.Spec{Name: "nothing", Version: "1", Tasks: registry.Binary, Source: "this test"},
		testParams{}, registry.Grid{axis}, gives(constantModel(1), nil))
}

// BenchmarkCell is the harness's own time per cell: plan, schedule, split, standardise, score and store, and
// "registered" also the notes on what is under way, with a method that does nothing and one grid point.
func BenchmarkCell(b *testing.B) {
	for name, registered := range map[string]bool{"alone": false, "registered": true} {
		b.Run(name, func(b *testing.B) { benchmarkCell(b, registered) })
	}
}

func benchmarkCell(b *testing.B, registered bool) {
	h, db := newTestHarness(b, nothing(1)), openTestDB(b)
	splits := make([]int, b.N)
	for i := range splits {
		splits[i] = i + 1
	}
	b.ResetTimer()
	opt := schedule.Options{Jobs: 2}
	var r *store.Registration
	if registered {
		opt.Begin = func(ctx context.Context, keys []string) error { return r.Begin(ctx, keys) }
	}
	_, out := runAll(b, h, db, plan.Request{Datasets: []string{"two-moons"}, Splits: splits}, opt,
		func(cells []*plan.Cell) {
			if registered {
				r = register(b, db, cells)
			}
		})
	must.Be(b, out.OK, b.N)
}

// register begins a run with these cells. It ends with the test.
func register(t testing.TB, db *store.DB, cells []*plan.Cell) *store.Registration {
	t.Helper()
	var planned []store.PlannedCell
	for _, c := range cells {
		planned = append(planned, store.PlannedCell{Key: c.Spec.Key, Canary: c.Spec.Canary != nil})
	}
	r := must.Get(db.Register(t.Context(), planned, store.Progress{}, nil))(t)
	t.Cleanup(func() { must.Do(t, r.Close()) })
	return r
}

// BenchmarkStoreEvaluation is the time per stored evaluation: cells with 500 of
// them go through the writer.
func BenchmarkStoreEvaluation(b *testing.B) {
	h, db := newTestHarness(b, nothing(100)), openTestDB(b)
	todo := must.Get(h.Plan(context.Background(), plan.Request{Datasets: []string{"two-moons"}, Splits: []int{1}}, nil,
		nil))(b)
	run := todo.Cells[0].Spec.NewRun()
	run.Status = result.OK
	n, quarter := 100, 25
	right := 2 * quarter
	score := result.Score{N: n, Correct: &right, TN: &quarter, FP: &quarter, FN: &quarter, TP: &quarter}
	for g := range 100 {
		for f := range 5 {
			run.Folds = append(run.Folds, result.Evaluation{GridIndex: g, Fold: f, Score: score, FitSeconds: 0.25})
		}
	}
	b.ResetTimer()
	w := db.NewWriter(environment.Current(), nil)
	for i := 0; i < b.N; i += len(run.Folds) {
		run.Key = fmt.Sprint(i)
		must.Do(b, w.Put(run))
	}
	must.Do(b, w.Close())
}

// BenchmarkResume is the start of a run whose 100,000 cells are all stored: open,
// read the keys, plan.
func BenchmarkResume(b *testing.B) {
	const cells = 100_000
	h := newTestHarness(b, nothing(5))
	splits := make([]int, cells)
	for i := range splits {
		splits[i] = i + 1
	}
	req := plan.Request{Datasets: []string{"two-moons"}, Splits: splits}
	path := filepath.Join(b.TempDir(), "results.db")
	fill(b, h, req, path)
	b.ResetTimer()
	for range b.N {
		db := must.Get(store.Open(context.Background(), path))(b)
		known := must.Get(db.Keys(context.Background()))(b)
		timings := must.Get(db.Timings(context.Background(), environment.Current()))(b)
		todo, err := h.Plan(context.Background(), req, known, plan.NewForecast(timings))
		if err != nil || todo.Stored != cells {
			b.Fatalf("%d of %d found stored, %v", todo.Stored, cells, err)
		}
		must.Do(b, db.Close())
	}
}

// fill stores every cell of a request as ok, without running it.
func fill(b *testing.B, h *testHarness, req plan.Request, path string) {
	b.Helper()
	db := must.Get(store.Open(context.Background(), path))(b)
	todo := must.Get(h.Plan(context.Background(), req, nil, nil))(b)
	w := db.NewWriter(environment.Current(), nil)
	zero := 0.0
	for _, c := range todo.Cells {
		run := c.Spec.NewRun()
		run.Status, run.FitSeconds, run.PredictSeconds = result.OK, &zero, &zero
		must.Do(b, w.Put(run))
	}
	must.Do(b, errors.Join(w.Close(), db.Close()))
}
