package bundle_test

import (
	"bytes"
	"testing"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/reference"
)

// TestShippedFilesAreWrittenAgain: what is read of the files that come with the program is written with the same bytes.
func TestShippedFilesAreWrittenAgain(t *testing.T) {
	files := 0
	for _, name := range protocol.Names() {
		file, there, err := reference.File(name)
		if err != nil {
			t.Fatal(err)
		}
		if !there {
			continue
		}
		files++
		runs, err := bundle.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		var w bundle.Writer
		for _, r := range runs {
			if err := w.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		var again bytes.Buffer
		if _, err := w.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), file) {
			t.Errorf("%s: %d bytes became %d, %v", name, len(file), again.Len(), err)
		}
	}
	if files == 0 {
		t.Error("no file comes with the program")
	}
}
