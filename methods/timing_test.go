package methods_test

import (
	"strings"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/conform"
)

// checked returns the methods of a row: the first alone where the run is not thorough.
func checked(t *testing.T, row string) (specs []registry.Spec) {
	t.Helper()
	names := strings.Fields(row)
	if !testenv.Thorough(t) {
		names = names[:1]
	}
	for _, name := range names {
		specs = append(specs, lookup(t, name))
	}
	return specs
}

// TestCancellation: fits on many rows notice the end of their context, in all that takes long.
func TestCancellation(t *testing.T) {
	type row struct {
		methods string
		draw    func(n, d int) registry.Data
		n, d    int
		ends    []time.Duration // in milliseconds
	}
	rows := []row{
		{"GBRFF GBRFF1 GBRFF2 GBRFF-random", waves, 12_000, 100, []time.Duration{0, 20, 100, 250}},
		{"GFC PBRFF", waves, 34_000, 100, []time.Duration{0, 20, 100}},
		{"LGBM XGB RF", waves, 34_000, 100, []time.Duration{0, 20, 100, 250}},
		{"MFGA RKS EERF LKRF", waves, 12_000, 60, []time.Duration{0, 20, 100, 250}},
		{"BMKR GMKL MKBOOST", rough, 2600, 40, []time.Duration{5, 100, 400}},
		{"RFF-SKL RFF-SQL-SQR-MKL RFF-SQL-MKL-JOINT RFF-MKL-JOINT", rough, 20_000, 20, []time.Duration{20, 250}},
		{"RFF-SQL-SKL", rough, 100_000, 20, []time.Duration{20, 250}}, // one product
		{"RFF-SQL-MKL RFF-MKL", rough, 80_000, 20, []time.Duration{20, 250}},
		{"GK GLK KRR-GD SVM FALKON NYSTROEM EIGENPRO RFM", rough, 4000, 6, []time.Duration{20, 250}},
	}
	if testenv.Thorough(t) { // rows of kernels on demand
		rows = append(rows, row{"BMKR GMKL MKBOOST", rough, 9000, 40, []time.Duration{5, 100, 400}})
	}
	for _, c := range rows {
		data := c.draw(c.n, c.d)
		for i := range c.ends {
			c.ends[i] *= time.Millisecond
		}
		for _, spec := range checked(t, c.methods) {
			t.Run(spec.Name, func(t *testing.T) { conform.Late(data, c.ends...).Check(t, spec) })
		}
	}
}
