package harness

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/registry"
)

// written is a method whose source the program holds.
func written(s registry.Spec, source string) registry.Spec {
	s.Files = fstest.MapFS{"method.go": {Data: []byte("package harness\n// " + source)}}
	return s
}

// checkCode is what the start of a run finds out, and which methods it ran a cell of.
func checkCode(t *testing.T, h *testHarness, db *store.DB, req plan.Request) (verify.CodeReport, []string) {
	t.Helper()
	var ran []string
	report, err := verify.Code(t.Context(), h.Experiment, db, h.runner(), req, schedule.Options{Jobs: 2},
		func(methods []string, _ bool) { ran = methods })
	if err == nil {
		err = db.PutCodeChecks(t.Context(), report.Checked)
	}
	if err != nil {
		t.Fatal(err)
	}
	return report, ran
}

// TestChangedCodeIsCheckedOnce: code that gives the stored bits is accepted for good; code that does
// not is named at every start, until the version rises or the cells are run again.
func TestChangedCodeIsCheckedOnce(t *testing.T) {
	start := func(s registry.Spec) (*testHarness, *store.DB, plan.Request) {
		h, db := newTestHarness(t, written(s, "1")), openTestDB(t)
		req := plan.Request{Splits: []int{1, 2}}
		runAll(t, h, db, req, schedule.Options{Jobs: 2}, nil)
		return h, db, req
	}
	h, db, req := start(centroids())
	says := func(what string, ran int, old []verify.OldResult) {
		t.Helper()
		report, methods := checkCode(t, h, db, req)
		must.Be(t, len(methods), ran, what, "methods of which a cell ran")
		must.Be(t, report.Old, old, what)
		must.Be(t, len(report.Checked), ran, what, "checks")
		must.Be(t, len(report.Unchecked)+len(report.Taken), 0, what, "groups that were not compared")
	}
	says("unchanged code", 0, nil)
	h.Registry = registry.New(written(shifted(0), "2"))
	if report, ran := checkCode(t, h, db, req); !reflect.DeepEqual(ran, []string{"centroids"}) || report.Old != nil ||
		len(report.Checked) != 1 || !report.Checked[0].Same {
		t.Errorf("changed code with the same results: %v %+v", ran, report)
	}
	says("checked code", 0, nil)

	// As much moved as the last bits of scores.
	h, db, req = start(centroids())
	h.Registry = registry.New(written(shifted(1e-12), "2"))
	want := []verify.OldResult{{Method: "centroids", Version: "1", Cells: 4}}
	says("changed results", 1, want)
	says("at the second start", 0, want)
	raised := shifted(1e-12)
	raised.Version = "2"
	same := h.Registry
	h.Registry = registry.New(written(raised, "2"))
	if report, _ := checkCode(t, h, db, req); report.Old != nil {
		t.Errorf("with a new version: %+v", report)
	}
	h.Registry = same
	req.Rerun = []string{"centroids"}
	says("what is rerun", 0, nil)
	runAll(t, h, db, plan.Request{Splits: []int{1}, Rerun: req.Rerun}, schedule.Options{Jobs: 2}, nil)
	req.Rerun = nil
	if report, _ := checkCode(t, h, db, req); !reflect.DeepEqual(report.Old, []verify.OldResult{{Method: "centroids",
		Version: "1", Cells: 2}}) {
		t.Errorf("after one split was run again: %+v", report)
	}
	runAll(t, h, db, plan.Request{Splits: []int{2}, Rerun: []string{"centroids"}}, schedule.Options{Jobs: 2}, nil)
	says("after all were run again", 0, nil)
}

// TestCodeOfOthersCells: cells of unknown code and imported ones are checked too; what is too dear is
// said and not run.
func TestCodeOfOthersCells(t *testing.T) {
	h, source := newTestHarness(t, written(centroids(), "1")), openTestDB(t)
	req := plan.Request{Splits: []int{1, 2}}
	runAll(t, h, source, req, schedule.Options{Jobs: 2}, nil)
	stored := must.Get(source.Cells(t.Context()))(t)
	for name, c := range map[string]struct {
		change func(r *result.Run)
		ran    bool
		same   bool
		why    string
	}{
		"unknown code": {func(r *result.Run) { r.Code = "" }, true, true, ""},
		"imported":     {func(r *result.Run) { r.Code, r.Imported = "theirs", "reference" }, true, true, ""},
		"imported, not ours": {func(r *result.Run) {
			r.Code, r.Imported, r.ScoresHash = "theirs", "reference", "other bits"
		}, true, false, ""},
		"dear": {func(r *result.Run) {
			r.Code, r.SearchSeconds = "theirs", 3600
		}, false, false, "took 3600 s"},
		"imported, dear": {func(r *result.Run) {
			r.Code, r.Imported, r.SearchSeconds = "theirs", "reference", 3600
		}, false, false, "took 3600 s"},
		"one cheap": {func(r *result.Run) {
			r.Code, r.SearchSeconds = "theirs", float64(3600*(r.Split-1))
		}, true, true, ""},
	} {
		db := openTestDB(t)
		w := db.NewWriter(result.Environment{}, nil)
		for _, cell := range stored {
			r, _ := must.Get2(source.Result(t.Context(), cell.Key))(t)
			c.change(&r)
			must.Do(t, w.Put(r))
		}
		must.Do(t, w.Close())
		report, ran := checkCode(t, h, db, req)
		if (ran != nil) != c.ran || c.ran && (len(report.Checked) != 1 || report.Checked[0].Same != c.same ||
			(report.Old == nil) != c.same) {
			t.Errorf("%s: %v %+v", name, ran, report)
		}
		unchecked, none := report.Unchecked, report.Taken
		if name == "imported, dear" {
			unchecked, none = none, unchecked
		}
		if c.why != "" && (len(unchecked) != 1 || !strings.Contains(unchecked[0].Why, c.why) ||
			unchecked[0].Cells != 4) || none != nil {
			t.Errorf("%s: %+v", name, report)
		}
	}
}

// TestCodeCheckEnds with its context, without a verdict on what did not end.
func TestCodeCheckEnds(t *testing.T) {
	h, db := newTestHarness(t, written(centroids(), "1")), openTestDB(t)
	req := plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}
	runAll(t, h, db, req, schedule.Options{Jobs: 1}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	h.Registry = registry.New(written(defineTest("centroids", func(ctx context.Context, _ registry.Env, _ registry.Data,
		_ testParams) (registry.Model, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}), "2"))
	if report, err := verify.Code(ctx, h.Experiment, db, h.runner(), req, schedule.Options{Jobs: 1}, nil); err == nil ||
		report.Checked != nil {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestCodeIsRecorded with each cell, whatever became of it.
func TestCodeIsRecorded(t *testing.T) {
	bad := written(defineTest("bad", func(context.Context, registry.Env, registry.Data, testParams) (registry.Model,
		error) {
		panic("broken")
	}), "x")
	h, db := newTestHarness(t, written(centroids(), "1"), bad), openTestDB(t)
	runAll(t, h, db, plan.Request{Splits: []int{1}}, schedule.Options{Jobs: 2}, nil)
	cells := must.Get(db.Cells(t.Context()))(t)
	must.Be(t, len(cells), 4)
	for _, c := range cells {
		if want, err := h.Registry.Code(c.Method); err != nil || c.Code != want || c.Imported != "" {
			t.Errorf("%+v, want code %s, %v", c, want, err)
		}
	}
	if cells[0].Code == cells[1].Code {
		t.Errorf("two methods have one code: %+v", cells)
	}
}
