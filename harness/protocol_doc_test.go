package harness_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// TestDocumentationListsEveryKey compares docs/reference/protocols.md with the TOML keys, and reads
// the example in it.
func TestDocumentationListsEveryKey(t *testing.T) {
	raw := must.Get(os.ReadFile(filepath.Join(testenv.Root(), "docs", "reference", "protocols.md")))(t)
	text := string(raw)
	for _, kind := range []reflect.Type{reflect.TypeFor[protocol.Protocol](), reflect.TypeFor[protocol.Semantics](),
		reflect.TypeFor[protocol.MethodSettings](), reflect.TypeFor[registry.Axis]()} {
		for i := range kind.NumField() {
			key := kind.Field(i).Tag.Get("toml")
			if key != "-" && !strings.Contains(text, "`"+key) && !strings.Contains(text, "["+key) {
				t.Errorf("docs/reference/protocols.md does not explain %s of %s", key, kind.Name())
			}
		}
	}
	_, rest, _ := strings.Cut(text, "```toml\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/reference/protocols.md has no example")
	}
	p := must.Get(protocol.Parse("my", []byte(example)))(t)
	if len(p.Datasets) != 3 || p.Methods["GBRFF2"].Grid == nil {
		t.Errorf("the example reads as %+v", p)
	}
}

// TestProtocolNamesOwnSets: a protocol names a user's own sets by the paths of their files, relative to its own file.
func TestProtocolNamesOwnSets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sets/mine.toml": "name = \"own\"\nfile = \"mine.csv\"\nlabel = \"y\"\n",
		"sets/mine.csv":  "x,y\n1,2\n3,4\n",
		"p.toml": "splits = 1\ndatasets = [\"sets/mine.toml\", \"wine\"]\napart = " +
			"[\"sets/mine.toml\"]\n[semantics]\ntest_fraction = 0.3\nfolds = 2\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	}
	p := must.Get(protocol.Load(filepath.Join(dir, "p.toml")))(t)
	sets := catalogue.Builtin()
	for range 2 { // the second call finds names instead of paths
		must.Do(t, p.ResolveSets(sets))
	}
	if p.Datasets[0] != "own" || p.Apart[0] != "own" || p.Datasets[1] != "wine" {
		t.Errorf("sets %v, apart %v", p.Datasets, p.Apart)
	}
	var again protocol.Protocol
	if _, err := toml.Decode(p.Text, &again); err != nil || again.Datasets[0] != "sets/mine.toml" {
		t.Errorf("the text that is stored is not the file's: %v, %v", again.Datasets, err)
	}
	if e, err := sets.Lookup("own"); err != nil || !e.Local() {
		t.Errorf("the catalogue does not know the set: %v", err)
	}
}
