package harness

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// shifted is the method centroids whose author changed its code: scores come out moved. Its name and
// its version are still the same.
func shifted(by float64) registry.Spec {
	s := centroids()
	plain := s
	return defineTest(s.Name, func(ctx context.Context, env registry.Env, train registry.Data,
		p testParams) (registry.Model, error) {
		m, err := plain.Fit(ctx, env, train, []byte("{}"))
		if err != nil {
			return nil, err
		}
		return linearModel{m.(linearModel).w, p.Shift + by}, nil
	})
}

// verifyAll compares every stored cell.
func verifyAll(t *testing.T, h *testHarness, db *store.DB) (plan.Stand, []verify.Verified) {
	t.Helper()
	ctx := t.Context()
	stored := must.Get(db.Cells(ctx))(t)
	stand := must.Get(h.Standing(ctx, stored, true))(t)
	var out []verify.Verified
	outcome, err := verify.Cells(ctx, h.runner(), nil, stand.Cells, schedule.Options{Jobs: 2}, db,
		func(v verify.Verified) { out = append(out, v) })
	if err != nil || outcome.Interrupted {
		t.Fatal(outcome, err)
	}
	return stand, out
}

// verifies fails the test unless so many cells are stored, and all are the same when they are computed again.
func verifies(t *testing.T, h *testHarness, db *store.DB, cells int) {
	t.Helper()
	if _, all := verifyAll(t, h, db); len(all) != cells || slices.ContainsFunc(all, func(v verify.Verified) bool {
		return v.Differences != nil
	}) {
		t.Errorf("verified: %+v", all)
	}
}

// TestVerifyFindsChangedResults: a method whose code gives other results under its old version is
// found, down to the folds and to the bits of the scores, and one that gives the same is not.
func TestVerifyFindsChangedResults(t *testing.T) {
	h, db := newTestHarness(t, centroids()), openTestDB(t)
	runAll(t, h, db, plan.Request{Splits: []int{1, 2}}, schedule.Options{Jobs: 2}, nil)
	before := content(t, db)
	for _, c := range []struct {
		by    float64
		finds []string // at the beginning of what differs
		not   string
	}{
		{0, nil, ""},
		{1e-12, []string{"bits of the test scores"}, "fold"},
		{1e9, []string{"fold 1 of {\"shift\":-0.5}", "test part", "bits of the test scores"}, ""},
	} {
		h.Registry = registry.New(shifted(c.by))
		stand, verified := verifyAll(t, h, db)
		if len(stand.Cells) != 4 || len(verified) != 4 || stand.Old != nil || stand.NoData != nil {
			t.Fatalf("%d stand, %d verified, %+v %+v", len(stand.Cells), len(verified), stand.Old, stand.NoData)
		}
		for _, v := range verified {
			if len(c.finds) == 0 && len(v.Differences) > 0 {
				t.Errorf("%s: the same code differs: %+v", v.Cell, v.Differences)
			}
			for _, want := range c.finds {
				if !slices.ContainsFunc(v.Differences, func(d verify.Difference) bool {
					return strings.HasPrefix(d.What, want) && d.Stored != d.Computed
				}) {
					t.Errorf("moved by %v, %s: %+v, want %q", c.by, v.Cell, v.Differences, want)
				}
			}
			if c.not != "" && slices.ContainsFunc(v.Differences, func(d verify.Difference) bool {
				return strings.HasPrefix(d.What, c.not)
			}) {
				t.Errorf("moved by %v, %s: %+v, want no %q", c.by, v.Cell, v.Differences, c.not)
			}
		}
	}
	must.Be(t, content(t, db) == before, true, "verifying changed what is stored")
}

// TestStandingTellsWhatIsOld: each input that changed is named, and missing data too.
func TestStandingTellsWhatIsOld(t *testing.T) {
	for name, c := range map[string]struct {
		change func(h *testHarness)
		why    string
		none   bool // no data rather than old
	}{
		"version": {change: func(h *testHarness) {
			s := centroids()
			s.Version = "2"
			h.Registry = registry.New(s)
		}, why: "method version was 1, is 2"},
		"protocol": {change: func(h *testHarness) { h.edit(t, "folds = 3", "folds = 4") }, why: "protocol was"},
		"method": {
			change: func(h *testHarness) { h.Registry = registry.New(nothing(1)) },
			why:    "the method is not known here",
		},
		"set": {change: func(h *testHarness) { h.Data.Root = "/nowhere" }},
	} {
		h, db := newTestHarness(t, centroids()), openTestDB(t)
		runAll(t, h, db, plan.Request{Splits: []int{1}}, schedule.Options{Jobs: 1}, nil)
		c.change(h)
		stored := must.Get(db.Cells(t.Context()))(t)
		stand := must.Get(h.Standing(t.Context(), stored, true))(t)
		old := 0
		for _, g := range slices.Concat(stand.Old, stand.Unknown) {
			old += g.Cells
			must.Hold(t, g.Why, c.why)
		}
		if want := 2; c.why != "" && (old != want || len(stand.Cells) > 0) || c.why == "" && len(stand.Cells) != want {
			t.Errorf("%s: %+v", name, stand)
		}
	}
}

func TestSample(t *testing.T) {
	cells := make([]*plan.Cell, 100)
	for i := range cells {
		cells[i] = &plan.Cell{}
	}
	for _, c := range []struct {
		share  float64
		number int
		want   int
	}{{0.02, 0, 2}, {0.001, 0, 1}, {1, 0, 100}, {0.5, 7, 7}, {0, 1000, 100}} {
		got := verify.Sample(cells, c.share, c.number, 1)
		seen := map[*plan.Cell]bool{}
		for _, g := range got {
			seen[g] = true
		}
		must.Be(t, len(got), c.want, c.share, c.number)
		must.Be(t, len(seen), c.want, c.share, c.number)
	}
	must.Be(t, verify.Sample(cells, 0.1, 0, 3), verify.Sample(cells, 0.1, 0, 3), "the choice is not that of the seed")
	must.Be(t, slices.Equal(verify.Sample(cells, 0.1, 0, 3), verify.Sample(cells, 0.1, 0, 4)), false,
		"the choice is not that of the seed")
}

// TestRerunReplacesWhatIsStored: only the methods asked for are planned again, and what is stored
// of them stays until the new result is there.
func TestRerunReplacesWhatIsStored(t *testing.T) {
	other := nothing(2)
	h, db := newTestHarness(t, centroids(), other), openTestDB(t)
	request := plan.Request{Splits: []int{1, 2}}
	runAll(t, h, db, request, schedule.Options{Jobs: 2}, nil)
	before := content(t, db)
	h.Registry = registry.New(shifted(1e9), other)
	request.Rerun = []string{"CENTROIDS"}
	todo, out := runAll(t, h, db, request, schedule.Options{Jobs: 2}, nil)
	if len(todo.Cells) != 4 || todo.Stored != 4 || out.OK != 4 || todo.Stored+out.OK != todo.Requested {
		t.Errorf("%d planned, %d stored of %d, %+v", len(todo.Cells), todo.Stored, todo.Requested, out)
	}
	if content(t, db) == before {
		t.Error("the old results are still there")
	}
	must.Be(t, must.Get(db.Check(t.Context()))(t), nil, "a check finds")
	if _, verified := verifyAll(t, h, db); slices.ContainsFunc(verified, func(v verify.Verified) bool {
		return len(v.Differences) > 0
	}) {
		t.Error("the new results are not those of the new code")
	}
	now := content(t, db)
	h.Registry = registry.New(defineTest("centroids", func(context.Context, registry.Env, registry.Data,
		testParams) (registry.Model, error) {
		panic("broken")
	}), other)
	if _, out := runAll(t, h, db, request, schedule.Options{Jobs: 2}, nil); out.Failed != 4 || content(t, db) != now {
		t.Errorf("%+v; a failed attempt took the place of a result", out)
	}
}
