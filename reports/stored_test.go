package reports_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/harness/verify"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/reports/accuracy"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/internal/sample"
	"github.com/kernelboosting/bench/reports/render"
)

// TestAStoredMetricIsOneRow: a row that is added to the table of a score's fields is all that a stored metric
// needs. It is in a worker's answer, a database that was made without it, its views, a bundle, what verify
// compares, and reports.
func TestAStoredMetricIsOneRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	before := stored(t, path, storetest.Finished("M", "before", 1))

	pinball := result.Field{Name: "pinball", Title: "pinball loss", Kind: result.Real, Lower: true,
		Tasks: registry.Binary}
	defer result.AddField(pinball)()
	// a database that is made with the field
	stored(t, filepath.Join(t.TempDir(), "new.db"), storetest.Finished("M", "new", 1))
	set := func(s *result.Score, v float64) {
		must.Do(t, pinball.Set(s, v))
	}
	run := storetest.Finished("M", "iris", 1)
	run.Imported = ""
	set(&run.Score, 0.125)
	for i := range run.Folds {
		set(&run.Folds[i].Score, float64(i))
	}
	for i := range run.GridTests {
		set(&run.GridTests[i], 0.5)
		set(&run.Stages[i].Score, 0.75)
		set(&run.SeedTests[i].Score, float64(i+1)/8) // the first is the test
	}

	if found := verify.Differences(storetest.Finished("M", "iris", 1), run); found != nil {
		t.Errorf("a run that was computed before the field is taken for another: %v", found)
	}
	text, err := json.Marshal(run)
	var answer result.Run
	if err != nil || json.Unmarshal(text, &answer) != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(run, answer); diff != "" {
		t.Errorf("a worker's answer differs:\n%s", diff)
	}

	if again := stored(t, path, answer); !cmp.Equal(before[0], again[0]) || len(again) != 2 {
		t.Errorf("the run before the field is now\n%s", cmp.Diff(before[0], again[0]))
	}
	db := must.Get(store.OpenReader(t.Context(), path))(t)
	defer db.Close()
	back, _ := must.Get2(db.Result(t.Context(), run.Key))(t)
	if diff := cmp.Diff([]any{run.Score, run.Folds, run.Stages, run.GridTests, run.SeedTests},
		[]any{back.Score, back.Folds, back.Stages, back.GridTests, back.SeedTests}); diff != "" {
		t.Errorf("the database has other scores:\n%s", diff)
	}
	for query, want := range map[string]any{
		"SELECT pinball FROM results WHERE dataset = 'iris'":   0.125,
		"SELECT pinball FROM history WHERE dataset = 'before'": nil,
		"SELECT sum(pinball) FROM evaluations":                 0.0 + 1 + 2 + 3,
		"SELECT max(pinball) FROM grid_tests":                  0.5,
		"SELECT max(pinball) FROM seed_tests":                  0.25,
		"SELECT max(pinball) FROM stages":                      0.75,
	} {
		err := db.Query(t.Context(), query, func([]string) error { return nil }, func(r []any) error {
			if r[0] != want {
				t.Errorf("%s: %v, want %v", query, r[0], want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
	if !strings.Contains(store.CellQuery("p", "iris", "M"), "pinball") {
		t.Error("the query behind a cell of a table does not show it")
	}

	var file strings.Builder
	must.Do(t, must.Err(bundle.Write(&file, []result.Run{back})))
	unpacked, err := bundle.Read([]byte(file.String()))
	if err != nil || !cmp.Equal(unpacked[0].Score, run.Score) || !cmp.Equal(unpacked[0].Folds[3].Score,
		back.Folds[3].Score) {
		t.Errorf("a bundle has %+v, %v", unpacked, err)
	}

	other := run
	set(&other.Score, 0.25)
	if found := verify.Differences(back, other); len(found) != 1 || !strings.Contains(found[0].Stored,
		"pinball 0.125") {
		t.Errorf("verify finds %v", found)
	}

	in := sample.Input{Known: map[string]sample.Set{"iris": {}}}
	in.Protocol.Name, in.Protocol.Splits, in.Protocol.Datasets, in.Registry, in.Sets = "p", 1, []string{"iris"}, in, in
	in.Protocol.Order, in.Protocol.Sizes = slices.Clone[[]string], func(int, int) (int, int, error) { return 0, 0, nil }
	f := must.Get(frame.Read(t.Context(), db, in.Source))(t)
	table := must.Get(f.Table("pinball"))(t)
	d := must.Get(accuracy.Build(&table, accuracy.Options{}))(t)
	var shown strings.Builder
	if err := render.Text(&shown, d, render.Options{}); err != nil ||
		!strings.Contains(shown.String(), "pinball loss") || !strings.Contains(shown.String(), "0.125") {
		t.Errorf("a report does not show it: %v\n%s", err, &shown)
	}
}

// stored puts a run into a database and returns all that it then has, by data set.
func stored(t *testing.T, path string, run result.Run) []store.Row {
	t.Helper()
	db := must.Get(store.Open(t.Context(), path))(t)
	defer db.Close()
	w := db.NewWriter(result.Environment{}, nil)
	must.Do(t, w.Put(run))
	must.Do(t, w.Close())
	if problems, err := db.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("a check finds %v, %v", problems, err)
	}
	return must.Get(db.Rows(t.Context(), "p", true))(t)
}
