package harness

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// TestVariantsRun: a variant runs under its own name with its own settings, also in a runner that knows the methods
// alone, gives what its method gives with these settings, and is verified like any other.
func TestVariantsRun(t *testing.T) {
	h := newTestHarness(t, centroids())
	methodsAlone := h.Registry
	h.edit(t, "standardise = true", `standardise = true
[methods."centroids one"]
of = "Centroids"
grid = [{name = "shift", values = [1.0]}]
[methods.centroids]
on = { swiss = {} }
grid = [{name = "shift", values = [1.0]}]
`)
	var err error
	if h.Registry, err = h.Protocol.Resolve(h.Registry); err != nil {
		t.Fatal(err)
	}
	planned, db := h.Registry, openTestDB(t)
	runAll(t, h, db, plan.Request{Datasets: []string{"balance"}, Splits: []int{1, 2}}, schedule.Options{Jobs: 2},
		func([]*plan.Cell) { h.Registry = methodsAlone })
	h.Registry = planned
	rows := must.Get(db.Rows(t.Context(), "test", true))(t)
	must.Be(t, len(rows), 4)
	byName := map[string][]store.Row{}
	for _, r := range rows {
		byName[r.Method] = append(byName[r.Method], r)
	}
	one, other := byName["centroids one"], byName["centroids"]
	if len(one) != 2 || len(other) != 2 {
		t.Fatalf("%d and %d rows", len(one), len(other))
	}
	for i := range one {
		must.Be(t, one[i].Score, other[i].Score, "split", i+1)
		must.Be(t, one[i].Status, result.OK, "split", i+1)
	}
	verifies(t, h, db, 4)
}

// TestGridTests: where the protocol asks for it every grid point is refitted and tested, which changes nothing else,
// costs what is predicted for it and is verified.
func TestGridTests(t *testing.T) {
	req := plan.Request{Datasets: []string{"balance", "swiss"}, Splits: []int{1, 2}}
	results := func(edit bool) (*testHarness, *store.DB, *plan.Plan, []store.Row) {
		h, db := newTestHarness(t, centroids()), openTestDB(t)
		if edit {
			h.edit(t, "standardise = true", "standardise = true\ntest_grid = true")
		}
		todo, _ := runAll(t, h, db, req, schedule.Options{Jobs: 2}, nil)
		rows := must.Get(db.Rows(t.Context(), "test", true))(t)
		must.Be(t, len(rows), 4)
		return h, db, todo, rows
	}
	_, _, plainPlan, plain := results(false)
	h, db, todo, tested := results(true)
	if todo.Cells[0].Work <= plainPlan.Cells[0].Work {
		t.Error("the tests cost nothing")
	}
	differ := false
	for i, r := range tested {
		if !reflect.DeepEqual(r.Score, plain[i].Score) || !reflect.DeepEqual(r.Selected, plain[i].Selected) ||
			plain[i].GridTests != nil {
			t.Errorf("%s, split %d: %+v, without tests of the grid %+v", r.Dataset, r.Split, r.Score, plain[i].Score)
		}
		if len(r.GridTests) != 3 || !reflect.DeepEqual(r.GridTests[*r.Selected], r.Score) {
			t.Fatalf("%s, split %d: tests %+v of point %d, chosen was %d", r.Dataset, r.Split, r.GridTests,
				len(r.GridTests), *r.Selected)
		}
		differ = differ || !reflect.DeepEqual(r.GridTests[0], r.GridTests[2])
	}
	must.Be(t, differ, true, "every point has the same test")
	verifies(t, h, db, 4)
	honest := centroids()
	h.Registry = registry.New(defineTest("centroids", func(ctx context.Context, env registry.Env, train registry.Data,
		p testParams) (registry.Model, error) {
		if len(train.Y) == 437 && p.Shift == 0.5 { // the refits of balance; its folds train on fewer rows
			p.Shift = 9
		}
		return honest.Fit(ctx, env, train, []byte(fmt.Sprintf(`{"shift":%v}`, p.Shift)))
	}))
	_, all := verifyAll(t, h, db)
	if !slices.ContainsFunc(all, func(v verify.Verified) bool {
		return slices.ContainsFunc(v.Differences, func(d verify.Difference) bool {
			return strings.HasPrefix(d.What, "test part with ")
		})
	}) {
		t.Errorf("changed tests are not noticed: %+v", all)
	}
}
