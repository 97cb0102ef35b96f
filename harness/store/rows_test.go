package store

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestRowsAreWhatWasPut: a row has everything of the current attempt of its cell, and its folds
// where they are asked for.
func TestRowsAreWhatWasPut(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	ok, bad, number := testRun("a", result.OK), testRun("b", result.Failed), testRun("c", result.OK)
	ok.Isolated, ok.CPUSeconds, ok.PeakRSSBytes = true, new(0.75), new(int64(1<<20))
	ok.ModelBytes, ok.Features = new(int64(99)), 13
	bad.Split, number.Split, number.Task = 2, 3, "regression"
	bad.Class, bad.Isolated, bad.Stderr = result.ClassCrash, true, "panic: no\nluck"
	number.Score, number.Folds = result.Score{N: 30, RMSE: new(1.5), MAE: new(1.25), R2: new(-0.5)}, nil
	number.Stages, number.GridTests, number.SeedTests = nil, nil, nil
	elsewhere := testRun("d", result.OK)
	elsewhere.Protocol = "q"
	environment := result.Environment{ProgramVersion: "v1", VCSRevision: "r", VCSModified: true, GoVersion: "go1",
		OS: "linux", Arch: "amd64", Kernel: "6", CPU: "c", Cores: 2, MemoryBytes: 8}
	w := db.NewWriter(environment, nil)
	for _, r := range []result.Run{number, bad, ok, elsewhere} {
		must.Do(t, w.Put(r))
	}
	must.Do(t, w.Close())
	row := func(r result.Run, params string) Row { // Rows leaves these fields out
		r.Grid, r.GridWritten, r.Scores, r.Outputs, r.Model = nil, nil, nil, 0, nil
		r.ProtocolText, r.ProtocolPath, r.ProtocolSplits, r.SetFile = "", "", 0, ""
		if r.Environment = &environment; params != "" {
			r.Point = json.RawMessage(params)
		}
		return r
	}
	want := []Row{row(ok, `{"c":2}`), row(bad, ""), row(number, `{"c":2}`)}
	got := must.Get(db.Rows(t.Context(), "p", true))(t)
	must.Be(t, cmp.Diff(want, got), "")
	for i := range want {
		want[i].Folds = nil
	}
	got = must.Get(db.Rows(t.Context(), "p", false))(t)
	must.Be(t, cmp.Diff(want, got), "")
	grids, err := db.Grids(t.Context(), "p")
	if want := map[string][]json.RawMessage{ok.GridHash: ok.Grid}; err != nil || cmp.Diff(want, grids) != "" {
		t.Errorf("grids differ, error %v (-want +got):\n%s", err, cmp.Diff(want, grids))
	}
	must.Be(t, len(must.Get(db.Rows(t.Context(), "unheard-of", true))(t)), 0)
	// Earlier programs stored the peak of a whole process for cells that shared it.
	must.Get(db.sql.Exec(`UPDATE runs SET peak_rss_bytes = 7, isolated = split = 1`))(t)
	_, peaks := query(t, db, `SELECT peak_rss_bytes FROM history WHERE protocol = 'p' ORDER BY split`)
	must.Be(t, fmt.Sprint(peaks), "[[7] [<nil>] [<nil>]]", "peaks of an isolated cell and of two others")
}

// TestQueriesAnswer: every query that reports print can be asked, also of a name with a quote.
func TestQueriesAnswer(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	r := testRun("a", result.OK)
	r.Protocol, r.Dataset, r.Method = "it's", "o'dd", "M'"
	put(t, db, r)
	version := Version{"M'", "1"}
	queries := append(TableQueries("it's", nil, nil), TitledQuery{"cell", CellQuery("it's", "o'dd", "M'")},
		TitledQuery{"version", VersionQuery("it's", "", version)}, TitledQuery{"version on a set", VersionQuery("it's",
			"o'dd", version)})
	queries = append(queries, TableQueries("it's", []string{"N", "M'"}, []string{"o'dd"})...)
	for _, q := range queries {
		if _, rows := query(t, db, q.SQL); len(rows) == 0 {
			t.Errorf("%s: no row", q.Title)
		}
	}
	for _, q := range TableQueries("it's", []string{"M'"}, []string{"another"}) {
		if _, rows := query(t, db, q.SQL); len(rows) > 0 {
			t.Errorf("%s: rows of a set that is not asked for", q.Title)
		}
	}
}

// TestRowsOfAVersion: of a method version each cell has the last attempt that ended ok, also where another attempt is
// the current one since; Rows has the current ones alone.
func TestRowsOfAVersion(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "r.db"))
	attempt := func(key, version string, split int, status result.Status, started, grid string) result.Run {
		r := testRun(key, status)
		r.MethodVersion, r.Split, r.StartedAt, r.GridHash = version, split, started, grid
		return r
	}
	other := attempt("other", "1", 1, result.OK, "2026-01-09T00:00:00Z", "g")
	other.Method = "N"
	put(t, db,
		attempt("a1", "1", 1, result.OK, "2026-01-01T00:00:00Z", "g"), attempt("a2", "1", 1, result.OK,
			"2026-01-02T00:00:00Z", "h"), attempt("a3", "1", 1, result.Failed, "2026-01-03T00:00:00Z", "i"),
		attempt("b1", "1", 2, result.OK, "2026-01-01T00:00:00Z", "g"), attempt("b2", "2", 2, result.OK,
			"2026-01-04T00:00:00Z", "g"), other)
	keys := func(rows []Row, err error) string {
		must.Do(t, err)
		out := ""
		for _, r := range rows {
			out += r.Key + " "
		}
		return out
	}
	must.Be(t, keys(db.Rows(t.Context(), "p", false)), "a3 b2 other ")
	for version, want := range map[string]string{"1": "a2 b1 ", "2": "b2 ", "3": ""} {
		must.Be(t, keys(db.RowsOf(t.Context(), "p", Version{"M", version}, false)), want, "of version", version)
	}
	must.Be(t, keys(db.AttemptsOf(t.Context(), "p", "M")), "a1 a2 b1 b2 ")
	if got := must.Get(db.Retried(t.Context(), "p"))(t); cmp.Diff([]string{"M"}, got) != "" {
		t.Errorf("several attempts of %v", got)
	}
	rows, err := db.RowsOf(t.Context(), "p", Version{"M", "1"}, true)
	if err != nil || len(rows) != 2 || len(rows[1].Folds) != 60 || string(rows[1].Point) != `{"c":2}` {
		t.Errorf("with folds: %d rows, error %v", len(rows), err)
	}
	versions, err := db.Versions(t.Context(), "p")
	if want := []Version{{"M", "1"}, {"M", "2"}, {"N", "1"}}; err != nil || cmp.Diff(want, versions) != "" {
		t.Errorf("versions %v, error %v", versions, err)
	}
	must.Be(t, must.Get(db.Grids(t.Context(), "p"))(t)["h"] == nil, false, "the grid of a superseded attempt is gone")
	if _, found := query(t, db, VersionQuery("p", "d", Version{"M", "1"})); len(found) != 2 {
		t.Errorf("the query has %v", found)
	}
}
