package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// The sixteen sets of Table 1 of the 2020 paper, in its order.
var table2 = []string{
	"wine", "sonar", "newthyroid", "heart", "bupa", "iono", "wdbc", "balance",
	"australian", "pima", "vehicle", "german", "splice", "spambase", "occupancy", "bankmarketing",
}

func TestTable2InThePapersOrder(t *testing.T) {
	var names []string
	all := slices.DeleteFunc(Builtin().All(), func(e *Entry) bool { return !slices.Contains(e.Protocols, "table2") })
	slices.SortStableFunc(all, func(a, b *Entry) int { return a.Rows - b.Rows })
	for _, e := range all {
		names = append(names, e.Name)
		must.Be(t, e.VariantOf, "", e.Name)
		must.Be(t, e.Task, registry.Binary, e.Name)
	}
	must.Be(t, cmp.Diff(table2, names), "")
}

func TestCatalogueIsConsistent(t *testing.T) {
	c := Builtin()
	files := map[string]File{}
	for _, e := range c.All() {
		if e.Title == "" || e.Source == "" || e.Citation == "" || e.Rows == 0 || e.Features == 0 {
			t.Errorf("%s: title, source, citation, rows and features are required", e.Name)
		}
		if e.VariantOf != "" {
			must.Be(t, must.Get(c.Lookup(e.VariantOf))(t).VariantOf, "", e.Name)
		}
		for _, f := range e.Files {
			f.Role, f.Channel, f.Permute, f.FirstRows = "", "", 0, 0
			if other, ok := files[f.Path]; ok && other != f {
				t.Errorf("%s: file %s is described differently by another set", e.Name, f.Path)
			}
			files[f.Path] = f
		}
	}
}

// TestSourcesAgree compares the catalogue with the mirror's own list.
func TestSourcesAgree(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(testenv.Mirror(t), "sources.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the mirror has no sources.json")
	}
	must.Do(t, err)
	var listed []struct {
		File, SHA256, Repository, Commit, Path, Note string
		Bytes                                        int64
	}
	must.Do(t, json.Unmarshal(raw, &listed))
	ours := map[string]File{}
	for _, e := range Builtin().All() {
		if e.Named || e.Licence != "" && !slices.Contains(e.Protocols, "table2") {
			continue // the mirror has small sets, and SUITE.md lists those of the suite
		}
		for _, f := range e.Files {
			ours[f.Path] = f
		}
	}
	for _, l := range listed {
		f, ok := ours[l.File]
		if !ok {
			t.Errorf("%s is in no entry", l.File)
			continue
		}
		delete(ours, l.File)
		got := []any{f.Bytes, f.SHA256, f.Repository, f.Commit, f.Source, f.Note != ""}
		want := []any{l.Bytes, l.SHA256, l.Repository, l.Commit, l.Path, l.Note != ""}
		must.Be(t, cmp.Diff(want, got), "", l.File)
		must.Be(t, f.ZipEntry != "", strings.HasSuffix(f.Source, ".zip"), l.File, f.Source)
	}
	for path := range ours {
		must.Begin(t, path, "toys/")
	}
}

// TestPartsAreKnownBeforeLoading: what planning needs of channels and of test parts of the built-in sets
// is in the catalogue, and adds up to their sizes.
func TestPartsAreKnownBeforeLoading(t *testing.T) {
	parts, channels := 0, 0
	for _, e := range Builtin().All() {
		blocks, known := e.Blocks()
		must.Be(t, known, true, e.Name)
		if blocks != nil {
			if channels++; blocks[len(blocks)-1].To != e.Features {
				t.Errorf("%s: the channels have %d features, the set %d", e.Name, blocks[len(blocks)-1].To, e.Features)
			}
		}
		train, known := e.TrainRows()
		must.Be(t, known, true, e.Name)
		if train != 0 {
			sum := 0
			for _, f := range e.DataFiles() {
				sum += f.Rows
			}
			if parts++; sum != e.Rows {
				t.Errorf("%s: the files have %d rows, the set %d", e.Name, sum, e.Rows)
			}
		}
	}
	must.Be(t, parts, 2)
	must.Be(t, channels, 8)
}

func TestLookup(t *testing.T) {
	c := Builtin()
	must.Be(t, must.Get(c.Lookup("WINE"))(t).Name, "wine")
	for name, want := range map[string]string{
		"vehicule":   `no data set is named "vehicule"; did you mean vehicle?`,
		"wien":       `no data set is named "wien"; did you mean wine?`,
		"australain": `no data set is named "australain"; did you mean australian?`,
		"ionosphere": `no data set is named "ionosphere"; did you mean iono?`,
		"mnist": "no data set is named \"mnist\"; see `bench data list`, or name a TOML file that describes " +
			"your own",
		"dir/my data.csv": `"dir/my data.csv" is not the name of a set; a data file is described by a TOML ` +
			`file beside it. ` + "`bench data describe \"dir/my data.csv\" -o dir/my-data.toml`" +
			` writes one; or write dir/my-data.toml, and name that instead:
name = "my-data"
file = "my data.csv"
label = "the name of the label's column"   # or its number: -1 is the last
`,
		"a1a.svm": `"a1a.svm" is not the name of a set; a data file is described by a TOML ` +
			`file beside it. ` + "`bench data describe a1a.svm -o a1a.toml`" +
			` writes one; or write a1a.toml, and name that instead:
name = "a1a"
file = "a1a.svm"
`,
	} {
		must.Be(t, fmt.Sprint(must.Err(c.Lookup(name))), want)
	}
	if names := c.Names(); !slices.IsSorted(names) || len(names) != len(c.All()) || len(names) < 40 {
		t.Errorf("names %v", names)
	}
}

func ExampleCatalogue_Lookup() {
	_, err := Builtin().Lookup("spambsae")
	fmt.Println(err)
	// Output: no data set is named "spambsae"; did you mean spambase?
}

// TestAddFolder: the sets and groups of a folder are known by their files' names; what is wrong with one is said when
// it is asked for.
func TestAddFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"mine-7.toml": "name = \"mine-7\"\nfile = \"mine.arff\"\nlabel = \"y\"\n",
		"other.toml":  "name = \"mine-8\"\nfile = \"a.csv\"\nlabel = \"y\"\n",
		"wine.toml":   "not read: the name is taken", "suite.group": "mine-7\nwine\n", "notes.txt": "nothing",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	c := Builtin()
	before := len(c.All())
	for range 2 { // a second time changes nothing
		must.Do(t, c.AddFolder(dir))
	}
	if e, err := c.Lookup("MINE-7"); err != nil || e.Path("", e.Files[0]) != filepath.Join(dir, "mine.arff") {
		t.Errorf("mine-7: %v, %v", e, err)
	}
	must.Say(t, must.Err(c.Lookup("other")), `the file holds the set "mine-8"`)
	if e, err := c.Lookup("wine"); err != nil || e.Local() {
		t.Errorf("the built-in wine: %v, %v", e, err)
	}
	if all, group := c.All(), c.Groups()["suite"]; len(all) != before+1 ||
		!slices.Equal(group, []string{"mine-7", "wine"}) || len(c.Groups()) != len(Builtin().Groups())+1 {
		t.Errorf("%d sets, %d before; the group has %v", len(all), before, group)
	}
	must.Do(t, c.AddFolder(filepath.Join(dir, "nowhere")))
}

// TestTextBytes: what reading a file takes, of a file of known size, of packed ones, and of a user's file whose size
// nobody wrote down.
func TestTextBytes(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "my.csv"), make([]byte, 1234), 0o600))
	own, err := Description{TOML: "name = \"mine\"\nfile = \"my.csv\"\nlabel = 0\n", Path: filepath.Join(dir,
		"mine.toml")}.Entry()
	must.Do(t, err)
	for e, want := range map[*Entry]int64{
		own:                        1234,
		lookup(t, "wine"):          lookup(t, "wine").DataFiles()[0].Bytes,
		lookup(t, "covertype"):     2 * 8 * lookup(t, "covertype").DataFiles()[0].Bytes,
		lookup(t, "higgs-1000000"): 2 * 25 * 29_000_000,
	} {
		must.Be(t, e.TextBytes(""), want, e.Name)
	}
}

func lookup(t *testing.T, name string) *Entry {
	t.Helper()
	e := must.Get(Builtin().Lookup(name))(t)
	return e
}

// TestKinds: the members of groups by property, looked up by hand in the descriptions of Table 2, and a user's own set.
func TestKinds(t *testing.T) {
	c := Builtin()
	table2 := func(group string) string {
		sets, known := c.Group(strings.ToUpper(group))
		must.Be(t, known, true, group)
		return strings.Join(slices.DeleteFunc(slices.Clone(sets), func(name string) bool {
			return !slices.Contains(must.Get(c.Lookup(name))(t).Protocols, "table2")
		}), " ")
	}
	must.Be(t, table2("small"), "australian balance bupa german heart iono newthyroid pima sonar vehicle wdbc wine")
	must.Be(t, table2("wide"), "iono sonar wdbc wine")
	must.Be(t, table2("categorical"), "australian bankmarketing german heart splice")
	must.Be(t, table2("included"), "australian balance bupa german heart iono newthyroid sonar spambase splice "+
		"vehicle wdbc wine")
	for _, k := range Kinds {
		sets, _ := c.Group(k.Name)
		for _, out := range strings.Fields("wine-multiclass two-moons year-prediction covertype mfeat adult-a9a") {
			must.Be(t, slices.Contains(sets, out), false, out, "in", k.Name)
		}
	}
	file := filepath.Join(t.TempDir(), "mine.toml")
	text := "name = \"mine\"\nfile = \"mine.csv\"\nlabel = \"y\"\nrows = 1000\nfeatures = 50\ncategorical = [\"a\"]\n"
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	must.Get(c.Add(file))(t)
	for _, k := range Kinds {
		sets, _ := c.Group(k.Name)
		must.Be(t, slices.Contains(sets, "mine"), k.Name != "included", k.Name)
	}
	must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(file), "small.group"), []byte("wine\n"), 0o600))
	must.Do(t, c.AddFolder(filepath.Dir(file)))
	sets, _ := c.Group("small")
	must.Be(t, sets, []string{"wine"}, "a group that the user wrote")
}
