package catalogue_test

import (
	"testing"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestGeneratedBytes makes every generated file of the catalogue, whose SHA-256 was written when the rows agreed with
// the formula in its comment, drawn and decided a second time.
func TestGeneratedBytes(t *testing.T) {
	thorough, made := testenv.Thorough(t), 0
	for _, e := range catalogue.Builtin().All() {
		if !e.Generated || e.Files[0].Bytes > 1<<20 && !thorough {
			continue
		}
		generator := must.Get(catalogue.Named(e.Generator))(t)
		data := generator()
		if err := e.Files[0].Check(int64(len(data)), catalogue.Checksum(data)); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		made++
	}
	if made < 10 {
		t.Errorf("%d sets are made", made)
	}
}
