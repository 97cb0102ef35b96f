package harness

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/registry"
)

// watched notes in which order cells begin, and how many run beside each other.
type watched struct {
	runner.Runner
	mu      sync.Mutex
	began   []string
	running int
	beside  map[string]int
}

func (w *watched) Run(ctx context.Context, c runner.CellSpec) (result.Run, error) {
	name := fmt.Sprint(c.Cell.Method, c.Cell.Split)
	w.mu.Lock()
	w.began = append(w.began, name)
	w.running++
	w.beside[name] = w.running
	w.mu.Unlock()
	run, err := w.Runner.Run(ctx, c)
	w.mu.Lock()
	w.running--
	w.mu.Unlock()
	return run, err
}

// TestWhatTheProgramDiedOfComesLast: cells of a foreign method of which a run died are run when the others are stored, each alone,
// and one that the program died of twice is a row.
func TestWhatTheProgramDiedOfComesLast(t *testing.T) {
	h := newTestHarness(t, centroids(), defineTest("killer", func(context.Context, registry.Env, registry.Data, testParams) (registry.Model, error) {
		return constantModel(1), nil
	}))
	todo, err := h.Plan(t.Context(), plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2, 3}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Earlier runs died of split 1 once, of split 2 twice.
	for _, c := range todo.Cells {
		if c.Method == "killer" && c.Split < 3 {
			c.Deaths = c.Split
		}
	}
	w := &watched{Runner: h.runner(), beside: map[string]int{}}
	var rows []result.Run
	var mu sync.Mutex
	out, err := schedule.Run(t.Context(), w, nil, todo.Cells, schedule.Options{Jobs: 2}, func(r result.Run) error {
		mu.Lock()
		defer mu.Unlock()
		rows = append(rows, r)
		return nil
	})
	if err != nil || out.OK != 5 || out.Failed != 1 || out.NotStarted != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	if last := w.began[len(w.began)-1]; len(w.began) != 5 || last != "killer1" || w.beside[last] != 1 {
		t.Errorf("the cells begin in the order %q, and the last runs beside %d", w.began, w.beside[last]-1)
	}
	for _, r := range rows {
		if r.Status != result.OK && (r.Split != 2 || r.Class != result.ClassCrash || !strings.HasPrefix(r.Error, "the program ended 2 times while this cell was running; run it again with --retry")) {
			t.Errorf("%s: %s %s %s", r.Name(), r.Status, r.Class, r.Error)
		}
	}
}
