package harness

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/environment"
	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// bundled is a file of every cell of a database, read back.
func bundled(t *testing.T, db *store.DB) []result.Run {
	t.Helper()
	cells := must.Get(db.Cells(t.Context()))(t)
	var runs []result.Run
	for _, c := range cells {
		r, _ := must.Get2(db.Result(t.Context(), c.Key))(t)
		runs = append(runs, r)
	}
	var file bytes.Buffer
	must.Get(bundle.Write(&file, runs))(t)
	runs = must.Get(bundle.Read(file.Bytes()))(t)
	return runs
}

// TestImportedContentIsTheSame: a database of imported results holds what the one holds that
// computed them, and nothing is left to run.
func TestImportedContentIsTheSame(t *testing.T) {
	h, db, other := newTestHarness(t, centroids()), openTestDB(t), openTestDB(t)
	req := plan.Request{Splits: []int{1, 2}}
	runAll(t, h, db, req, schedule.Options{Jobs: 2}, nil)
	runs := bundled(t, db)
	in, taken := admitted(t, h.Experiment, runs, other)
	if len(taken) != 4 || in.Taken != 4 || in.Stored != 0 || in.Old != nil {
		t.Fatalf("%+v", in)
	}
	w := other.NewWriter(result.Environment{ProgramVersion: "importer"}, nil)
	for _, r := range taken {
		must.Do(t, w.Put(r))
	}
	must.Do(t, w.Close())
	must.Be(t, content(t, other) == content(t, db), true, "the content differs")
	rows, err := other.Rows(t.Context(), "test", false)
	if err != nil || len(rows) != 4 || rows[0].Imported != "theirs" || *rows[0].Environment != environment.Current() {
		t.Errorf("%+v, %v", rows, err)
	}
	if todo, _ := runAll(t, h, other, req, schedule.Options{Jobs: 2}, nil); len(todo.Cells) != 0 || todo.Stored != 4 {
		t.Errorf("%d cells are planned again", len(todo.Cells))
	}
	if in, taken := admitted(t, h.Experiment, runs, other); taken != nil || in.Stored != 4 || in.Conflicts != nil {
		t.Errorf("the second time: %+v", in)
	}

	// The same cell with another count is told, and stays as it is stored.
	was := runs[0].Score
	runs[0].Score = result.Score{N: was.N, Correct: new(*was.Correct - 1), TN: new(*was.TN - 1), FP: new(*was.FP + 1),
		FN: was.FN, TP: was.TP}
	if in, taken := admitted(t, h.Experiment, runs, other); taken != nil || in.Stored != 4 || len(in.Conflicts) != 1 ||
		in.Conflicts[0].Differences[0].What != "test part" {
		t.Errorf("with another count: %+v", in)
	}
}

// TestAdmitRefuses what was not made by this program. What it would compute from other inputs is history, and what it
// does not know counts under its names.
func TestAdmitRefuses(t *testing.T) {
	h, db := newTestHarness(t, centroids()), openTestDB(t)
	runAll(t, h, db, plan.Request{Datasets: []string{"balance"}, Splits: []int{1}}, schedule.Options{Jobs: 1}, nil)
	for name, c := range map[string]struct {
		harness func(h *testHarness)
		run     func(r *result.Run)
		why     string
	}{
		"a new version": {harness: func(h *testHarness) {
			s := centroids()
			s.Version = "2"
			h.Registry = registry.New(s)
		}, why: "method version was 1, is 2"},
		"a new protocol": {
			harness: func(h *testHarness) { h.edit(t, "folds = 3", "folds = 4") },
			why:     "protocol was",
		},
		"another data set":  {run: func(r *result.Run) { r.Fingerprint = "f" }, why: "data was f, is"},
		"another grid":      {run: func(r *result.Run) { r.GridHash = "g" }, why: "grid was g, is"},
		"an unknown set":    {run: func(r *result.Run) { r.Dataset = "blance" }, why: "the data set is not known here"},
		"an unknown method": {run: func(r *result.Run) { r.Method = "theirs" }, why: "the method is not known here"},
		"a smaller grid":    {run: func(r *result.Run) { r.Grid = r.Grid[1:] }, why: "it has 2 grid points"},
		"other rows":        {run: func(r *result.Run) { r.TrainRows++ }, why: "437 of 438 training rows"},
	} {
		runs := bundled(t, db)
		other := newTestHarness(t, centroids())
		if c.harness != nil {
			c.harness(other)
		}
		if c.run != nil {
			c.run(&runs[0])
		}
		in, taken := admitted(t, other.Experiment, runs, openTestDB(t))
		groups := slices.Concat(in.Old, in.Refused, in.Unknown)
		if len(groups) != 1 || groups[0].Cells != 1 || !strings.Contains(groups[0].Why, c.why) {
			t.Errorf("%s: %+v", name, in)
		}
		must.Be(t, len(taken) == 1, in.Refused == nil, name, in)
		must.Be(t, len(taken) == 1 && taken[0].Superseded, in.Old != nil, name, in)
	}
}

// admitted is what Runs takes of results in a file, by a database that holds those that are known.
func admitted(t *testing.T, h *plan.Experiment, runs []result.Run, db *store.DB) (in verify.Import,
	taken []result.Run) {
	t.Helper()
	known := must.Get(db.Keys(t.Context()))(t)
	in = must.Get(verify.Runs(t.Context(), h, verify.OfBundle("theirs", runs), known, db, func(r result.Run) error {
		taken = append(taken, r)
		return nil
	}))(t)
	return in, taken
}
