package gbrff

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func fitOne2019(t testing.TB, spec registry.Spec, data registry.Data, seed uint32, p Params2019) *ensemble {
	t.Helper()
	raw := must.Get(json.Marshal(p))(t)
	m := must.Get(spec.Fit(context.Background(), registry.Env{Seed: seed}, data, raw))(t)
	return m.(*ensemble)
}

func variant2019(random bool) registry.Spec {
	if random {
		return GBRFFRandom()
	}
	return GBRFF()
}

// TestAgainstSciPy compares with testdata/gbrff2019.json, which gbrff2019.py beside it
// wrote with NumPy and SciPy's L-BFGS-B: no run of the paper's own program is public. With
// random landmarks the two agree to rounding to the end. Descents stopped after ten iterations
// multiply rounding from round to round (see TestPublishedTraces); three are compared.
func TestAgainstSciPy(t *testing.T) {
	raw := must.Get(os.ReadFile("testdata/gbrff2019.json"))(t)
	var runs []struct {
		C, V     float64
		Random   bool
		H0       float64
		Alpha    []float64
		Loss     []float64
		Landmark [][]float64
		Weight   [][]float64
	}
	must.Do(t, json.Unmarshal(raw, &runs))
	const n, d, k = 80, 4, 10
	draws := rng.New(5)
	data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	draws.Norms(data.X.RawMatrix().Data)
	for i := range data.Y {
		data.Y[i] = math.Copysign(1, math.Sin(2*data.X.At(i, 0))+0.5*draws.Norm())
	}
	for _, run := range runs {
		m := fitOne2019(t, variant2019(run.Random), data, 1,
			Params2019{T: len(run.Alpha), K: k, Beta: run.C, LearningRate: run.V})
		compare := func(name string, round int, got, want, tol float64) {
			must.Near(t, got, want, tol, "c", run.C, run.V, run.Random, round, name)
		}
		compare("H0", 0, m.H0, run.H0, 1e-15)
		last, tol := 3, 1e-6
		if run.Random {
			last, tol = len(run.Alpha), 1e-12
		}
		stages(t, m, data, func(round int, scores []float64) {
			if round > last {
				return
			}
			loss := 0.0
			for i, y := range data.Y {
				loss += (y - scores[i]) * (y - scores[i]) / n
			}
			compare("loss", round, loss, run.Loss[round-1], tol)
			compare("alpha", round, m.Alpha[round-1], run.V*run.Alpha[round-1],
				tol*max(1, math.Abs(run.Alpha[round-1])))
		})
		for round := range run.Landmark {
			for j := range k {
				compare("phase", round+1, m.phases(round)[j], floats.Dot(m.omega(round, j), run.Landmark[round]), 1e-7)
				compare("weight", round+1, m.weights(round)[j], run.Weight[round][j], 1e-7)
			}
		}
	}
}

// TestLeastSquaresCriterion compares the landmark's loss with its definition and its
// gradient with central differences.
func TestLeastSquaresCriterion(t *testing.T) {
	const n, d, k = 200, 4, 7
	data := fits.Waves(6, n, d)
	x := rowsOf(data.X)
	omega := draw(rng.New(2), k*d, 0.5)
	b := newSquares(x, k, 1, true, data.Y, 0)
	b.setFrequencies(omega)
	b.searches[0].energy = vmath.Dot(data.Y, data.Y) / n
	l := []float64{0.3, -0.2, 0.7, 0.1}
	want := 0.0
	for i, y := range data.Y {
		h := 0.0
		for j := range k {
			h += math.Cos(floats.Dot(omega[j*d:(j+1)*d], l)-floats.Dot(omega[j*d:(j+1)*d], x.row(i))) / k
		}
		want += (y - h) * (y - h) / n
	}
	loss := func(l, gradient []float64) float64 {
		return b.loss(0, l, gradient, func() { b.multiply(1) })
	}
	checkLoss(t, "GBRFF, landmark", loss, l, want)
}

// TestLeastSquaresFalls: alpha minimises the squared loss along h, and so no learning
// rate up to 2 raises it.
func TestLeastSquaresFalls(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := fits.Waves(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(2, 60).Draw(rt, "n"),
			rapid.IntRange(1, 6).Draw(rt, "d"))
		v := rapid.Float64Range(0.01, 1.9).Draw(rt, "v")
		m := fitOne2019(t, variant2019(rapid.Bool().Draw(rt, "random")), data, 3,
			Params2019{T: 15, K: 4, Beta: 8, LearningRate: v})
		before := math.Inf(1)
		stages(t, m, data, func(round int, scores []float64) {
			loss := floats.Distance(scores, data.Y, 2)
			if !(loss <= before*(1+1e-9)) {
				rt.Fatalf("the residual's norm rises from %v to %v in round %d", before, loss, round)
			}
			before = loss
		})
	})
}

// TestOneClass2019: with one label the first vote is exact and nothing changes it.
func TestOneClass2019(t *testing.T) {
	data := fits.Waves(1, 12, 2)
	for i := range data.Y {
		data.Y[i] = -1
	}
	scores := make([]float64, 12)
	if err := fitOne2019(t, GBRFF(), data, 1, Params2019{T: 3, K: 2, LearningRate: 1}).Score(context.Background(),
		data.X, scores); err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		must.Be(t, s, -1, "row", i)
	}
}
