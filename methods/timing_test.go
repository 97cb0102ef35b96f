package methods_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// TestCancellation: fits on many rows notice the end of their context, in all that takes long.
func TestCancellation(t *testing.T) {
	testenv.OnlyThorough(t)
	for _, c := range []struct {
		methods string
		draw    func(n, d int) registry.Data
		n, d    int
		ends    []time.Duration // in milliseconds
	}{
		{"GBRFF GBRFF1 GBRFF2 GBRFF-random", waves, 12_000, 100, []time.Duration{0, 20, 100, 250}},
		{"GFC PBRFF", waves, 34_000, 100, []time.Duration{0, 20, 100}},
		{"LGBM XGB RF", waves, 34_000, 100, []time.Duration{0, 20, 100, 250}},
		{"MFGA RKS EERF LKRF", waves, 12_000, 60, []time.Duration{0, 20, 100, 250}},
		{"BMKR GMKL MKBOOST", rough, 2600, 40, []time.Duration{5, 100, 400}},
		{"RFF-SKL RFF-SQL-SQR-MKL RFF-SQL-MKL-JOINT RFF-MKL-JOINT", rough, 20_000, 20, []time.Duration{20, 250}},
		{"RFF-SQL-SKL", rough, 100_000, 20, []time.Duration{20, 250}}, // one product
		{"RFF-SQL-MKL RFF-MKL", rough, 80_000, 20, []time.Duration{20, 250}},
		{"GK GLK KRR-GD SVM FALKON NYSTROEM EIGENPRO RFM", rough, 4000, 6, []time.Duration{20, 250}},
		{"BMKR GMKL MKBOOST", rough, 9000, 40, []time.Duration{5, 100, 400}}, // rows of kernels on demand
	} {
		data := c.draw(c.n, c.d)
		for i := range c.ends {
			c.ends[i] *= time.Millisecond
		}
		for _, name := range strings.Fields(c.methods) {
			t.Run(name, func(t *testing.T) { conform.Late(data, c.ends...).Check(t, lookup(t, name)) })
		}
	}
}
