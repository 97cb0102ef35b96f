package reference_test

import (
	"bytes"
	"testing"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestFiles: each file that the program brings can be read, is of the protocol that it is named for, and all together
// are small. What is read of small files is written with the same bytes.
func TestFiles(t *testing.T) {
	total := 0
	for _, name := range protocol.Names() {
		file, there := must.Get2(reference.File(name))(t)
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
			var again bytes.Buffer
			if _, err := bundle.Write(&again, runs); err != nil || !bytes.Equal(again.Bytes(), file) {
				t.Errorf("%s: %d bytes became %d, %v", name, len(file), again.Len(), err)
			}
		}
	}
	if total == 0 {
		t.Skip("this program is built without results")
	}
	if total > 4<<20 {
		t.Errorf("the files have %d bytes together, want at most 4 MiB", total)
	}
}
