package fourier

import (
	"fmt"
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
)

// TestGroupLassoOracle: the optimum of every row of group_lasso.json, by either side: objective 1e-11, w 1e-8.
func TestGroupLassoOracle(t *testing.T) {
	cases := embeddingCases(t)
	var file struct {
		Cases []struct {
			Seed       int
			Kind, Loss string
			LambdaMax  float64 `json:"lambda_max"`
			Lam        float64
			W          []float64
			Objective  float64
		}
	}
	testenv.ReadOracle(t, "group_lasso.json", &file)
	for _, c := range file.Cases {
		what := fmt.Sprintf("%d %s %s lambda %v", c.Seed, c.Kind, c.Loss, c.Lam)
		of, y := lossOf(t, c.Loss, cases[c.Seed])
		p := cases[c.Seed].problem(t, c.Kind, "concat", y)
		l, err := newLasso(t.Context(), p, cases[c.Seed].Sigma, of)
		if err != nil {
			t.Fatal(err)
		}
		near(t, what+" lambda_max", []float64{l.top}, []float64{c.LambdaMax}, 1e-12)
		at := l.newPoint()
		if err := l.solve(t.Context(), &at, c.Lam, 1e-13); err != nil {
			t.Fatal(what, err)
		}
		for range 300 { // weights along flat directions are later than the value
			if err := l.sweep(t.Context(), &at, []int{0}, c.Lam); err != nil {
				t.Fatal(err)
			}
		}
		w := l.turnBack(at.w)
		near(t, what+" w", w, c.W, 1e-8)
		f := l.primal(0, at.w, at.image, c.Lam)
		if math.Abs(f-c.Objective) > 1e-11*c.Objective {
			t.Errorf("%s: objective %v, want %v", what, f, c.Objective)
		}
	}
	if len(file.Cases) == 0 {
		t.Error("group_lasso.json has no case")
	}
}
