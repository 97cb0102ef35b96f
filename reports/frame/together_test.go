package frame

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

// consistent is a table of rows before it has columns.
func consistent(f Frame, rows []store.Row) *Table {
	t := &Table{Frame: &f, taken: rows}
	t.consistent()
	return t
}

// TestATableNeverMixes: cells made from other inputs than the newest ones of their
// row or column are left out, and the notes say so.
func TestATableNeverMixes(t *testing.T) {
	cell := func(method, dataset string, change func(*store.Row)) store.Row {
		r := store.Row{Planned: result.Planned{Method: method, Dataset: dataset, MethodVersion: "1", ProtocolHash: "p",
			Fingerprint: "f", GridHash: "g"}, StartedAt: "2026-01-01"}
		if change != nil {
			change(&r)
		}
		return r
	}
	newer := func(r *store.Row) { r.StartedAt = "2026-01-02" }
	f := Frame{Source: Source{Protocol: Protocol{Hash: "p"}, Sets: nowSets(nil)}}
	got := consistent(f, []store.Row{
		cell("A", "wine", nil),
		cell("A", "wine", func(r *store.Row) { r.ProtocolHash = "old"; newer(r) }),
		cell("A", "sonar", nil),
		cell("B", "sonar", func(r *store.Row) { r.Fingerprint = "changed"; newer(r) }),
		cell("A", "pima", nil),
		cell("A", "pima", func(r *store.Row) { r.MethodVersion = "2"; newer(r) }),
		cell("B", "pima", nil),
		cell("B", "pima", func(r *store.Row) { r.GridHash = "h"; newer(r) }),
	})
	var kept []string
	for _, r := range got.taken {
		kept = append(kept, r.Method+r.Dataset+r.MethodVersion+r.GridHash)
	}
	must.Be(t, strings.Join(kept, " "), "Awine1g Bsonar1g Apima2g Bpima1h", "kept")
	all := strings.Join(append(got.say(warned), got.say(remark)...), "\n")
	must.Hold(t, all, "before it was edited: A on wine",
		"Left out, 1 cell of A on sonar: run on other data (f) than the cells that are shown (changed).",
		"another method version or grid: A on pima, B on pima")
	// The program's own version stays, although another one was run, or imported, later.
	f.Registry = registry.New(registry.DefineRaw(registry.Spec{Name: "A", Version: "1", Tasks: registry.Binary,
		Source: "a test"}, nil, nil,
		func(context.Context, registry.Env, registry.Data, json.RawMessage) (registry.Model, error) {
			return nil, nil
		}))
	imported := consistent(f, []store.Row{cell("A", "pima", nil), cell("A", "pima", func(r *store.Row) {
		r.MethodVersion = "0"
		newer(r)
	})})
	if len(imported.taken) != 1 || imported.taken[0].MethodVersion != "1" || imported.say(remark) == nil {
		t.Errorf("with an older version that came later: %+v", imported.taken)
	}
	// Versions of a plugin that differ in libraries alone are in one column, and both are named.
	of := func(split int, version string) store.Row {
		return cell("A", "pima", func(r *store.Row) { r.Split, r.MethodVersion = split, version })
	}
	joined := consistent(f, []store.Row{of(1, "1+ab sklearn=1.9.0"), of(2, "1+ab sklearn=1.9.1"),
		of(3, "1+cd sklearn=1.9.1")})
	if len(joined.taken) != 2 || joined.taken[0].Split != 1 || joined.taken[1].Split != 2 ||
		len(joined.say(remark)) != 1 {
		t.Errorf("libraries: %+v", joined.taken)
	}
	table := Table{Frame: &f, Methods: []string{"A"}, Sets: []Set{{Dataset: Dataset{Name: "pima"}}},
		rows: map[cellKey][]store.Row{{"pima", "A"}: joined.taken}}
	if got := table.say(warned); len(got) != 1 || !strings.HasPrefix(got[0],
		"A: version 1+ab sklearn=1.9.0 on pima, version 1+ab sklearn=1.9.1 on pima") {
		t.Errorf("%q", got)
	}
	one := consistent(f, []store.Row{cell("A", "wine", nil), cell("B", "wine", nil)})
	if notes := append(one.say(remark), one.say(warned)...); notes != nil {
		t.Errorf("a table of one kind has notes %v", notes)
	}
}

// TestTheDataOfNow: of cells of several kinds of data under one name, those of the
// data of now are kept although others were run later; where there are none the last
// ones are, and the change is noted with both fingerprints. Two files of one name are
// never in one row.
func TestTheDataOfNow(t *testing.T) {
	cell := func(method, dataset, fingerprint, started string) store.Row {
		return store.Row{Planned: result.Planned{Method: method, Dataset: dataset, MethodVersion: "1",
			ProtocolHash: "p", Fingerprint: fingerprint, GridHash: "g"}, StartedAt: started}
	}
	cells := []store.Row{
		cell("A", "const", "first-file", "2026-01-01"), cell("B", "const", "first-file", "2026-01-02"),
		cell("C", "const", "second-file", "2026-01-03"),
		cell("A", "mine", "6facdf8211", "2026-01-01"), cell("B", "mine", "00000000ff", "2025-01-01"),
	}
	for name, c := range map[string]struct {
		now      map[string]Data
		kept     string
		warnings string
		changed  []Change
	}{
		"unknown": {nil, "Cconst Amine",
			"Left out, 2 cells of A, B on const: run on other data (first-fi) than the cells that are shown " +
				"(second-f).\nLeft out, 1 cell of B on mine: run on other data (00000000) than the cells that are " +
				"shown (6facdf82).", nil},
		"older of now": {map[string]Data{"const": {"first-file", "one/const.csv"}, "mine": {"00000000ff", "mine.csv"}},
			"Aconst Bconst Bmine",
			"Left out, 1 cell of C on const: one/const.csv changed since (data was second-f, is first-fi).\nLeft " +
				"out, 1 cell of A on mine: mine.csv changed since (data was 6facdf82, is 00000000).", nil},
		"none of now": {map[string]Data{"const": {"second-file", "const.csv"}, "mine": {"54f96b3122", "mydata.csv"}},
			"Cconst Amine",
			"Left out, 2 cells of A, B on const: const.csv changed since (data was first-fi, is second-f).\nLeft " +
				"out, 1 cell of B on mine: run on other data (00000000) than the cells that are shown (6facdf82).",
			[]Change{{Dataset: "mine", File: "mydata.csv", Was: "6facdf8211", Is: "54f96b3122"}}},
	} {
		f := Frame{Source: Source{Protocol: Protocol{Hash: "p"}, Sets: nowSets(c.now)}}
		got := consistent(f, slices.Clone(cells))
		var kept []string
		kinds := map[string]string{}
		for _, r := range got.taken {
			kept = append(kept, r.Method+r.Dataset)
			if other, seen := kinds[r.Dataset]; seen && other != r.Fingerprint {
				t.Errorf("%s: the row %s mixes %s and %s", name, r.Dataset, other, r.Fingerprint)
			}
			kinds[r.Dataset] = r.Fingerprint
		}
		must.Be(t, strings.Join(kept, " "), c.kept, name)
		must.Be(t, got.Changed, c.changed, name)
		got.Changed = nil
		must.Be(t, strings.Join(got.say(warned), "\n"), c.warnings, name)
	}
	change := Change{Dataset: "mine", File: "mydata.csv", Was: "6facdf8211", Is: "54f96b3122",
		Command: "bench run --methods A"}
	if want := "mydata.csv changed since (data was 6facdf82, is 54f96b31): bench run " +
		"--methods A"; !strings.HasSuffix(change.String(), want) {
		t.Errorf("the change is %q, want it to end with %q", change, want)
	}
}

// nowSets knows of sets what their files hold.
type nowSets map[string]Data

func (s nowSets) Open(path string) (*catalogue.Entry, error)  { return nil, errors.New("no such file") }
func (s nowSets) Entry(name string) (*catalogue.Entry, error) { return nil, errors.New("unknown") }
func (s nowSets) File(name string) string                     { return "" }
func (s nowSets) Now(name string) (Data, bool)                { d, ok := s[name]; return d, ok }

func TestImportedNotes(t *testing.T) {
	row := func(method, imported, cpu string, cores int) store.Row {
		seconds := 1.0
		return store.Row{Planned: result.Planned{Method: method, Dataset: "wine"}, Imported: imported,
			Status: result.OK, FitSeconds: &seconds, Environment: &result.Environment{CPU: cpu, Cores: cores}}
	}
	failed := row("Flaky", "theirs.bench", "X", 1)
	failed.FitSeconds, failed.Status = nil, result.Failed
	scores := row("Mine", "mine.csv", "", 0)
	scores.FitSeconds = nil
	got := remarksOf([]store.Row{
		row("CART", "reference", "X", 2), row("GBRFF2", "", "Y", 2), row("BMKR", "reference", "X", 2),
		row("CART", "reference", "X", 2),
		row("CART", "theirs.bench", "X", 1), row("CART", "reference", "", 0), scores, failed,
	})
	want := []string{
		"Imported from reference, computed on X (2 cores): 3 cells of CART, BMKR. Their times do not compare with " +
			"those of another processor.",
		"Imported from theirs.bench, computed on X (1 core): 2 cells of CART, Flaky. Their times do not compare " +
			"with those of another processor.",
		"Imported from reference, computed on a processor that was not recorded: 1 cell of CART. Their times do not " +
			"compare with those of another processor.",
		"Imported from mine.csv, test scores of a method elsewhere that were counted here: 1 cell of Mine.",
	}
	must.Be(t, got, want, "notes")
}

// remarksOf are the remarks on rows.
func remarksOf(rows []store.Row) []string { return (&Table{Frame: &Frame{}, taken: rows}).say(remark) }

func TestWarningNotes(t *testing.T) {
	row := func(method, dataset string, warnings ...result.Warning) store.Row {
		return store.Row{Planned: result.Planned{Method: method, Dataset: dataset}, Warnings: warnings}
	}
	got := remarksOf([]store.Row{
		row("BMKR", "wine", result.Warning{Text: "stopped early method=BMKR c=1", Times: 2},
			result.Warning{Text: "stopped early method=BMKR c=10", Times: 1}),
		row("BMKR", "sonar", result.Warning{Text: "stopped early method=BMKR c=1", Times: 4}),
		row("CART", "wine"),
		row("CART", "wine", result.Warning{Text: "abandoned", Times: 1}),
	})
	want := []string{"Fits of BMKR, CART warn on wine, sonar, 8 times: 2 messages. Table warnings has each."}
	must.Be(t, got, want, "notes")
	var rows []store.Row
	for i := range 6 {
		for k := range 15 {
			rows = append(rows, row(fmt.Sprint("M", i), fmt.Sprint("s", k),
				result.Warning{Text: fmt.Sprint("stopped early c=", k), Times: 2}))
		}
	}
	want = []string{"Fits of 6 methods warn on 15 data sets, 180 times: stopped early. Table warnings has each."}
	must.Be(t, remarksOf(rows), want, "notes")
}

// TestCountedSets: by hand, which sets count for which methods have which.
func TestCountedSets(t *testing.T) {
	for name, c := range map[string]struct {
		have [][]int
		want []int
	}{
		"nothing":                       {[][]int{nil, nil}, nil},
		"one method":                    {[][]int{{1, 2}}, []int{1, 2}},
		"all alike":                     {[][]int{{1, 2, 3}, {1, 2, 3}}, []int{1, 2, 3}},
		"one of three is partial":       {[][]int{{1, 2, 3}, {2}, {1, 2, 3}}, []int{1, 2, 3}},
		"a method of its own":           {[][]int{{1, 2, 3, 4}, {1, 2, 3}, {1, 2, 3}}, []int{1, 2, 3}},
		"a method without sets":         {[][]int{{1, 2}, nil, nil, nil}, []int{1, 2}},
		"what two have":                 {[][]int{{1, 2, 3}, {1, 2}}, []int{1, 2}},
		"equally long, of more methods": {[][]int{{1, 2}, {3, 4}, {3, 4, 5}, {1, 2}, {4, 3}}, []int{3, 4}},
		"what most have":                {[][]int{{1, 2, 3}, {1, 2, 4}, {1, 2, 5}}, []int{1, 2}},
		"nothing in common":             {[][]int{{1, 2}, {3, 4, 5}, {6}}, []int{3, 4, 5}},
		"many methods with few sets": {[][]int{{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2}, {1, 2}, {1, 2}, {1, 2, 3}, {3}},
			[]int{1, 2, 3, 4}},
		"two of nine": {[][]int{{1, 2, 3}, {1, 2, 3}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}},
			[]int{1, 2}},
		"two of nine, and no two others": {[][]int{{1, 2}, {1, 2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}}, []int{1, 2}},
	} {
		must.Be(t, countedSets(c.have), c.want, name)
	}
}
