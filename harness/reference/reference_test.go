package reference_test

import (
	"testing"

	"github.com/kernelboosting/bench/harness/bundle"
	"github.com/kernelboosting/bench/harness/reference"
)

// TestFile: the file, where there is one, is small and can be read.
func TestFile(t *testing.T) {
	file, there, err := reference.File(reference.Table2)
	if err != nil {
		t.Fatal(err)
	}
	if !there {
		t.Skip("this program is built without the reference run")
	}
	if runs, err := bundle.Read(file); err != nil || len(runs) == 0 || len(file) > 5<<20 {
		t.Errorf("%d results in %d bytes, %v", len(runs), len(file), err)
	}
}
