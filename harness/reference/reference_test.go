package reference_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/store/storetest"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

var update = flag.Bool("update", false, "write the embedded files of the reference run from its parts")

// TestYardsticks: the yardsticks of a machine agree, so that none was counted short.
func TestYardsticks(t *testing.T) {
	type machine struct {
		cpu   string
		cores int
	}
	all := map[machine][]float64{}
	for _, r := range must.Get(reference.Runs(reference.Table2))(t) {
		if e := r.Environment; e != nil && e.Yardstick.Known() {
			all[machine{e.CPU, e.Cores}] = append(all[machine{e.CPU, e.Cores}], e.Yardstick.Low, e.Yardstick.Seconds)
		}
	}
	for m, seconds := range all {
		if slices.Max(seconds) > 2*slices.Min(seconds) {
			t.Errorf("%v: yardsticks of %g to %g s", m, slices.Min(seconds), slices.Max(seconds))
		}
	}
}

// TestFiles: each file that the program brings is of a protocol and can be read, no cell is there twice, and all files
// together are small.
func TestFiles(t *testing.T) {
	total := int64(0)
	must.Do(t, filepath.WalkDir("files", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".bench") {
			return err
		}
		total += must.Get(d.Info())(t).Size()
		of := strings.TrimSuffix(d.Name(), ".bench")
		if folder := filepath.Dir(path); folder != "files" {
			of = filepath.Base(folder)
		}
		if !slices.Contains(protocol.Names(), of) {
			t.Errorf("%s belongs to no protocol", path)
		}
		return nil
	}))
	if total > 6<<20 || total == 0 {
		t.Errorf("the files have %d bytes together, want at most 6 MiB", total)
	}
	for _, name := range protocol.Names() {
		seen := map[string]bool{}
		for _, r := range must.Get(reference.Runs(name))(t) {
			if r.Protocol != name || seen[r.Name()] {
				t.Fatalf("the files of %s have %s twice, or of the protocol %s", name, r.Name(), r.Protocol)
			}
			seen[r.Name()] = true
		}
	}
}

// TestParts: a file of the reference run is its part without the folds of grid points that were not chosen, and both
// have the results of one set. The short form compares small parts. -update writes the files.
func TestParts(t *testing.T) {
	parts := must.Get(filepath.Glob("parts/table2/*.bench"))(t)
	if files := must.Get(filepath.Glob("files/table2/*.bench"))(t); len(files) != len(parts) && !*update {
		t.Errorf("%d files come from %d parts; run this test with -update", len(files), len(parts))
	}
	for _, part := range parts {
		whole := must.Get(os.ReadFile(part))(t)
		if len(whole) > 128<<10 && !*update && !testenv.Thorough(t) {
			continue
		}
		runs := must.Get(bundle.Read(whole))(t)
		for i, r := range runs {
			if r.Dataset+".bench" != filepath.Base(part) {
				t.Fatalf("%s has a result of %s", part, r.Name())
			}
			runs[i] = storetest.Condensed(r)
		}
		var condensed bytes.Buffer
		must.Get(bundle.Write(&condensed, runs))(t)
		file := filepath.Join("files/table2", filepath.Base(part))
		if *update {
			must.Do(t, os.WriteFile(file, condensed.Bytes(), 0o644))
		} else if !bytes.Equal(must.Get(os.ReadFile(file))(t), condensed.Bytes()) {
			t.Errorf("%s is not what follows from %s; run this test with -update", file, part)
		}
	}
}
