package crate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

var some = Crate{Name: "Results of Mine", Description: "Tables <and> figures.", Keywords: []string{"Mine"},
	Files: map[string]string{"a.tex": "a table"}, Program: "bench", Version: "v1", Command: "bench paper Mine",
	Generated: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}

// written writes a crate of two files to a folder.
func written(t *testing.T) string {
	dir := t.TempDir()
	add := func(name string, content func(io.Writer) error) error {
		var b bytes.Buffer
		if err := content(&b); err != nil {
			return err
		}
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		return os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600)
	}
	must.Do(t, some.Wrap(func(add Add) error {
		return errors.Join(
			add("a.tex", func(w io.Writer) error { _, err := io.WriteString(w, "abc"); return err }),
			add("b/c.bench", func(io.Writer) error { return nil }))
	})(add))
	return dir
}

func TestCrate(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join(written(t), File)))(t)
	var got struct {
		Context string           `json:"@context"`
		Graph   []map[string]any `json:"@graph"`
	}
	must.Do(t, json.Unmarshal(text, &got))
	must.Be(t, got.Context, "https://w3id.org/ro/crate/1.3/context")
	by := map[string]map[string]any{}
	for _, e := range got.Graph {
		by[e["@id"].(string)] = e
	}
	for _, asked := range []string{"name", "description", "datePublished", "license"} { // by the specification
		if by["./"][asked] == "" || by["./"][asked] == nil {
			t.Errorf("the folder has no %s", asked)
		}
	}
	a := by["a.tex"]
	must.Be(t, a["sha256"], any("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"), "SHA-256 of abc")
	must.Be(t, a["contentSize"], any("3"), "bytes")
	must.Be(t, a["description"], any("a table"))
	must.Be(t, by["b/c.bench"]["encodingFormat"], any("application/gzip"))
	must.Be(t, by["#made"]["endTime"], any("2026-01-02T03:04:05Z"))

	boom := errors.New("boom")
	err := some.Wrap(func(Add) error { return boom })(func(string, func(io.Writer) error) error {
		t.Error("a file is added after an error")
		return nil
	})
	must.Be(t, err, boom)
}

// TestOtherProgramReads lets rocrate from PyPI read a crate, and write what it read.
func TestOtherProgramReads(t *testing.T) {
	testenv.OnlyThorough(t)
	c := exec.Command(testenv.Python(t), "-c", `
import sys, rocrate.rocrate
c = rocrate.rocrate.ROCrate(sys.argv[1])
assert c.version == "1.3", c.version
assert c.name == "Results of Mine" and c.description == "Tables <and> figures.", c.name
assert sorted(f.id for f in c.data_entities) == ["a.tex", "b/c.bench"], c.data_entities
assert c.get("#made")["instrument"]["softwareVersion"] == "v1"
assert [f.id for f in c.get("#made")["result"]] == ["a.tex", "b/c.bench"]
c.write(sys.argv[2])
again = rocrate.rocrate.ROCrate(sys.argv[2])
assert again.get("a.tex")["sha256"] == c.get("a.tex")["sha256"]
print("read")`, written(t), t.TempDir())
	out, err := c.CombinedOutput()
	if err != nil || string(out) != "read\n" {
		t.Errorf("%v: %s", err, out)
	}
}
