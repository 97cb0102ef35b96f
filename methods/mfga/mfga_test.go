package mfga

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// TestDerivatives compares the derivatives in all candidates, for which no column is made, with sums over the columns.
func TestDerivatives(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(1, 600).Draw(rt, "n"), rapid.IntRange(1, 9).Draw(rt, "d")
		k := kernelOf{
			Pool:  rapid.SampledFrom([]string{mergedLinear, merged, crossLinear}).Draw(rt, "pool"),
			Order: rapid.IntRange(1, 2).Draw(rt, "order"), Width: rapid.Float64Range(0.5, 5).Draw(rt, "width"),
		}
		data := fits.Waves(rapid.Uint64().Draw(rt, "seed"), max(n, 2), d)
		all := must.Get(newTaylor(t.Context(), k, data.X.RawMatrix().Data, d))(rt)
		m0 := all.count(d)
		v := make([]float64, all.n)
		random := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range v {
			v[i] = random.NormFloat64()
		}
		v[0] = 0
		phi, got := make([]float64, all.n*m0), make([]float64, m0)
		all.columns(fitting.Upto(m0))(phi, m0, 0, all.n)
		must.Do(rt, all.derivatives(t.Context(), got, v))
		for j := range m0 {
			want := 0.0
			for i := range v {
				want += phi[i*m0+j] * v[i]
			}
			must.Near(rt, got[j], want, 1e-11*float64(all.n), k, j)
		}
	})
}

// TestLargest: descending, without the taken ones, and the lowest of equals up to rounding first.
func TestLargest(t *testing.T) {
	values := []float64{1, -3, 3 - 1e-12, 0, 2, -2, 3 + 1e-12, 0}
	for m, want := range map[int][]int{1: {1}, 3: {1, 2, 6}, 5: {1, 2, 6, 4, 5}, 8: {1, 2, 6, 4, 5, 0, 3, 7}} {
		must.Be(t, largest(values, nil, m), want, m)
	}
	must.Be(t, largest(values, []int{2, 4}, 3), []int{1, 6, 5})
}

// TestAlign: the weights satisfy the constraints of their problem, and no feasible mixture with others is better.
func TestAlign(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		scores := rapid.SliceOfN(rapid.Float64Range(0, 10), 1, 30).Draw(rt, "scores")
		rho := rapid.Float64Range(0, 1.2).Draw(rt, "rho")
		q, m0 := align(scores, rho), float64(len(scores))
		apart := func(q []float64) (sum, off float64) {
			for _, v := range q {
				sum += v
				off += (v - 1/m0) * (v - 1/m0)
			}
			return sum, off
		}
		sum, off := apart(q)
		if floats.Min(q) < 0 || math.Abs(sum-1) > 1e-9 || off > rho+1e-9 {
			rt.Fatalf("weights %v sum to %v, %v from uniform, allowed %v", q, sum, off, rho)
		}
		random, best := rand.New(rand.NewPCG(1, 2)), floats.Dot(q, scores)
		for range 20 {
			other := make([]float64, len(q))
			for m := range other {
				other[m] = random.ExpFloat64()
			}
			floats.Scale(1/floats.Sum(other), other)
			if _, off := apart(other); off <= rho && floats.Dot(other, scores) > best+1e-9 {
				rt.Fatalf("weights %v are better than %v", other, q)
			}
		}
	})
	must.Be(t, align([]float64{2, 1, 2}, 1), []float64{0.5, 0, 0.5})
	must.Be(t, sample([]float64{0.5, 0, 0.5, 0}, []float64{0, 0.4, 0.6, 1}), []int{0, 0, 2, 2})
}

// TestStages: the stages of random columns are the fits of fewer, and before the first one there is the constant.
func TestStages(t *testing.T) {
	data := fits.Waves(5, 200, 4)
	for _, spec := range []registry.Spec{RKS(), EERF()} {
		m := must.Get(spec.Fit(t.Context(), registry.Env{Seed: 1}, data, []byte(`{"features":20,"step":5}`)))(t)
		stages, ok := m.(registry.Stager)
		if !ok || stages.Rounds() != 20 {
			t.Fatalf("%s with a step has no stages", spec.Name)
		}
		err := stages.ScoreStages(t.Context(), data.X, []int{0, 4, 10, 13, 20},
			func(count int, scores []float64) error {
				if count < 5 {
					mean := floats.Sum(data.Y) / float64(len(data.Y))
					near(t, "the constant", scores[7], math.Log((1+mean)/(1-mean)), 1e-12)
					return nil
				}
				fewer, err := spec.Fit(t.Context(), registry.Env{Seed: 1}, data,
					fmt.Appendf(nil, `{"features":%d}`, count/5*5))
				if err != nil {
					return err
				}
				want := make([]float64, len(scores))
				if err := fewer.Score(t.Context(), data.X, want); err != nil {
					return err
				}
				// Newton's method began elsewhere
				if apart := floats.Distance(scores, want, math.Inf(1)); apart > 1e-7 {
					t.Errorf("%s: stage %d is %g from the fit of as many columns", spec.Name, count, apart)
				}
				return nil
			})
		must.Do(t, err)
		if plain, err := spec.Fit(t.Context(), registry.Env{Seed: 1}, data, nil); err != nil {
			t.Fatal(err)
		} else if _, ok := plain.(registry.Stager); ok {
			t.Errorf("%s without a step has stages", spec.Name)
		}
	}
}

// TestFarFits: separable classes with hardly any penalty, and penalties that leave nothing, converge too: the gradient
// of the objective vanishes.
func TestFarFits(t *testing.T) {
	data := fits.Waves(6, 400, 5)
	for i := range data.Y {
		data.Y[i] = math.Copysign(1, data.X.At(i, 0))
	}
	for _, lambda := range []float64{1e-10, 1e-5, 1, 1e5} {
		for _, intercept := range []bool{true, false} {
			p := Params{Features: 11, Lambda: lambda, Pool: mergedLinear,
				Function: Function{Intercept: intercept, Sigma: 2}}
			tl := must.Get(newTaylor(t.Context(), p.kernel(data.Task), data.X.RawMatrix().Data, 5))(t)
			g := &greedy{taylor: tl, active: newActive(data.Task, tl, data.Y, 5, 11, intercept), features: 11,
				step: 4}
			if _, err := g.fit(t.Context(), lambda); err != nil {
				t.Errorf("lambda %v: %v", lambda, err)
				continue
			}
			theta, residual := g.active.solver.theta(), g.active.solver.slope()
			for j := range theta {
				sum := 0.0
				for i, r := range residual {
					sum += r * g.active.rows[i*g.active.ld+j]
				}
				if j >= g.active.lead {
					sum += 2 * lambda * float64(len(residual)) * theta[j]
				}
				if math.Abs(sum) > 1e-8*float64(len(residual)) {
					t.Errorf("lambda %v, intercept %v: derivative %d is %g", lambda, intercept, j, sum)
				}
			}
		}
	}
}

// TestLoadRefusals: fields that do not fit each other are no model.
func TestLoadRefusals(t *testing.T) {
	cosine := func(change func(o *output)) *model {
		o := output{Counts: []int{1, 2}, Bias: []float64{0, 0}, Theta: []float64{1, 1, 1},
			Frequencies: make([]float64, 6)}
		change(&o)
		return &model{D: 2, Outputs: []output{o}}
	}
	monomials := func(list ...monomial) *model {
		return &model{D: 2, Outputs: []output{{Counts: []int{1}, Bias: []float64{0}, Theta: []float64{1},
			Taylor: expansion{Width: 1, Monomials: list}}}}
	}
	read := func(m *model) error {
		var buf bytes.Buffer
		must.Do(t, m.Save(&buf))
		_, err := load(bytes.NewReader(buf.Bytes()))
		return err
	}
	for i, good := range []*model{cosine(func(*output) {}), monomials(monomial{J: 1, K: -1}),
		monomials(monomial{J: -1, K: -1})} {
		if err := read(good); err != nil {
			t.Errorf("good model %d: %v", i, err)
		}
	}
	for i, bad := range []*model{
		{}, {D: 1}, {D: math.MaxInt, Outputs: []output{{}}}, {D: 2, Outputs: []output{{}}},
		cosine(func(o *output) { o.Counts = []int{2, 1} }), cosine(func(o *output) { o.Counts = []int{0, 3} }),
		cosine(func(o *output) { o.Counts[1] = math.MaxInt }), cosine(func(o *output) { o.Bias = o.Bias[1:] }),
		cosine(func(o *output) { o.Theta = o.Theta[1:] }),
		cosine(func(o *output) { o.Frequencies = o.Frequencies[1:] }),
		cosine(func(o *output) { o.Taylor.Monomials = make([]monomial, 2) }),
		monomials(), monomials(monomial{J: 2, K: -1}), monomials(monomial{J: 0, K: 2}),
		monomials(monomial{J: -1, K: 0}),
		monomials(monomial{J: -1, K: -1, Linear: true}), monomials(monomial{J: -2, K: -1}),
	} {
		if read(bad) == nil {
			t.Errorf("bad model %d is read", i)
		}
	}
}
