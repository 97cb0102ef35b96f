package gbrff

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/kernelboosting/bench/internal/test/testsplit"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func fitOne2019(t testing.TB, spec registry.Spec, data registry.Data, seed uint32, p Params2019) *ensemble {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := spec.Fit(context.Background(), registry.Env{Seed: seed}, data, raw)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*ensemble)
}

func variant2019(random bool) registry.Spec {
	if random {
		return GBRFFRandom()
	}
	return GBRFF()
}

// TestPublishedGrid2019: Section 5 of the paper, beta (c there) = 0, 2^0..2^10 and five learning rates.
func TestPublishedGrid2019(t *testing.T) {
	for _, spec := range []registry.Spec{GBRFF(), GBRFFRandom()} {
		points, err := spec.Settings(registry.Shape{Task: registry.Binary, N: 100, D: 4, Classes: 2}, spec.DefaultGrid(), nil)
		if err != nil {
			t.Fatal(err)
		}
		first, last := `{"rounds":200,"features":100,"gamma":0,"beta":0,"learning_rate":1}`, `{"rounds":200,"features":100,"gamma":0,"beta":1024,"learning_rate":0.01}`
		if len(points) != 60 || string(points[0]) != first || string(points[59]) != last {
			t.Errorf("%s: %d points, %s .. %s", spec.Name, len(points), points[0], points[len(points)-1])
		}
	}
}

// TestAgainstSciPy compares with testdata/gbrff2019.json, which gbrff2019.py beside it
// wrote with NumPy and SciPy's L-BFGS-B: no run of the paper's own program is public. With
// random landmarks the two agree to rounding to the end. Descents stopped after ten iterations
// multiply rounding from round to round (see TestPublishedTraces); three are compared.
func TestAgainstSciPy(t *testing.T) {
	raw, err := os.ReadFile("testdata/gbrff2019.json")
	if err != nil {
		t.Fatal(err)
	}
	var runs []struct {
		C, V     float64
		Random   bool
		H0       float64
		Alpha    []float64
		Loss     []float64
		Landmark [][]float64
		Weight   [][]float64
	}
	if err := json.Unmarshal(raw, &runs); err != nil {
		t.Fatal(err)
	}
	const n, d, k = 80, 4, 10
	draws := rng.New(5)
	data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	draws.Norms(data.X.RawMatrix().Data)
	for i := range data.Y {
		data.Y[i] = math.Copysign(1, math.Sin(2*data.X.At(i, 0))+0.5*draws.Norm())
	}
	for _, run := range runs {
		m := fitOne2019(t, variant2019(run.Random), data, 1, Params2019{T: len(run.Alpha), K: k, Beta: run.C, LearningRate: run.V})
		compare := func(name string, round int, got, want, tol float64) {
			if math.Abs(got-want) > tol {
				t.Errorf("c=%v v=%v random=%v round %d: %s %v, SciPy %v", run.C, run.V, run.Random, round, name, got, want)
			}
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
			compare("alpha", round, m.Alpha[round-1], run.V*run.Alpha[round-1], tol*max(1, math.Abs(run.Alpha[round-1])))
		})
		for round := range run.Landmark {
			for j := range k {
				compare("phase", round+1, m.phases(round)[j], floats.Dot(m.omega(round, j), run.Landmark[round]), 1e-7)
				compare("weight", round+1, m.weights(round)[j], run.Weight[round][j], 1e-7)
			}
		}
	}
}

// plain2019 is the algorithm with one loop per sum and no shared structure, on the
// landmarks of m where they are learned: a descent stopped early multiplies rounding. It
// fails if such a landmark is no better than the origin, where its descent starts, and
// returns the scores of the training rows.
func plain2019(t *rapid.T, m *ensemble, data registry.Data, seed uint32, p Params2019, random bool) []float64 {
	n, d := data.X.Dims()
	draws := rng.New(seed)
	omegas := make([]float64, p.T*p.K*d)
	draws.Norms(omegas)
	chosen := draws.Choice(n, p.T)
	scores := make([]float64, n)
	for i := range scores {
		scores[i] = floats.Sum(data.Y) / float64(n)
	}
	for round := range p.T {
		omega := func(j int) []float64 { return omegas[(round*p.K+j)*d:][:d] }
		u := make([]float64, p.K) // omega_j.l
		copy(u, m.phases(round))
		if random {
			for j := range u {
				u[j] = floats.Dot(omega(j), data.X.RawRowView(chosen[round]))
			}
		}
		feature := func(j, i int) float64 { return math.Cos(u[j] - floats.Dot(omega(j), data.X.RawRowView(i))) }
		loss := func() (f float64) {
			for i, y := range data.Y {
				h := 0.0
				for j := range p.K {
					h += feature(j, i) / float64(p.K)
				}
				f += (y - scores[i] - h) * (y - scores[i] - h) / float64(n)
			}
			return f
		}
		if !random {
			learned := loss()
			l := u
			u = make([]float64, p.K)
			if origin := loss(); learned > origin+1e-12 {
				t.Fatalf("round %d: the landmark's loss is %v, the origin's %v", round+1, learned, origin)
			}
			u = l
		}
		q := make([]float64, p.K)
		for j := range q {
			for i, y := range data.Y {
				e := y - scores[i] - feature(j, i)
				q[j] -= p.Beta * e * e / float64(n)
			}
		}
		least := floats.Max(q)
		for j := range q {
			q[j] = math.Exp(q[j] - least)
		}
		floats.Scale(1/floats.Sum(q), q)
		h, rh, hh := make([]float64, n), 0.0, 0.0
		for i, y := range data.Y {
			for j := range p.K {
				h[i] += q[j] * feature(j, i)
			}
			rh += (y - scores[i]) * h[i]
			hh += h[i] * h[i]
		}
		floats.AddScaled(scores, p.LearningRate*rh/hh, h)
	}
	return scores
}

// TestAgainstPlain: the same sums in another order. Later rounds start from residuals
// that differ by rounding, which a nearly vanishing weak learner divides by its square.
func TestAgainstPlain(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := testsplit.Waves(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(2, 40).Draw(rt, "n"), rapid.IntRange(1, 5).Draw(rt, "d"))
		p := Params2019{
			T: rapid.IntRange(1, 3).Draw(rt, "t"), K: rapid.IntRange(1, 12).Draw(rt, "k"),
			Beta: rapid.SampledFrom([]float64{0, 1, 16, 1024}).Draw(rt, "beta"), LearningRate: rapid.SampledFrom([]float64{1, 0.1}).Draw(rt, "learning_rate"),
		}
		random := rapid.Bool().Draw(rt, "random")
		seed := rapid.Uint32().Draw(rt, "draws")
		m := fitOne2019(t, variant2019(random), data, seed, p)
		got := make([]float64, len(data.Y))
		if err := m.Score(context.Background(), data.X, got); err != nil {
			rt.Fatal(err)
		}
		for i, want := range plain2019(rt, m, data, seed, p, random) {
			if math.Abs(got[i]-want) > 1e-9*max(1, math.Abs(want)) {
				rt.Fatalf("row %d scores %v, plain %v (%+v, random %v)", i, got[i], want, p, random)
			}
		}
	})
}

// TestLeastSquaresCriterion compares the landmark's loss with its definition and its
// gradient with central differences.
func TestLeastSquaresCriterion(t *testing.T) {
	const n, d, k = 200, 4, 7
	data := testsplit.Waves(6, n, d)
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
		data := testsplit.Waves(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(2, 60).Draw(rt, "n"), rapid.IntRange(1, 6).Draw(rt, "d"))
		v := rapid.Float64Range(0.01, 1.9).Draw(rt, "v")
		m := fitOne2019(t, variant2019(rapid.Bool().Draw(rt, "random")), data, 3, Params2019{T: 15, K: 4, Beta: 8, LearningRate: v})
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
	data := testsplit.Waves(1, 12, 2)
	for i := range data.Y {
		data.Y[i] = -1
	}
	scores := make([]float64, 12)
	if err := fitOne2019(t, GBRFF(), data, 1, Params2019{T: 3, K: 2, LearningRate: 1}).Score(context.Background(), data.X, scores); err != nil {
		t.Fatal(err)
	}
	for i, s := range scores {
		if s != -1 {
			t.Fatalf("row %d scores %v", i, s)
		}
	}
}

func TestRefusals2019(t *testing.T) {
	for _, raw := range []string{`{"rounds":0}`, `{"features":0}`, `{"beta":-1}`, `{"learning_rate":0}`, `{"learning_rate":-0.1}`, `{"gamma":-1}`, `{"c":1}`} {
		if _, err := GBRFF().Fit(context.Background(), registry.Env{}, testsplit.Waves(1, 10, 2), []byte(raw)); err == nil {
			t.Errorf("GBRFF accepts %s", raw)
		}
	}
	data := testsplit.Waves(1, 10, 2)
	data.X.Set(1, 1, math.NaN())
	if _, err := GBRFF().Fit(context.Background(), registry.Env{}, data, nil); err == nil {
		t.Error("GBRFF accepts NaN")
	}
}
