package gbdt

import (
	"bytes"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
)

// Histograms built from the features that are away have the bits of those built from blocks: the models of a sample
// with indicators of three categories do not change.
func TestSparseRowsKeepTheModel(t *testing.T) {
	s := drawn(registry.Binary, 800, 26, 2, 1)
	for i := range s.n {
		row := s.x[i*s.d : (i+1)*s.d]
		for j := 2; j < s.d; j++ {
			row[j] = 0
		}
		row[2+i*7%8], row[10+i/3%8], row[18+i*i%8] = 1, 1, 1
	}
	ds := must.Get(NewDataset(t.Context(), s.x, s.n, s.d, 20))(t)
	if ds.sparse == nil {
		t.Fatal("there are no sparse rows, so this compares nothing")
	}
	plain := *ds
	plain.sparse = nil
	with := must.Get(fitLeafwise(t.Context(), ds, s.target(), lightgbmDefaults))(t)
	without := must.Get(fitLeafwise(t.Context(), &plain, s.target(), lightgbmDefaults))(t)
	if !bytes.Equal(text(t, with), text(t, without)) {
		t.Errorf("the models differ: %s", difference(with, without))
	}
}
