package croissant

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/describe"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// messy is a set with a gap in each kind of column, and odd names.
const messy = `name = "messy"
file = "messy.csv"
label = "the \"class\" #1"
categorical = ["colour/hue"]
dates = ["seen", "met"]
missing = ["?", ""]
missing_as = "zero"
impute = "median"
`

const messyRows = `"the ""class"" #1",größe (cm),colour/hue,seen,met,n
yes,1.5,"red, dark",2020-01-31,2020-01-31T10:30:00.25,7
no,?,blue,2021-12-01,?,8
yes,1e-9,?,?,2019-05-05,?
no,-12345678.125,"a ""quote""",1969-07-20,1969-07-20 20:17,9007199254740992
`

// TestMlcroissant has mlcroissant, the reader of MLCommons, read five of our descriptions: validation finds no error,
// and warns only of what is not known. Its records have the texts and the bits of ours. We read the descriptions as it
// writes them again. BENCH_PEERS names a Python that has it.
func TestMlcroissant(t *testing.T) {
	testenv.OnlyThorough(t)
	python := testenv.Python(t)
	sets := []string{"wine", "heart", "newthyroid", "bupa", "messy"}
	split := []datasets.Division{{Train: []int{0, 2}, Test: []int{1, 3}}, {Train: []int{3}, Test: []int{0, 1, 2}}}
	var paths []string
	var dirs []string
	entries, loaded := map[string]*catalogue.Entry{}, map[string]*datasets.Set{}
	for _, name := range sets {
		dir := t.TempDir()
		e, err := catalogue.Builtin().Lookup(name)
		if name == "messy" {
			must.Do(t, os.WriteFile(filepath.Join(dir, "messy.csv"), []byte(messyRows), 0o644))
			e, err = entryOf(t, dir, messy), nil
		}
		must.Do(t, err)
		entries[name] = e
		loaded[name] = written(t, dir, e, split)
		dirs, paths = append(dirs, dir), append(paths, filepath.Join(dir, "x.json"))
	}
	c := exec.Command(python, append([]string{"testdata/peer.py"}, paths...)...)
	c.Stderr = os.Stderr
	var peer []struct {
		Errors, Warnings []string
		Records          []map[string]any
		Splits           []map[string]string
	}
	must.Do(t, json.Unmarshal(must.Get(c.Output())(t), &peer))
	for k, name := range sets {
		e, p := entries[name], peer[k]
		set := loaded[name]
		columns := columnsOf(e, set)
		must.Be(t, p.Errors, []string{}, name)
		known := 2 // datePublished and version
		if name == "messy" {
			known = 4 // and license and citeAs
		}
		must.Be(t, len(p.Warnings), known, name, p.Warnings)
		must.Be(t, len(p.Records), len(set.Y), "rows of", name)
		must.Be(t, p.Splits, []map[string]string{{"splits/name": "train", "splits/url": "cr:TrainingSplit"},
			{"splits/name": "test", "splits/url": "cr:TestSplit"}}, name)
		for i, record := range p.Records {
			for _, column := range columns {
				got, has := record["rows/"+url.PathEscape(column.name)]
				if !has {
					t.Fatalf("%s: no field %s in %v", name, column.name, record)
				}
				want := column.text(i)
				if v, isNumber := got.(float64); isNumber {
					got = strings.TrimSpace(fmt.Sprint(json.Number(want)))
					if want == "" || must.Get(json.Number(want).Float64())(t) != v {
						t.Fatalf("%s, row %d, %s: %v, want %s", name, i, column.name, v, want)
					}
				}
				switch day, _ := got.(string); {
				case got == nil:
					got = ""
				case column.types[0] == "sc:DateTime":
					got = strings.TrimRight(day, "0")
					want = strings.TrimRight(want, "0")
				}
				must.Be(t, fmt.Sprint(got), want, name, "row", i, column.name)
			}
			side := map[int]string{0: "train", 1: "test", 2: "train", 3: "test"}[i]
			must.Be(t, fmt.Sprint(record["rows/split_1"]), map[bool]string{true: side, false: "<nil>"}[i < 4], name)
		}
		positive := set.Labels[1]
		if joined(set) {
			positive = "1"
		}
		again := added(t, dirs[k], Options{Options: describe.Options{Positive: []string{positive}}})
		must.Be(t, again.Y, set.Y, name)
		if name != "messy" { // of which describe leaves columns out, since four rows are few
			must.Be(t, again.X.RawMatrix().Data, set.X.RawMatrix().Data, name)
		}
	}
}
