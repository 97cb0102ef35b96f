package gbrff

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestLosses compares losses with their definitions and gradients with central
// differences; for GBRFF1 that decides between the paper's printed gradient and
// the chain rule.
func TestLosses(t *testing.T) {
	const n, d, k, lambda = 300, 4, 3, 0.07
	data := fits.Waves(3, n, d)
	x := rowsOf(data.X)
	rng := rand.New(rand.NewPCG(5, 5))
	normals := func(count int) []float64 {
		v := make([]float64, count)
		for i := range v {
			v[i] = 0.5 * rng.NormFloat64()
		}
		return v
	}
	r, omega, at := normals(n), normals(k*d), normals(d)

	w := newWave(x.pack(), r, lambda)
	w.b = 0.3
	direct := func(omega []float64, b float64) float64 {
		sum := 0.0
		for i := range n {
			sum += math.Exp(-r[i] * math.Cos(floats.Dot(omega, x.row(i))-b))
		}
		return sum / n
	}
	checkLoss(t, "GBRFF2, frequency", w.loss, at, lambda*floats.Dot(at, at)+direct(at, w.b))
	w.findPhase(at)
	if got, want := w.phase(0.1), direct(at, 0.2*math.Pi); math.Abs(got-want) > 1e-13*want {
		t.Errorf("loss of phase 0.1 turns is %v, want %v", got, want)
	}

	b := newLearner(x.pack(), k)
	b.setFrequencies(omega)
	b.r = r
	frequency := func(j int) []float64 { return omega[j*d : (j+1)*d] }
	sum := 0.0
	feature := func(j, i int) float64 {
		return math.Cos(floats.Dot(frequency(j), at) - floats.Dot(frequency(j), x.row(i)))
	}
	for i := range n {
		h := 0.0
		for j := range k {
			h += feature(j, i) / k
		}
		sum += math.Exp(-r[i] * h)
	}
	checkLoss(t, "GBRFF1, landmark", b.loss, at, sum/n)

	b.turnTo(at)
	q, want := make([]float64, k), make([]float64, k)
	b.weigh(q, 2*math.Sqrt(n))
	for j := range k {
		loss := 0.0
		for i := range n {
			loss += math.Exp(-r[i]*feature(j, i)) / n
		}
		want[j] = math.Exp(-2 * math.Sqrt(n) * loss)
	}
	floats.Scale(1/floats.Sum(want), want)
	must.Be(t, floats.EqualApprox(q, want, 1e-12), true, "feature weights", q, want)
	h := b.values(q)
	for i := range n {
		want := 0.0
		for j := range k {
			want += q[j] * feature(j, i)
		}
		must.Near(t, h[i], want, 1e-13, "weak learner at row", i)
	}
}

func checkLoss(t *testing.T, name string, loss func(x, g []float64) float64, at []float64, want float64) {
	t.Helper()
	must.Near(t, loss(at, make([]float64, len(at))), want, 1e-13*want, name)
	fits.Gradient(t, name, loss, at, 1e-8)
}

// TestBoostingLowersTheLoss: alpha minimises an upper bound of the loss that is
// tight at alpha = 0, so no round can raise the training loss.
func TestBoostingLowersTheLoss(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		data := fits.Waves(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(2, 60).Draw(rt, "n"),
			rapid.IntRange(1, 6).Draw(rt, "d"))
		env := registry.Env{Seed: rapid.Uint32().Draw(rt, "draws")}
		gamma := rapid.SampledFrom([]float64{0, 1e-6, 0.3, 100}).Draw(rt, "gamma")
		models := make([]registry.Model, 2)
		var err1, err2 error
		models[0], err1 = registry.PathFunc[Params1](fit1).One(context.Background(), env, data,
			Params1{T: 12, K: 3, Gamma: gamma, Beta: 10})
		models[1], err2 = fit2(context.Background(), env, data, Params2{T: 12, Gamma: gamma, Lambda: 0.01})
		must.Do(rt, errors.Join(err1, err2))
		for _, m := range models {
			before := math.Inf(1)
			stages(t, m.(*ensemble), data, func(round int, scores []float64) {
				loss := 0.0
				for i, y := range data.Y {
					loss += math.Exp(-y * scores[i])
				}
				if !(loss <= before*(1+1e-9)) {
					rt.Fatalf("the loss rises from %v to %v in round %d", before, loss, round)
				}
				before = loss
			})
		}
	})
}

// TestStepSize: the minimiser of the bound sum w ((1-yh)/2 e^a + (1+yh)/2 e^-a),
// and finite where that is not.
func TestStepSize(t *testing.T) {
	v := newState([]float64{1, -1, 1})
	copy(v.weight, []float64{1, 2, 3})
	v.total = 6
	h := []float64{0.5, 0.25, 0.1}
	must.Near(t, v.stepSize(h), 0.5*math.Log((1.5+2*0.75+3*1.1)/(0.5+2*1.25+3*0.9)), 1e-15, "step size")
	if a := v.stepSize(v.y); !(a > 18 && a < 19) {
		t.Errorf("a weak learner without error has step size %v", a)
	}
	if a := v.stepSize([]float64{-1, 1, -1}); !(a < -18 && a > -19) {
		t.Errorf("a weak learner that is always wrong has step size %v", a)
	}
	v.total = 0
	must.Be(t, v.stepSize(h), 0)
}

// TestSeparable boosts two points far beyond the underflow of their weights.
func TestSeparable(t *testing.T) {
	data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(2, 1, []float64{-1, 1}),
		Y: []float64{-1, 1}}
	m1, err1 := registry.PathFunc[Params1](fit1).One(context.Background(), registry.Env{Seed: 1}, data,
		Params1{T: 400, K: 2, Beta: 100})
	m2, err2 := fit2(context.Background(), registry.Env{Seed: 1}, data, Params2{T: 400})
	must.Do(t, errors.Join(err1, err2))
	for _, m := range []registry.Model{m1, m2} {
		scores := make([]float64, 2)
		must.Do(t, m.Score(context.Background(), data.X, scores))
		if !(scores[0] < 0 && scores[1] > 0) || math.IsInf(scores[0], 0) || math.IsInf(scores[1], 0) {
			t.Errorf("scores %v", scores)
		}
	}
}

// TestLargeResiduals: a row of overwhelming weight keeps losses and gradients finite.
func TestLargeResiduals(t *testing.T) {
	v := newState([]float64{1, -1, -1, 1})
	v.reweigh([]float64{0, 0, 1, 0}, 700) // w = e^700
	x := rowsOf(mat.NewDense(4, 1, []float64{1e3, -2, 3, 0.5}))
	w := newWave(x.pack(), v.residual, 0)
	omega := []float64{0.1}
	w.findPhase(omega)
	w.learnFrequency(omega)
	alpha, err := v.add(w.values(omega))
	if err != nil || !(math.Abs(alpha) > 0 && math.Abs(alpha) < 20) || math.IsNaN(omega[0]) {
		t.Errorf("alpha %v, omega %v, %v", alpha, omega, err)
	}
}

// TestLoadRefusals: fields that do not fit each other are no model.
func TestLoadRefusals(t *testing.T) {
	for _, bad := range []*ensemble{
		{D: 1, T: 4, K: 1<<62 + 1, Alpha: make([]float64, 4), Weight: make([]float64, 4), Phase: make([]float64, 4),
			Omega: make([]float64, 4)},
		{D: 1 << 62, T: 1, K: 4, Alpha: make([]float64, 1), Weight: make([]float64, 4), Phase: make([]float64, 4)},
		{D: 2, T: 1, K: 1, Alpha: make([]float64, 1), Weight: make([]float64, 1), Omega: make([]float64, 2)},
		{},
	} {
		var buf bytes.Buffer
		must.Do(t, bad.Save(&buf))
		if _, err := load(bytes.NewReader(buf.Bytes())); err == nil {
			t.Errorf("a model with t=%d k=%d d=%d is accepted", bad.T, bad.K, bad.D)
		}
	}
}

// TestRowsInPlace: what is used in place gives the bits of what is packed.
func TestRowsInPlace(t *testing.T) {
	data := fits.Waves(4, 333, 7)
	x := rowsOf(data.X)
	models := make([]*ensemble, 2)
	for i, form := range []examples{x, x.pack()} {
		m, err := boost2(context.Background(), registry.Env{Seed: 1}, form, x.d, data.Y, Params2{T: 20, Lambda: 0.01})
		must.Do(t, err)
		models[i] = m.(*ensemble)
	}
	if a, b := models[0], models[1]; !slices.Equal(a.Alpha, b.Alpha) || !slices.Equal(a.Phase, b.Phase) ||
		!slices.Equal(a.Omega, b.Omega) {
		t.Error("rows in place and packed rows give different models")
	}
}

// TestMemoryInPlace: on rows beyond the limit of packing GBRFF2 allocates less than half of the data, so that a fit
// stays under 1.5 times the data.
func TestMemoryInPlace(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector empties pools at random; the plain run measures")
	}
	const n, d = 220000, 20
	data := fits.Waves(9, n, d)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must.Get(GBRFF2().Fit(t.Context(), registry.Env{Seed: 1}, data, json.RawMessage(`{"rounds": 2}`)))(t)
	runtime.ReadMemStats(&after)
	if share := float64(after.TotalAlloc-before.TotalAlloc) / (8 * n * d); share > 0.5 {
		t.Errorf("a fit allocates %.2f of the data", share)
	}
}

func (x rows) row(i int) []float64 { return x.slice(i, i+1) }
