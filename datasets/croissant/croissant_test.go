package croissant

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/describe"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/internal/strictjson"
	"github.com/kernelboosting/bench/internal/test/must"
	"pgregory.net/rapid"
)

// described is a description with the usual parts; the tests replace some.
const described = `{"@type": "sc:Dataset", "conformsTo": "http://mlcommons.org/croissant/1.1", "name": {"en": "clinic"},
"distribution": [{"@type": "cr:FileObject", "@id": "f", "contentUrl": "f.csv"},
	{"@type": "cr:FileSet", "@id": "parts", "includes": "*.csv"}],
"recordSet": [
	{"@id": "parts/names", "dataType": "cr:Split", "field": {"@id": "parts/name", "dataType": "sc:Text"},
		"data": [{"parts/name": "fit", "parts/url": "cr:TrainingSplit"}, {"parts/name": "judge",
			"parts/url": "http://mlcommons.org/croissant/TestSplit"}]},
	{"@id": "rows", "field": [
		{"@id": "rows/age", "dataType": "sc:Integer",
			"source": {"fileObject": {"@id": "f"}, "extract": {"column": "age"}}},
		{"@id": "rows/ill", "dataType": ["sc:Text", "cr:Label"], "source": {"fileObject": {"@id": "f"},
			"extract": {"column": "ILL"}}},
		{"@id": "rows/part", "references": {"@id": "parts/name"}, "source": {"fileObject": "f",
			"extract": {"column": "part"}}}]}]}`

func TestFind(t *testing.T) {
	ask := func(o Options, label, recordSet string, drop ...string) Options {
		o.Label, o.RecordSet, o.Drop = label, recordSet, drop
		return o
	}
	var none Options
	const two = `"@id": "a", "field": [{"@id": "a/x"}]}, {"@id": "rows",`
	for _, c := range []struct {
		old, new string // replaced in described
		asks     Options
		says     string // the error, or the label, the columns and the notes
	}{
		{"", "", none, "label ILL of f: age,ILL [left out, since they say which rows are in which part of a split: " +
			"part]"},
		{"", "", ask(none, "age", ""), "label age of f: age,ILL"},
		{"", "", ask(none, "rows/ill", ""), "label ILL of f: age,ILL"},
		{"", "", ask(none, "sex", ""), `rows has no field "sex"; the columns begin with age, ILL`},
		{"", "", ask(none, "", "", "sex"), `rows has no field "sex"`},
		{"", "", ask(none, "", "", "age"), "label ILL of f: ILL"},
		{"", "", ask(none, "", "", "ILL"),
			"0 fields are marked as the label (cr:Label); choose one with --label; the " +
				"columns begin with age"},
		{`, "cr:Label"`, "", none, "0 fields are marked as the label"},
		{`"sc:Integer"`, `["sc:Integer", "cr:Label"]`, none, "2 fields are marked as the label"},
		{`"@id": "rows",`, two, none, "choose a record set with " +
			"--record-set: a, rows"},
		{`"@id": "rows",`, two, ask(none, "", "rows"), "label ILL"},
		{`"@id": "rows",`, two, ask(none, "", "a"), "no field of a is a " +
			"column of a file"},
		{"", "", ask(none, "", "b"), `choose a record set with --record-set: rows`},
		{`"@id": "rows", "field"`, `"@id": "rows", "fields"`, none, "this is no Croissant description of a table"},
		{`{"column": "ILL"}`, `{"fileProperty": "lines"}`, none,
			"only columns of the file f are read; leave the other " +
				"fields out with --drop rows/ill"},
		{`{"column": "ILL"}`, `{"column": "ILL"}, "transform": {"regex": "(.)"}`, none, "--drop rows/ill"},
		{`"dataType": "sc:Integer"`, `"isArray": true`, none, "--drop rows/age"},
		{`"dataType": "sc:Integer"`, `"subField": {"@id": "x"}`, none, "--drop rows/age"},
		{`"source": {"fileObject": {"@id": "f"}, "extract": {"column": "age"`,
			`"source": {"fileSet": {"@id": "parts"}, "extract": {"column": "age"`, none, "--drop rows/age"},
		{`"fileObject": {"@id": "f"}, "extract": {"column": "age"`,
			`"fileObject": {"@id": "g"}, "extract": {"column": "age"`, none,
			"only columns of the file g are read; leave the other fields out with --drop rows/ill,rows/part"},
		{`"fileObject": {"@id": "f"}`, `"distribution": "f"`, none, "label ILL of f"}, // version 0.8
		{`"references": {"@id": "parts/name"}`, `"dataType": "wd:Q3985153"`, none, "split: part]"},
		{`"references": {"@id": "parts/name"}`, `"references": {"field": {"@id": "parts/name"}}`, none, "split: part]"},
		{`"references": {"@id": "parts/name"}`, `"references": {"@id": "elsewhere"}`, none,
			"label ILL of f: age,ILL,part []"},
		{`[{"@type"`, `[null, {"@type"`, none, "label ILL"},
	} {
		if !strings.Contains(described, c.old) {
			t.Fatalf("%s is not in the description", c.old)
		}
		text := described
		if c.old != "" {
			text = strings.ReplaceAll(described, c.old, c.new)
		}
		var doc object
		must.Do(t, strictjson.UnmarshalOpen([]byte(text), &doc))
		c.asks.Known = &describe.Known{}
		file, notes, err := c.asks.find(doc)
		said := fmt.Sprintf("label %s of %s: %s %s", c.asks.Label, file, strings.Join(c.asks.Known.Columns, ","), notes)
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, c.says) || strings.Contains(said, "\n") {
			t.Errorf("%s for %s: %q, want %q", c.new, c.old, said, c.says)
		}
	}
}

// FuzzDescription finds something in any object, or says in one line why not.
func FuzzDescription(f *testing.F) {
	f.Add(described)
	f.Add(`{"recordSet":[{"field":[{"source":{"distribution":["f"],"extract":{"column":"x"}},"name":{"en":"x"}}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var doc object
		if strictjson.UnmarshalOpen([]byte(text), &doc) != nil {
			return
		}
		o := Options{Options: describe.Options{Known: &describe.Known{}}}
		file, _, err := o.find(doc)
		if err == nil {
			_, err = local(doc, file, filepath.Join(t.TempDir(), "x.json"), 1<<20)
		}
		if err == nil && len(o.Known.Columns) == 0 {
			t.Fatal("no column is found, and no error")
		}
	})
}

// entryOf returns the entry of a TOML text whose files lie in a folder.
func entryOf(t must.T, dir, toml string) *catalogue.Entry {
	return must.Get(catalogue.Description{TOML: toml, Path: filepath.Join(dir, "x.toml")}.Entry())(t)
}

// written writes a set to x.json and x.csv in a folder, and returns the set.
func written(t must.T, dir string, e *catalogue.Entry, splits []datasets.Division) *datasets.Set {
	set := must.Get(read.Load(context.Background(), catalogue.Directory{}, e))(t)
	description, rows, _, err := Write(e, set, "x.csv", splits)
	must.Do(t, err)
	must.Do(t, os.WriteFile(filepath.Join(dir, "x.json"), description, 0o644))
	must.Do(t, os.WriteFile(filepath.Join(dir, "x.csv"), rows, 0o644))
	return set
}

// added reads x.json of a folder.
func added(t must.T, dir string, o Options) *datasets.Set {
	d, _, err := Describe(context.Background(), filepath.Join(dir, "x.json"), dir, o)
	must.Do(t, err)
	return must.Get(read.Load(context.Background(), catalogue.Directory{}, entryOf(t, dir, d.TOML)))(t)
}

// TestRoundTrip draws sets with gaps, categories, dates and names of any characters. A set that is written and added
// again has the same features with the same values, and the same classes.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-zé%#=;/ "'&][a-z é%#=/,.]{0,5}[a-z]`), 5, 5,
			rapid.ID[string]).Draw(r, "names")
		numbers := rapid.SliceOfNDistinct(rapid.Float64Range(-1e9, 1e9), 40, 80, rapid.ID[float64]).Draw(r, "numbers")
		sides := rapid.SliceOfN(rapid.IntRange(0, 2), len(numbers), len(numbers)).Draw(r, "sides")
		gap := rapid.Bool().Draw(r, "gap")
		var text strings.Builder
		rows := csv.NewWriter(&text)
		must.Do(r, rows.Write(names))
		var split datasets.Division
		for i, number := range numbers {
			cells := []string{fmt.Sprint(number), fmt.Sprint(i * i % 23), []string{"red", "a,b", `"`}[i%3],
				fmt.Sprintf("2020-%02d-%02d", 1+i%12, 1+i*5%28), []string{"yes", "no"}[i/2%2]}
			if gap && i%7 == 0 {
				cells[0] = "?"
			}
			must.Do(r, rows.Write(cells))
			switch sides[i] {
			case 0:
				split.Train = append(split.Train, i)
			case 1:
				split.Test = append(split.Test, i)
			}
		}
		rows.Flush()
		if split.Train == nil || split.Test == nil {
			return
		}
		must.Do(r, os.WriteFile(filepath.Join(dir, "raw.csv"), []byte(text.String()), 0o644))
		e := entryOf(r, dir, `name = "x"
file = "raw.csv"
header = true
label = 4
positive = "no"
categorical = [2]
dates = [3]
missing = "?"
impute = "median"`)
		want := written(r, dir, e, []datasets.Division{split})
		got := added(r, dir, Options{Options: describe.Options{Positive: []string{"no"}}})
		must.Be(r, got.Features, want.Features, "features")
		must.Be(r, got.Labels, want.Labels, "labels")
		must.Be(r, got.Y, want.Y, "classes")
		for i := range numbers {
			for j := range want.Features {
				if a, b := got.X.At(i, j), want.X.At(i, j); a != b && (a == a || b == b) {
					r.Fatalf("row %d, %s: %v, want %v", i, want.Features[j], a, b)
				}
			}
		}
	})
}
