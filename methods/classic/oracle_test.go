package classic

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestEqualsScikitLearn compares scores with those of testdata/classic.json, which testdata/classic.py wrote. Scores of
// neighbours are equal to the twelve digits of the file. Those of LDA are within 1e-9 of the largest, which is rounding
// times the condition of the covariance, and those of Logistic within 1e-8, by its stopping rule. A softmax of several
// classes does not change with a constant in all scores, so that their rows are centred.
func TestEqualsScikitLearn(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/classic.json"))(t)
	var file struct {
		Problems []struct {
			Classes    int
			X, Rows    [][]float64
			Y, Targets []float64
			Cases      []struct {
				Method string
				Params json.RawMessage
				Scores [][]float64
			}
		}
	}
	must.Do(t, json.Unmarshal(raw, &file))
	compared := 0
	for _, p := range file.Problems {
		for _, c := range p.Cases {
			data := registry.Data{Task: registry.Binary, X: dense(p.X), Y: p.Y, Classes: p.Classes}
			if p.Classes > 2 {
				data.Task = registry.Multiclass
			}
			spec, tol := KNN(), 1e-11
			switch c.Method {
			case "KNN of targets":
				data = registry.Data{Task: registry.Regression, X: data.X, Y: p.Targets}
			case "Logistic":
				spec, tol = Logistic(), 1e-8
			case "LDA":
				spec, tol = LDA(), 1e-9
			}
			m := must.Get(spec.Fit(t.Context(), registry.Env{Seed: 1}, data, c.Params))(t)
			got, want := make([]float64, len(p.Rows)*data.Shape().Outputs()), slices.Concat(c.Scores...)
			must.Do(t, m.Score(t.Context(), dense(p.Rows), got))
			if c.Method == "Logistic" && p.Classes > 2 && !strings.Contains(string(c.Params), "false") {
				centre(got, p.Classes)
				centre(want, p.Classes)
			}
			largest, worst := 1.0, 0.0
			for j, v := range want {
				largest, worst = max(largest, math.Abs(v)), max(worst, math.Abs(got[j]-v))
			}
			if !(worst <= tol*largest) {
				t.Errorf("%s %s on %d x %d with %d classes: scores differ by %.3g of %.3g", c.Method, c.Params,
					len(p.X), len(p.X[0]), p.Classes, worst, largest)
			}
			compared++
		}
	}
	if compared < 70 {
		t.Errorf("compared %d cases: the file holds fewer than it was made with", compared)
	}
}

// centre subtracts the mean of each row.
func centre(scores []float64, k int) {
	for row := range slices.Chunk(scores, k) {
		mean := 0.0
		for _, v := range row {
			mean += v / float64(k)
		}
		for c := range row {
			row[c] -= mean
		}
	}
}

func dense(rows [][]float64) *mat.Dense {
	return mat.NewDense(len(rows), len(rows[0]), slices.Concat(rows...))
}
