// Package published reads what published programs predict, for tests that compare methods with them. Scripts in
// testdata folders run such a program and write a file of cases. A case has its problem, and the program's scores of
// other rows: on drawn rows, which the file holds, or on rows of a real set, which it names (problems.py and real.go
// read the same rows by the same rule). No row of a real set is in a file.
package published

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A Problem is a case of a file, to be embedded with the method's settings.
type Problem struct {
	Set           string // the real set; empty for drawn rows
	N, D, Outputs int
	X, Y          []float64 // training rows, N x D, and of drawn rows the targets, N x Outputs: of classes +1 and -1
	Rows          []float64 // rows to predict, with D columns
	Scores        []float64 // what the published program predicts for them

	Data registry.Data `json:"-"` // of a real set, with labels as methods get them
}

// Cases returns the cases of a file, of which there must be the given number.
func Cases[T any](t testing.TB, file string, count int) []T {
	t.Helper()
	raw := must.Get(os.ReadFile(file))(t)
	var all struct{ Cases []T }
	if err := json.Unmarshal(raw, &all); err != nil || len(all.Cases) != count {
		t.Fatalf("%s has %d cases of %d: %v", file, len(all.Cases), count, err)
	}
	return all.Cases
}

// Name names case i in a test.
func (p *Problem) Name(i int) string {
	if p.Set == "" {
		return fmt.Sprint("drawn ", i)
	}
	return fmt.Sprint(p.Set, " ", i)
}

// Load reads the rows of a real set. It skips the test where the data files are not.
func (p *Problem) Load(t testing.TB) {
	t.Helper()
	if p.Set == "" {
		p.Outputs = max(p.Outputs, 1)
		return
	}
	data, rows := real(t, p.Set)
	p.Data, p.X, p.Rows = data, data.X.RawMatrix().Data, rows.RawMatrix().Data
	p.N, p.D = data.X.Dims()
	p.Outputs = data.Shape().Outputs()
}

// Targets returns the targets of each output.
func (p *Problem) Targets() [][]float64 {
	if p.Set != "" {
		return fitting.OneAgainstRest(p.Data)
	}
	ys := make([][]float64, p.Outputs)
	for j := range ys {
		for i := range p.N {
			ys[j] = append(ys[j], p.Y[i*p.Outputs+j])
		}
	}
	return ys
}

// Compare scores the rows with a model and compares with the published program's scores, within a share of the largest.
func (p *Problem) Compare(t testing.TB, m registry.Model, share float64) {
	t.Helper()
	got := make([]float64, len(p.Rows)/p.D*p.Outputs)
	must.Do(t, m.Score(t.Context(), mat.NewDense(len(p.Rows)/p.D, p.D, p.Rows), got))
	p.Equal(t, got, share)
}

// Equal compares scores of the rows with the published program's, within a share of the largest.
func (p *Problem) Equal(t testing.TB, got []float64, share float64) {
	t.Helper()
	if len(got) != len(p.Scores) || len(got) == 0 {
		t.Fatalf("%d scores, and %d of the published program", len(got), len(p.Scores))
	}
	worst, most := floats.Distance(got, p.Scores, math.Inf(1)), floats.Norm(p.Scores, math.Inf(1))
	t.Logf("off by %.2g, the largest score is %.3g", worst, most)
	if !(worst <= share*most) {
		t.Errorf("the scores are off by %v, the largest is %v", worst, most)
	}
}
