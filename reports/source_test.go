package reports

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
)

// TestATableNeverMixes: cells made from other inputs than the newest ones of their
// row or column are left out, and the notes say so.
func TestATableNeverMixes(t *testing.T) {
	cell := func(method, dataset string, change func(*store.Result)) store.Result {
		r := store.Result{Method: method, Dataset: dataset, MethodVersion: "1", ProtocolHash: "p", Fingerprint: "f", GridHash: "g", StartedAt: "2026-01-01"}
		if change != nil {
			change(&r)
		}
		return r
	}
	newer := func(r *store.Result) { r.StartedAt = "2026-01-02" }
	src := Source{ProtocolHash: "p"}
	got := consistent([]store.Result{
		cell("A", "wine", nil),
		cell("A", "wine", func(r *store.Result) { r.ProtocolHash = "old"; newer(r) }),
		cell("A", "sonar", nil),
		cell("B", "sonar", func(r *store.Result) { r.Fingerprint = "changed"; newer(r) }),
		cell("A", "pima", nil),
		cell("A", "pima", func(r *store.Result) { r.MethodVersion = "2"; newer(r) }),
		cell("B", "pima", nil),
		cell("B", "pima", func(r *store.Result) { r.GridHash = "h"; newer(r) }),
	}, src)
	var kept []string
	for _, r := range got.results {
		kept = append(kept, r.Method+r.Dataset+r.MethodVersion+r.GridHash)
	}
	if kept, want := strings.Join(kept, " "), "Awine1g Bsonar1g Apima2g Bpima1h"; kept != want {
		t.Errorf("kept %s, want %s", kept, want)
	}
	all := strings.Join(append(got.warnings, got.notes...), "\n")
	for _, want := range []string{"before it was edited: A on wine", "Left out, 1 cell of A on sonar: run on other data (f) than the cells that are shown (changed).", "another method version or grid: A on pima, B on pima"} {
		if !strings.Contains(all, want) {
			t.Errorf("notes %q lack %q", all, want)
		}
	}
	if one := consistent([]store.Result{cell("A", "wine", nil), cell("B", "wine", nil)}, src); one.notes != nil || one.warnings != nil {
		t.Errorf("a table of one kind has notes %v, %v", one.warnings, one.notes)
	}
}

// TestTheDataOfNow: of cells of several kinds of data under one name, those of the
// data of now are kept although others were run later; where there are none the last
// ones are, and the change is told with both fingerprints. Two files of one name are
// never in one row.
func TestTheDataOfNow(t *testing.T) {
	cell := func(method, dataset, fingerprint, started string) store.Result {
		return store.Result{Method: method, Dataset: dataset, MethodVersion: "1", ProtocolHash: "p", Fingerprint: fingerprint, GridHash: "g", StartedAt: started}
	}
	cells := []store.Result{
		cell("A", "const", "first-file", "2026-01-01"), cell("B", "const", "first-file", "2026-01-02"), cell("C", "const", "second-file", "2026-01-03"),
		cell("A", "mine", "6facdf8211", "2026-01-01"), cell("B", "mine", "00000000ff", "2025-01-01"),
	}
	for name, c := range map[string]struct {
		now      map[string]Data
		kept     string
		warnings string
		changed  []Change
	}{
		"unknown": {nil, "Cconst Amine",
			"Left out, 2 cells of A, B on const: run on other data (first-fi) than the cells that are shown (second-f).\n" +
				"Left out, 1 cell of B on mine: run on other data (00000000) than the cells that are shown (6facdf82).", nil},
		"older of now": {map[string]Data{"const": {"first-file", "one/const.csv"}, "mine": {"00000000ff", "mine.csv"}}, "Aconst Bconst Bmine",
			"Left out, 1 cell of C on const: one/const.csv changed since (data was second-f, is first-fi).\n" +
				"Left out, 1 cell of A on mine: mine.csv changed since (data was 6facdf82, is 00000000).", nil},
		"none of now": {map[string]Data{"const": {"second-file", "const.csv"}, "mine": {"54f96b3122", "mydata.csv"}}, "Cconst Amine",
			"Left out, 2 cells of A, B on const: const.csv changed since (data was first-fi, is second-f).\n" +
				"Left out, 1 cell of B on mine: run on other data (00000000) than the cells that are shown (6facdf82).",
			[]Change{{Dataset: "mine", File: "mydata.csv", Was: "6facdf8211", Is: "54f96b3122"}}},
	} {
		got := consistent(slices.Clone(cells), Source{ProtocolHash: "p", Now: func(name string) (Data, bool) { d, ok := c.now[name]; return d, ok }})
		var kept []string
		kinds := map[string]string{}
		for _, r := range got.results {
			kept = append(kept, r.Method+r.Dataset)
			if other, seen := kinds[r.Dataset]; seen && other != r.Fingerprint {
				t.Errorf("%s: the row %s mixes %s and %s", name, r.Dataset, other, r.Fingerprint)
			}
			kinds[r.Dataset] = r.Fingerprint
		}
		if s := strings.Join(kept, " "); s != c.kept {
			t.Errorf("%s: kept %s, want %s", name, s, c.kept)
		}
		if s := strings.Join(got.warnings, "\n"); s != c.warnings {
			t.Errorf("%s: warnings\n%s\nwant\n%s", name, s, c.warnings)
		}
		if !slices.Equal(got.changed, c.changed) {
			t.Errorf("%s: changed %v, want %v", name, got.changed, c.changed)
		}
	}
	change := Change{Dataset: "mine", File: "mydata.csv", Was: "6facdf8211", Is: "54f96b3122", Command: "bench run --methods A"}
	if want := "mydata.csv changed since (data was 6facdf82, is 54f96b31): bench run --methods A"; !strings.HasSuffix(change.String(), want) {
		t.Errorf("the change is told as %q, want it to end with %q", change, want)
	}
}

// stored is a database of cells of multiclass and regression sets.
func stored(t *testing.T, cells ...store.Run) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "r.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w := db.NewWriter(store.Environment{ProgramVersion: "test", CPU: "cpu"}, nil)
	for i, r := range cells {
		r.Key = fmt.Sprint(i)
		r.Protocol, r.ProtocolHash, r.MethodVersion, r.GridHash = "p", "ph", "1", "g"
		r.Grid = []json.RawMessage{json.RawMessage(`{}`)}
		r.TrainRows, r.TestRows, r.StartedAt = 70, 30, "2026-01-01T00:00:00Z"
		selected, correct, rmse := 0, 20, 0.5
		if r.Task == "" {
			r.Task = "multiclass"
		}
		switch r.Status {
		case "":
			r.Status, r.Selected = store.OK, &selected
			r.Test = store.Score{N: 30, Correct: &correct}
			if r.Task == regression {
				r.Test = store.Score{N: 30, RMSE: &rmse, MAE: &rmse, R2: &rmse}
			}
		default:
			r.Error = "why"
		}
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return db
}

// testSource is of a protocol of three sets, one of regression, and knows a user's
// file.
func testSource() Source {
	return Source{
		Protocol: "p", ProtocolHash: "ph", Planned: 2, Datasets: []Dataset{{Name: "iris"}, {Name: "glass"}, {Name: "year"}},
		Others: func(name string) Dataset { return Dataset{Name: name, Group: GroupApart} },
		Order:  func(methods []string) []string { return slices.Sorted(slices.Values(methods)) },
		Run:    Invocation{Splits: 2, Protocol: "my p.toml"},
		SetFile: func(name string) string {
			if name == "mine" {
				return "sets/mine.toml"
			}
			return ""
		},
		Task: func(name string) string {
			if name == "year" {
				return regression
			}
			return ""
		},
		Now: func(name string) (Data, bool) { return Data{"new", name + ".csv"}, name == "mine" },
		Cannot: func(method, dataset string) string {
			if method == "B" && dataset == "glass" {
				return "no"
			}
			return ""
		},
	}
}

// TestReadTable2: sets of regression are left out and named whether their cells
// failed, finished or were never run; the commands name the files of own sets.
func TestReadTable2(t *testing.T) {
	db := stored(t,
		store.Run{Method: "A", Dataset: "iris", Fingerprint: "f", Split: 1},
		store.Run{Method: "B", Dataset: "mine", Fingerprint: "old", Split: 1},
		store.Run{Method: "A", Dataset: "mpg", Fingerprint: "f", Split: 1, Task: regression},
		store.Run{Method: "C", Dataset: "houses", Fingerprint: "f", Split: 2, Task: regression, Status: store.Failed},
	)
	in, err := ReadTable2(t.Context(), db, testSource())
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"year", "houses", "mpg"}; !slices.Equal(in.Regression, want) {
		t.Errorf("left out as regression: %v, want %v", in.Regression, want)
	}
	var names []string
	for _, d := range in.Datasets {
		names = append(names, d.Name)
	}
	if want := []string{"iris", "glass", "mine"}; !slices.Equal(names, want) || !slices.Equal(in.Methods, []string{"A", "B"}) || len(in.Runs) != 2 {
		t.Errorf("the table has sets %v, methods %v and %d runs; want %v, A and B, 2", names, in.Methods, len(in.Runs), want)
	}
	if want := "bench run --methods A,B --datasets iris,glass,sets/mine.toml --protocol 'my p.toml'"; in.FullCommand != want {
		t.Errorf("command\n%s\nwant\n%s", in.FullCommand, want)
	}
	again := Change{"mine", "mine.csv", "old", "new", "bench run --methods B --datasets sets/mine.toml --splits 1 --protocol 'my p.toml'"}
	if !slices.Equal(in.Changed, []Change{again}) {
		t.Errorf("changed %v, want %v", in.Changed, again)
	}
	if !slices.Equal(in.Impossible, []Impossible{{"glass", "B", "no"}}) || !slices.Equal(in.LeftOut, []string{"glass"}) {
		t.Errorf("impossible %v, left out %v", in.Impossible, in.LeftOut)
	}
	if _, err := BuildTable2(in); err != nil {
		t.Error(err)
	}
}

// TestNothingToShow: the error says why, and its command makes what was asked for.
func TestNothingToShow(t *testing.T) {
	db := stored(t, store.Run{Method: "A", Dataset: "mpg", Fingerprint: "f", Split: 1, Task: regression})
	only := testSource()
	only.Only, only.Datasets, only.Methods, only.Splits = true, []Dataset{{Name: "mine"}, {Name: "iris"}}, []string{"A"}, []int{3}
	number := testSource()
	number.Only, number.Datasets = true, []Dataset{{Name: "mpg"}}
	for want, src := range map[string]Source{
		"`bench run --all --protocol 'my p.toml'` makes them":                                                   testSource(),
		"`bench run --methods A --datasets sets/mine.toml,iris --splits 3-3 --protocol 'my p.toml'` makes them": only,
		"mpg: the target is a number (regression)":                                                              number,
	} {
		if _, err := ReadTable2(t.Context(), db, src); !errors.Is(err, ErrNoResults) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestPrintedRanksNeedAllTheirMethods: the ranks that a source prints are among its
// methods; beside fewer of ours they would not be like for like.
func TestPrintedRanksNeedAllTheirMethods(t *testing.T) {
	paper := []string{"BMKR", "GFC", "PBRFF", "GBRFF1", "LGBM", "GBRFF2"}
	for n, want := range map[int]int{6: 6, 5: 0} {
		var cells []store.Run
		for _, m := range append([]string{"CART"}, paper[:n]...) {
			cells = append(cells, store.Run{Method: m, Dataset: "wine", Fingerprint: "f", Split: 1})
		}
		src := testSource()
		src.Published = "gautheron2020-table2"
		in, err := ReadTable2(t.Context(), stored(t, cells...), src)
		if err != nil || len(in.PublishedRanks) != want {
			t.Errorf("with %d of the paper's methods: %d printed ranks, want %d; error %v", n, len(in.PublishedRanks), want, err)
		}
	}
}
