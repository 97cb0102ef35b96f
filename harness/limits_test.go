package harness

import (
	"context"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// slowOnSwiss is a method that the reference run has, and that says of itself that it takes for ever on few features,
// as swiss has.
func slowOnSwiss() registry.Spec {
	s := centroids()
	s.Name, s.Growth = "LDA", registry.Growth{Rows: 1, Features: -30}
	return s
}

// TestLimitsLeaveCellsOut of the plan by their predictions, and of the run once others have shown what they take.
func TestLimitsLeaveCellsOut(t *testing.T) {
	h, db := newTestHarness(t, slowOnSwiss()), openTestDB(t)
	limits := plan.Limits{MaxCell: 30 * time.Minute}
	todo, out := runAll(t, h, db, plan.Request{Splits: []int{1, 2, 3}, Limits: limits}, schedule.Options{Jobs: 2,
		Limits: limits}, nil)
	if out.OK != 3 || len(todo.Excluded) != 3 || todo.Requested != 6 || out.Interrupted || out.NotStarted != 0 {
		t.Errorf("plan %+v, outcome %+v; want balance done and swiss left out", todo, out)
	}
	if l := todo.Excluded[0]; l.Dataset != "swiss" || l.Why.Kind != result.TooLong || l.Why.Text != "--max-cell 30m" ||
		l.Why.Seconds < 1e5 {
		t.Errorf("left out is %+v", l)
	}

	todo = planned(t, h, openTestDB(t), plan.Request{Splits: []int{1}, Limits: plan.Limits{Memory: 1 << 20}})
	if len(todo.Cells) > 0 || len(todo.Excluded) != 2 || todo.Excluded[0].Why.Kind != result.TooLarge ||
		todo.Excluded[0].Why.Text != "--memory 1.0 MiB" {
		t.Errorf("within a megabyte: plan %+v", todo)
	}

	// The first cell of an unknown method takes longer than the limit: the others stay out.
	slow := defineTest("slow", func(context.Context, registry.Env, registry.Data, testParams) (registry.Model, error) {
		sum := 1.0
		for range 5_000_000 { // some milliseconds on any processor
			sum = 1 / (1 + sum)
		}
		return constantModel(sum), nil
	})
	h, db = newTestHarness(t, slow), openTestDB(t)
	limits = plan.Limits{MaxCell: time.Millisecond}
	req := plan.Request{Splits: []int{1, 2, 3}, Limits: limits}
	todo, out = runAll(t, h, db, req, schedule.Options{Jobs: 1, Limits: limits}, nil)
	if len(todo.Excluded) != 0 || out.OK != 1 || len(out.Excluded) != 5 || out.Interrupted || out.NotStarted != 0 {
		t.Errorf("plan leaves out %d, outcome %+v; want one cell, and five left out", len(todo.Excluded), out)
	}
	planned := map[string]*plan.Cell{}
	for _, c := range todo.Cells {
		planned[c.Dataset] = c
	}
	for _, l := range out.Excluded { // what is noted is what was found, not what was planned
		c := planned[l.Dataset]
		if w := l.Why; w.Seconds <= limits.MaxCell.Seconds() || w.Seconds == c.Seconds ||
			w.Bytes != c.Memory+c.SetBytes {
			t.Errorf("noted is %+v; planned were %v s", l, c.Seconds)
		}
	}
}

// TestEarly: a pair of which something is stored has no early cell.
func TestEarly(t *testing.T) {
	h, db := newTestHarness(t, centroids()), openTestDB(t)
	early := func(todo *plan.Plan) (n int) {
		for i, c := range todo.Cells {
			if c.Early {
				n++
				if i >= 2 {
					t.Errorf("an early cell comes at place %d", i+1)
				}
			}
		}
		return n
	}
	todo, _ := runAll(t, h, db, plan.Request{Datasets: []string{"balance"}, Splits: []int{2}},
		schedule.Options{Jobs: 1}, nil)
	must.Be(t, early(todo), 1)
	todo, _ = runAll(t, h, db, plan.Request{Splits: []int{1, 2, 3}}, schedule.Options{Jobs: 1}, nil)
	must.Be(t, early(todo), 1)
}
