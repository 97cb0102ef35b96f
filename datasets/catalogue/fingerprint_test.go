package catalogue

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
)

func TestFingerprintIgnoresWhatChangesNoNumber(t *testing.T) {
	e := must.Get(Builtin().Lookup("wine"))(t)
	base := e.Fingerprint([]string{"a"})
	same := *e
	same.Title, same.Citation, same.Defects, same.Rows, same.Columns = "x", "x", []string{"x"}, 0, nil
	must.Be(t, same.Fingerprint([]string{"a"}), base, "a title changes the fingerprint")
	for name, change := range map[string]func(*Entry){
		"label":    func(e *Entry) { e.Label = &Column{Index: 3} },
		"drop":     func(e *Entry) { e.Drop = []Column{{Index: 3}} },
		"positive": func(e *Entry) { e.Positive = []string{"3"} },
		"task":     func(e *Entry) { e.Task = registry.Regression },
		"coded":    func(e *Entry) { e.Categorical = []Column{{Index: 3}} },
		"missing":  func(e *Entry) { e.Missing = Marks{"?"} },
		"role":     func(e *Entry) { e.Files = slices.Clone(e.Files); e.Files[0].Role = RoleTest },
	} {
		other := *e
		change(&other)
		if other.Fingerprint([]string{"a"}) == base {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
	if e.Fingerprint([]string{"b"}) == base {
		t.Error("a file's content does not change the fingerprint")
	}
}

// TestDescriptionIsTheEntry: what comes back from a description, by way of JSON, is the same
// entry, with the same fingerprint.
func TestDescriptionIsTheEntry(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "mine.toml")
	for path, text := range map[string]string{own: "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\n",
		filepath.Join(dir, "my.csv"): "x,y\n1,2\n3,4\n"} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	mine := must.Get(Builtin().Add(own))(t)
	for _, e := range append(Builtin().All(), mine) {
		text := must.Get(json.Marshal(e.Description()))(t)
		var source Description
		must.Do(t, json.Unmarshal(text, &source))
		again, err := source.Entry()
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		must.Be(t, again, e, e.Name)
	}
}
