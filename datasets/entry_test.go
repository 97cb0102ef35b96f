package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/registry"
)

// TestDescriptionErrors pins what is wrong with a TOML file, after "set.toml: ".
func TestDescriptionErrors(t *testing.T) {
	const head = "name = \"mine\"\nlabel = \"y\"\n"
	const csv = head + "file = \"my.csv\"\n"
	const svm = "name = \"mine\"\nfile = \"my.svm\"\n"
	sha := strings.Repeat("0", 64)
	for toml, want := range map[string]string{
		csv + "format = \"xls\"":                             `set mine: format "xls" is not csv, blank, libsvm or arff`,
		csv + "format = \"blank\"\nseparator = \";\"":        `set mine: separator ";" is for format csv only, not blank`,
		svm + "header = true":                                `set mine: header and columns are for format csv and blank only, not libsvm`,
		svm + "drop = [1]":                                   `set mine: label, drop and categorical are not for libsvm files, whose label comes first and whose inputs are numbers`,
		csv + "header = true\ncolumns = [\"y\"]":             `set mine: columns names the columns of a file without a header; remove columns or header = true`,
		csv + "missing = \"?\"\nmissing_as = \"mean\"":       `set mine: missing_as = "mean" is not "zero" or "level"`,
		csv + "task = \"regression\"\npositive = [\"a\"]":    `set mine: negative, positive and positive_from are for task = "binary", not "regression"`,
		csv + "positive_from = 1.0\npositive = [\"a\"]":      `set mine: give positive_from or the lists positive and negative, not both`,
		csv + "negative = [\"a\"]":                           `set mine: negative without positive; list the labels of +1 in positive`,
		csv + "classes = [\"a\"]":                            `set mine: classes and rows_per_class are for task = "multiclass", not "binary"`,
		csv + "task = \"multiclass\"\nrows_per_class = 3":    `set mine: rows_per_class = 3 must be positive and stands instead of label`,
		csv + "generate = \"moons\"":                         `set mine: generate = "moons": not a generator of this program: their names, and channels(n, informative, noise)`,
		csv + "drop = [\"\"]":                                `toml: line 4 (last key "drop"): a column's name is empty; give its number instead`,
		head + "[[files]]\npath = \"a.csv\"\nrole = \"x\"":   `set mine: file "a.csv": role "x" is not "test" or "documentation"`,
		head + "[[files]]\nbytes = 3":                        `set mine: file "": path is empty`,
		head + "[[files]]\npath = \"a.csv\"\nsha256 = \"f\"": `set mine: file "a.csv": sha256 "f" is not 64 lower-case hexadecimal digits`,
		head + "[[files]]\npath = \"a.csv\"\nrepository = \"github.com/a/b\"\ncommit = \"f\"\nsource = \"x\"":         `set mine: file "a.csv": repository "github.com/a/b" needs a full commit and a source path`,
		head + "[[files]]\npath = \"a.csv\"\nchannel = \"c\"\n[[files]]\npath = \"b.csv\"":                            `set mine gives some files a channel and others none; files are joined by columns only if all have one`,
		head + "[[files]]\npath = \"a.csv\"\nrole = \"test\"\n[[files]]\npath = \"b.csv\"":                            `set mine: file "b.csv": files with role "test" come after all others and have no channel`,
		head + "[[files]]\npath = \"a.csv\"\nchannel = \"c\"\n[[files]]\npath = \"b.csv\"\nchannel = \"d\"\nsize = 1": `unknown key "files.size"; the keys are listed in docs/datasets.md`,
	} {
		if _, err := decodeEntry("set.toml", []byte(toml), "/dir"); err == nil || err.Error() != "set.toml: "+want {
			t.Errorf("%q:\ngot  %v\nwant set.toml: %s", toml, err, want)
		}
	}
	// What only the built-in catalogue must have.
	for toml, want := range map[string]string{
		"path = \"../a.csv\"": `path must be inside the data directory`,
		"path = \"a.csv\"":    `bytes and sha256 are required`,
		"path = \"a.csv\"\nbytes = 1\nsha256 = \"" + sha + "\"": `it has neither a repository, nor a note, nor a generator`,
	} {
		_, err := decodeEntry("set.toml", []byte(head+"[[files]]\n"+toml), "")
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", toml, err, want)
		}
	}
}

func TestUserChannels(t *testing.T) {
	const toml = "name = \"mine\"\nlabel = 0\nformat = \"blank\"\n[[files]]\npath = \"a\"\nchannel = \"left\"\n[[files]]\npath = \"b\"\nchannel = \"right\"\n"
	s, err := userSet(t, toml, "a", "x 1 2\ny 3 4\n", "b", "5\t6\n7\t8\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{1, 2, 5, 6}, {3, 4, 7, 8}}, rowsOf(s)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]registry.Block{{Name: "left", To: 2}, {Name: "right", From: 2, To: 4}}, s.Blocks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"left.c1", "left.c2", "right.c0", "right.c1"}, s.Features); diff != "" {
		t.Error(diff)
	}
	_, err = userSet(t, toml, "a", "x 1\ny 3\n", "b", "5 6\n")
	want := "DIR/b: the file has 1 rows and DIR/a has 2; files with a channel are joined by columns and must have equal rows"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestSizesOfFiles: rows and features of a file are checked.
func TestSizesOfFiles(t *testing.T) {
	const channels = "name = \"mine\"\nlabel = 0\nformat = \"blank\"\n[[files]]\npath = \"a\"\nchannel = \"left\"\n%s\n[[files]]\npath = \"b\"\nchannel = \"right\"\n%s\n"
	const parts = "name = \"mine\"\nlabel = 0\n[[files]]\npath = \"a.csv\"\n%s\n[[files]]\npath = \"b.csv\"\nrole = \"test\"\n%s\n"
	const sparse = "name = \"mine\"\n[[files]]\npath = \"a.svm\"\n%s\n[[files]]\npath = \"b.svm\"\nrole = \"test\"\n%s\n"
	for _, c := range []struct {
		toml, a, b, want string
	}{
		{channels, "rows = 2\nfeatures = 1", "rows = 2\nfeatures = 2", ""},
		{channels, "features = 2", "", "DIR/a: the file gives 1 features and features = 2 is expected; correct one of them"},
		{channels, "", "features = 1", "DIR/b: the file gives 2 features and features = 1 is expected; correct one of them"},
		{channels, "", "rows = 3", "DIR/b: the file has 2 rows and rows = 3 is expected; correct one of them"},
		{channels, "rows = -1", "", `DIR/set.toml: set mine: file "a": rows = -1, features = 0; they must not be negative`},
		{channels, "features = -1", "", `DIR/set.toml: set mine: file "a": rows = 0, features = -1; they must not be negative`},
		{parts, "rows = 2", "rows = 1", ""},
		{parts, "rows = 1", "", "DIR/a.csv: the file has 2 rows and rows = 1 is expected; correct one of them"},
		{parts, "", "rows = 2", "DIR/b.csv: the file has 1 rows and rows = 2 is expected; correct one of them"},
		{parts, "features = 1", "", `DIR/set.toml: set mine: file "a.csv": features = 1 is of a file with a channel; give those of all files together outside of [[files]]`},
		{sparse, "rows = 2", "rows = 1", ""},
		{sparse, "rows = 2", "rows = 2", "DIR/b.svm: the file has 1 rows and rows = 2 is expected; correct one of them"},
	} {
		_, err := userSet(t, fmt.Sprintf(c.toml, c.a, c.b), "a", "x 1\ny 3\n", "b", "5 6\n7 8\n",
			"a.csv", "1,2\n-1,4\n", "b.csv", "1,3\n", "a.svm", "1 1:2\n-1 1:3\n", "b.svm", "1 1:3\n")
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestPartsOfFiles: an entry tells of test parts and channels where its files give rows and features.
func TestPartsOfFiles(t *testing.T) {
	files := func(f ...File) *Entry { return &Entry{Files: append(f, File{Role: RoleDocumentation})} }
	for _, c := range []struct {
		e           *Entry
		rows        int
		rowsKnown   bool
		blocks      int
		blocksKnown bool
	}{
		{files(File{}), 0, true, 0, true},
		{files(File{Rows: 3}, File{Rows: 4}), 0, true, 0, true},
		{files(File{Rows: 3}, File{Rows: 4}, File{Role: RoleTest}), 7, true, 0, true},
		{files(File{Rows: 3}, File{}, File{Role: RoleTest}), 3, false, 0, true},
		{files(File{Channel: "a", Features: 2}, File{Channel: "b", Features: 3}), 0, true, 2, true},
		{files(File{Channel: "a", Features: 2}, File{Channel: "b"}), 0, true, 0, false},
	} {
		rows, rowsKnown := c.e.TrainRows()
		blocks, blocksKnown := c.e.Blocks()
		if rowsKnown != c.rowsKnown || rowsKnown && rows != c.rows || blocksKnown != c.blocksKnown || len(blocks) != c.blocks {
			t.Errorf("%+v: %d training rows (known: %v), blocks %v (known: %v)", c.e.Files, rows, rowsKnown, blocks, blocksKnown)
		}
	}
}

func TestRowsPerClass(t *testing.T) {
	const toml = "name = \"mine\"\nfile = \"a.csv\"\ntask = \"multiclass\"\nrows_per_class = 2\n"
	s, err := userSet(t, toml+"classes = [\"u\", \"v\"]", "a.csv", "1,1\n2,2\n3,3\n4,4\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0, 0, 1, 1}, s.Y); diff != "" || s.Labels[1] != "v" {
		t.Error(diff, s.Labels)
	}
	for extra, want := range map[string]string{
		"":                  "mine: 3 rows are not two or more classes of rows_per_class = 2",
		"classes = [\"u\"]": "mine: classes lists 1 names for 2 classes",
	} {
		rows := "1,1\n2,2\n3,3\n"
		if extra != "" {
			rows += "4,4\n"
		}
		if _, err := userSet(t, toml+extra, "a.csv", rows); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestFingerprintOfAUserSetHashesItsFile, and misses it when it is gone.
func TestFingerprintOfAUserSetHashesItsFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("set.toml", "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\n")
	write("my.csv", "x,y\n1,a\n2,b\n")
	var c Catalogue
	e, err := c.Add(filepath.Join(dir, "set.toml"))
	if err != nil {
		t.Fatal(err)
	}
	var store Directory
	s, err := Load(t.Context(), store, e)
	if err != nil {
		t.Fatal(err)
	}
	if print, err := store.Fingerprint(e); err != nil || print != s.Fingerprint {
		t.Errorf("%s and %s, error %v", print, s.Fingerprint, err)
	}
	if err := os.Remove(filepath.Join(dir, "my.csv")); err != nil {
		t.Fatal(err)
	}
	want := "mine: " + filepath.Join(dir, "my.csv") + " is not there; correct the path in the set's TOML file"
	if _, err := store.Fingerprint(e); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := Fetch(t.Context(), store, []*Entry{e}, FetchOptions{}); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if state, _ := store.State(e); state != Missing {
		t.Errorf("state %s", state)
	}
}
