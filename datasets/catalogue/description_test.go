package catalogue

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestDescriptionIsTheEntry: what comes back from a description, by way of JSON, is the same
// entry, with the same fingerprint.
func TestDescriptionIsTheEntry(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "mine.toml")
	for path, text := range map[string]string{own: "name = \"mine\"\nfile = \"my.csv\"\nlabel = \"y\"\n", filepath.Join(dir, "my.csv"): "x,y\n1,2\n3,4\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	mine, err := Builtin().Add(own)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(Builtin().All(), mine) {
		text, err := json.Marshal(e.Description())
		if err != nil {
			t.Fatal(err)
		}
		var source Description
		if err := json.Unmarshal(text, &source); err != nil {
			t.Fatal(err)
		}
		again, err := source.Entry()
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if !reflect.DeepEqual(again, e) {
			t.Errorf("%s comes back as another entry:\n%+v\n%+v", e.Name, again, e)
		}
	}
}
