package catalogue

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kernelboosting/bench/internal/test/must"
)

func described(t *testing.T, toml string) *Entry {
	t.Helper()
	e := must.Get(decodeEntry("set.toml", []byte("name = \"mine\"\nfile = \"my.csv\"\n"+toml), "/dir"))(t)
	return e
}

// TestSpellingsOfOneReading: a range, "all" and a single value are the same reading
// as the list of numbers or texts, to the last bit of its fingerprint, wherever the
// numbers are known without the file.
func TestSpellingsOfOneReading(t *testing.T) {
	const five = "columns = [\"a\", \"b\", \"c\", \"d\", \"e\"]\n"
	for _, c := range []struct{ name, short, long string }{
		{"a range of numbers", "label = 9\ncategorical = {from = 3, to = 7}", "label = 9\ncategorical = [3, 4, 5, " +
			"6, 7]"},
		{"ranges in a list", "label = 9\ncategorical = [{from = 3, to = 4}, 7, {from = -3, to = -2}]",
			"label = 9\ncategorical = [3, 4, 7, -3, -2]"},
		{"a list of ranges only", "label = 9\ndrop = [{from = 1, to = 2}, {from = 4, to = 4}]",
			"label = 9\ndrop = [1, 2, 4]"},
		{"one column", "label = 9\ndrop = 3", "label = 9\ndrop = [3]"},
		{"one name", "label = \"y\"\ndrop = \"x\"", "label = \"y\"\ndrop = [\"x\"]"},
		{"one label", "label = 1\npositive = \"2\"", "label = 1\npositive = [\"2\"]"},
		{"a number as label", "label = 1\npositive = [2]\nnegative = -1.5", "label = 1\npositive = [\"2\"]\nnegative " +
			"= [\"-1.5\"]"},
		{"names of a file without header", five + "label = \"e\"\ncategorical = {from = \"b\", to = \"d\"}",
			"label = 4\ncategorical = [1, 2, 3]"},
		{"names and numbers from the end", five + "label = \"a\"\ncategorical = {from = \"c\", to = -1}",
			"label = 0\ncategorical = [2, 3, 4]"},
		{"all", five + "label = -1\ndrop = \"b\"\ncategorical = \"all\"", "label = -1\ndrop = [1]\ncategorical = [0, " +
			"2, 3]"},
		{"all but a range", five + "label = 0\ndrop = {from = 3, to = -1}\ncategorical = \"all\"",
			"label = 0\ndrop = [3, 4]\ncategorical = [1, 2]"},
		{"one class name", "task = \"multiclass\"\nlabel = 0\nclasses = [1, 2]",
			"task = \"multiclass\"\nlabel = 0\nclasses = [\"1\", \"2\"]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			short, long := described(t, c.short), described(t, c.long)
			short.Columns = nil // names change no number
			must.Be(t, cmp.Diff(long.Reading, short.Reading), "")
			must.Be(t, short.Fingerprint([]string{"s"}), long.Fingerprint([]string{"s"}))
		})
	}
}

// TestUnresolvedRangesHaveFingerprints of their own: only the file tells which
// columns they are.
func TestUnresolvedRangesHaveFingerprints(t *testing.T) {
	seen := map[string]string{}
	for _, toml := range []string{"", `categorical = "a"`, `categorical = {from = "a", to = "b"}`,
		`categorical = {from = "a", to = "c"}`,
		`categorical = {from = 0, to = -2}`, `categorical = "all"`, `categorical = ["all"]`,
		`drop = {from = "a", to = "b"}`} {
		print := described(t, "label = \"y\"\n"+toml).Fingerprint([]string{"s"})
		if other, ok := seen[print]; ok {
			t.Errorf("%q and %q have one fingerprint", toml, other)
		}
		seen[print] = toml
	}
}

func TestClassNames(t *testing.T) {
	for toml, want := range map[string][]string{
		"": nil,
		`positive = ["yes", "+2.0"]` + "\n" + `negative = "no"`: {"no", "yes,2"},
		`positive = "yes"`:                                {"not yes", "yes"},
		`positive_from = 1400`:                            {"< 1400", ">= 1400"},
		"task = \"multiclass\"":                           nil,
		"task = \"multiclass\"\nclasses = [\"b\", \"a\"]": {"b", "a"},
		"task = \"regression\"":                           nil,
	} {
		must.Be(t, cmp.Diff(want, described(t, "label = \"y\"\n"+toml).ClassNames()), "", toml)
	}
}

// TestEntryKnowsItsFile, as the user wrote it.
func TestEntryKnowsItsFile(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("tic.toml", []byte("name = \"mine\"\nfile = \"my.csv\"\nlabel = 0\n"), 0o644))
	given := "." + string(filepath.Separator) + "tic.toml"
	e, err := Builtin().Add(given)
	must.Do(t, err)
	must.Be(t, e.File(), given)
	wine, err := Builtin().Lookup("wine")
	must.Do(t, err)
	must.Be(t, wine.File(), "")
}

func TestLabelsCompareAsNumbers(t *testing.T) {
	for text, want := range map[string]string{"+1": "1", "1.0": "1", "1e0": "1", "-0": "0", " a b ": "a b", "1x": "1x",
		"nan": "nan", "1e999": "1e999"} {
		must.Be(t, CanonicalLabel([]byte(text)), want, text)
	}
}
