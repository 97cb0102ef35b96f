package catalogue

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// FuzzDescription reads any text as a description of a set and wants an error of
// one line or an entry that has a fingerprint.
func FuzzDescription(f *testing.F) {
	for _, seed := range []string{
		"positive_from = inf", "positive_from = nan", "positive = [2, \"x\", 2.5]\nnegative = 1",
		"drop = {from = 3, to = 7}\ncategorical = \"all\"",
		"columns = [\"a\", \"b\", \"y\"]\ncategorical = [{from = \"a\", to = -2}, 7]", "drop = [{from = -1, to = -9}]",
		"task = \"multiclass\"\nclasses = [1, 2]",
		"columns = []\ndrop = {from = -3, to = 0}", "drop = [[1], {}]", "columns = 1979-05-27",
		"drop = {from = 0, to = 9223372036854775807}",
		"drop = {from = -9223372036854775808, to = -1}",
	} {
		f.Add("name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\n" + seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := decodeEntry("f", []byte(text), "/dir")
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error is not one line: %q", err)
			}
			return
		}
		sums := make([]string, len(e.DataFiles()))
		if e.Fingerprint(sums) == "" || len(e.ClassNames()) == 1 && e.Task == registry.Binary {
			t.Fatalf("entry %+v", e)
		}
	})
}

// documents are the pages about data of one's own: keys and examples.
func documents(t *testing.T) (keys, examples []byte) {
	keys, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "reference", "datasets.md"))
	if err == nil {
		examples, err = os.ReadFile(filepath.Join(testenv.Root(), "docs", "how-to", "own-data.md"))
	}
	must.Do(t, err)
	return keys, append(examples, keys...)
}

// TestDocumentationListsEveryKey compares docs/reference/datasets.md with the TOML keys.
func TestDocumentationListsEveryKey(t *testing.T) {
	raw, _ := documents(t)
	for _, kind := range []reflect.Type{reflect.TypeFor[Entry](), reflect.TypeFor[Reading](), reflect.TypeFor[File](),
		reflect.TypeFor[document]()} {
		for i := range kind.NumField() {
			key := kind.Field(i).Tag.Get("toml")
			if key != "" && key != "-" && !bytes.Contains(raw, []byte("`"+key+"`")) {
				t.Errorf("docs/reference/datasets.md does not explain the key %s", key)
			}
		}
	}
}

// TestDocumentedExamples reads every description of a set in these pages.
func TestDocumentedExamples(t *testing.T) {
	_, raw := documents(t)
	examples := strings.Split(string(raw), "```toml\n")[1:]
	if len(examples) < 5 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, example := range examples {
		toml, _, _ := strings.Cut(example, "```")
		if _, err := decodeEntry("example", []byte(toml), "/dir"); err != nil {
			t.Errorf("%v in\n%s", err, toml)
		}
	}
}
