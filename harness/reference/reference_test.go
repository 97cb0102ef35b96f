package reference_test

import (
	"bytes"
	"testing"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
)

// TestFiles: each file that the program brings can be read, is of the protocol that it is named for, and all together are
// small. What is read of small files is written with the same bytes.
func TestFiles(t *testing.T) {
	total := 0
	for _, name := range protocol.Names() {
		file, there, err := reference.File(name)
		if err != nil {
			t.Fatal(err)
		}
		if !there {
			continue
		}
		total += len(file)
		runs, err := bundle.Read(file)
		if err != nil || len(runs) == 0 {
			t.Fatalf("%s: %d results, %v", name, len(runs), err)
		}
		for _, r := range runs {
			if r.Protocol != name {
				t.Fatalf("the file of %s has a result of %s", name, r.Protocol)
			}
		}
		if len(file) < 20<<10 {
			if again := written(t, runs); !bytes.Equal(again, file) {
				t.Errorf("%s: %d bytes became %d", name, len(file), len(again))
			}
		}
	}
	if total == 0 {
		t.Skip("this program is built without results")
	}
	if total > 5<<20 {
		t.Errorf("the files have %d bytes together, want at most 5 MiB", total)
	}
}

func written(t *testing.T, runs []result.Run) []byte {
	t.Helper()
	var w bundle.Writer
	for _, r := range runs {
		if err := w.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if _, err := w.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
