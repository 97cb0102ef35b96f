package catalogue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

func TestChannelMistakes(t *testing.T) {
	const head = "name = \"mine\"\nlabel = 0\nformat = \"csv\"\n"
	const files = "[[files]]\npath = \"a\"\nchannel = \"x\"\npermute = 3\n[[files]]\npath = \"b\"\nchannel = \"y\"\n"
	for toml, want := range map[string]string{
		head + files: `set mine: file "a": permute = 3 is of a file with a channel that holds neither label nor group`,
		head + "channels = [{ name = \"a\", features = 1 }]\n" +
			"[[files]]\npath = \"a\"\nchannel = \"x\"\n": "set mine: channels divides the features of files without " +
			"a channel; give one of them",
		head + "file = \"a\"\n" +
			"channels = [{ name = \"a\", features = 0 }]\n": "set mine: channels: a has features = 0; it needs at " +
			"least one",
		head + "file = \"a\"\n" +
			"channels = [{ name = \"a\", features = 1 }, { name = \"a\", features = 1 }]\n": `set mine: channels: ` +
			`every channel needs a name of its own, and one is called "a"`,
		head + "file = \"a\"\n" +
			"target_range = [0.0, 1.0]\n": `set mine: target_range is for task = "regression", not "binary"`,
		head + "file = \"a\"\n" +
			"task = \"regression\"\ntarget_range = [1.0, 1.0]\n": "set mine: target_range = [1 1] must be two finite " +
			"numbers, the smaller first, e.g. [-1.0, 1.0]",
	} {
		must.Be(t, fmt.Sprint(must.Err(decodeEntry("set.toml", []byte(toml), t.TempDir()))), "set.toml: "+want)
	}
}

// TestDescriptionErrors pins what is wrong with a TOML file, after "set.toml: ".
func TestDescriptionErrors(t *testing.T) {
	const head = "name = \"mine\"\nlabel = \"y\"\n"
	const csv = head + "file = \"my.csv\"\n"
	const svm = "name = \"mine\"\nfile = \"my.svm\"\n"
	sha := strings.Repeat("0", 64)
	for toml, want := range map[string]string{
		csv + "format = \"xls\"":                      `set mine: format "xls" is not ` + FormatNames("", "or"),
		csv + "format = \"blank\"\nseparator = \";\"": `set mine: separator is for format csv, not blank`,
		svm + "decimal = \",\"": "set mine: decimal is for format " +
			FormatNames("decimal", "and") + ", not libsvm",
		svm + "header = true": "set mine: header is for format " + FormatNames("header",
			"and") + ", not libsvm",
		svm + "drop = [1]": "set mine: drop is for format " + FormatNames("drop",
			"and") + ", not libsvm",
		csv + "header = true\ncolumns = [\"y\"]": `set mine: columns names the columns of a file without ` +
			`a header; remove columns or header = true`,
		csv + "missing = \"?\"\nmissing_as = \"mean\"": `set mine: missing_as = "mean" is not "zero" or "level"`,
		csv + "impute = \"medain\"": `set mine: impute = "medain" is not one of "median", ` +
			`"mean", "most-frequent", "none"; did you mean "median"?`,
		csv + "indicator = true": `set mine: indicator = true says where numbers are ` +
			`missing; write impute = "median" too, or another way to fill them in`,
		csv + "decimal = \";\"": `set mine: decimal = ";" is not "." or ","`,
		csv + "task = \"regression\"\npositive = [\"a\"]": `set mine: negative, positive and positive_from are ` +
			`for task = "binary", not "regression"`,
		csv + "positive_from = 1.0\npositive = [\"a\"]": `set mine: give positive_from or the lists positive ` +
			`and negative, not both`,
		csv + "negative = [\"a\"]": `set mine: negative without positive; list the labels ` +
			`of +1 in positive`,
		csv + "classes = [\"a\"]": `set mine: classes and rows_per_class are for task = ` +
			`"multiclass", not "binary"`,
		csv + "task = \"multiclass\"\nrows_per_class = 3": `set mine: rows_per_class = 3 must be positive and ` +
			`label must be absent`,
		csv + "generate = \"moons\"": `set mine: generate = "moons": not a generator of this ` +
			`program: their names, those of sets with a number of rows, and channels(n, informative, noise)`,
		csv + "drop = [\"\"]": `toml: line 4 (last key "drop"): a column's name is ` +
			`empty; give its number instead`,
		head + "[[files]]\npath = \"a.csv\"\nrole = \"x\"": `set mine: file "a.csv": role "x" is not "test", ` +
			`"splits" or "documentation"`,
		head + "[[files]]\nbytes = 3": `set mine: file "": path is empty`,
		head + "[[files]]\npath = \"a.csv\"\nsha256 = \"f\"": `set mine: file "a.csv": sha256 "f" is not 64 ` +
			`lower-case hexadecimal digits`,
		head + "[[files]]\n" +
			"path = \"a.csv\"\nrepository = \"github.com/a/b\"\ncommit = \"f\"\nsource = \"x\"": `set mine: file ` +
			`"a.csv": repository "github.com/a/b" needs a full commit and a source path`,
		head + "[[files]]\n" +
			"path = \"a.csv\"\nchannel = \"c\"\n[[files]]\npath = \"b.csv\"": `set mine gives some files a channel ` +
			`and others none; files are joined by columns only if all have one`,
		head + "[[files]]\n" +
			"path = \"a.csv\"\nrole = \"test\"\n[[files]]\npath = \"b.csv\"": `set mine: file "b.csv": files with ` +
			`role "test" come after all others and have no channel`,
		head + "[[files]]\n" +
			"path = \"a.csv\"\nsize = 1": `unknown key "files.size"; the keys are listed in docs/reference/datasets.md`,
	} {
		must.Be(t, fmt.Sprint(must.Err(decodeEntry("set.toml", []byte(toml), "/dir"))), "set.toml: "+want)
	}
	// What only the built-in catalogue must have.
	for toml, want := range map[string]string{
		"path = \"../a.csv\"": `path must be inside the data directory`,
		"path = \"a.csv\"":    `bytes and sha256 are required`,
		"path = \"a.csv\"\nbytes = 1\nsha256 = \"" + sha + "\"": `it has neither a repository, nor a note, nor a ` +
			`generator`,
	} {
		_, err := decodeEntry("set.toml", []byte(head+"[[files]]\n"+toml), "")
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", toml, err, want)
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
		if rowsKnown != c.rowsKnown || rowsKnown && rows != c.rows || blocksKnown != c.blocksKnown ||
			len(blocks) != c.blocks {
			t.Errorf("%+v: %d training rows (known: %v), blocks %v (known: %v)", c.e.Files, rows, rowsKnown, blocks,
				blocksKnown)
		}
	}
}
