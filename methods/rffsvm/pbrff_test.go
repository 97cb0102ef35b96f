package rffsvm

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestRepresentation compares losses, weights and features with their definitions.
func TestRepresentation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d := rapid.IntRange(2, 40).Draw(rt, "n"), rapid.IntRange(1, 5).Draw(rt, "d")
		data := fits.Waves(rapid.Uint64().Draw(rt, "seed"), n, d)
		beta := rapid.Float64Range(0, 10).Draw(rt, "beta")
		w := drawLandmarks(registry.Env{Seed: rapid.Uint32().Draw(rt, "draws")}.Rand(), data, 3, 4)
		rs := must.Get(w.scale(0.3, true).represent(context.Background(), []float64{0, beta}))(rt)
		r := rs[1]
		rows := r.phi
		for l, landmark := range r.landmark {
			logs := make([]float64, r.k)
			for j := range logs {
				sum := 0.0
				for i := range n {
					if i == landmark {
						continue
					}
					angle := 0.0
					for f := range d {
						angle += r.frequencies(l)[j*d+f] * (data.X.At(i, f) - data.X.At(landmark, f))
					}
					sum += data.Y[i] * data.Y[landmark] * math.Cos(angle)
				}
				logs[j] = -beta * math.Sqrt(float64(n)) * (1 - sum/float64(n-1)) / 2
			}
			total := floats.LogSumExp(logs)
			for j, v := range logs {
				if got, want := r.q[l*r.k+j], math.Exp(v-total); math.Abs(got-want) > 1e-10 {
					rt.Fatalf("weight %d of landmark %d is %v, want %v", j, l, got, want)
				}
				must.Be(rt, rs[0].q[l*r.k+j], 0.25, "beta 0 gives the weight")
			}
			for i := range n {
				must.Near(rt, rows[i*r.l+l], r.feature(l, data.X.RawRowView(i)), 1e-12, "feature", l, i)
			}
		}
	})
}

// TestRecentRows: models of one kernel, which share the cosines of what they scored last, score
// as a model fitted alone: the same rows again, other rows in the same memory, fewer rows,
// more rows than are kept, and all of it at the same time.
func TestRecentRows(t *testing.T) {
	train := fits.Waves(1, 60, 2)
	var models []registry.Model
	settings := []json.RawMessage{[]byte(`{"landmarks":50,"features":20,"c":1}`),
		[]byte(`{"landmarks":50,"features":20,"c":10}`)}
	must.Do(t, PBRFF().FitAll(t.Context(), registry.Env{Seed: 3}, train, settings, func(_ int, m registry.Model) error {
		models = append(models, m)
		return nil
	}))
	alone := must.Get(PBRFF().Fit(t.Context(), registry.Env{Seed: 3}, train, settings[1]))(t)
	const most = 2*recentBytes/8/1000 + 5
	rows, other := fits.Waves(2, most, 2).X, fits.Waves(3, 300, 2).X
	scores := func(m registry.Model, x *mat.Dense) []float64 {
		out := make([]float64, x.RawMatrix().Rows)
		must.Do(t, m.Score(t.Context(), x, out))
		return out
	}
	same := func(what string, x *mat.Dense) {
		scores(models[0], x)
		must.Be(t, scores(models[1], x), scores(alone, x), what)
	}
	same("first rows", rows)
	copy(rows.RawMatrix().Data, other.RawMatrix().Data)
	same("other rows in the same memory", rows)
	same("fewer rows", rows.Slice(0, 130, 0, 2).(*mat.Dense))
	var wait sync.WaitGroup
	for k := range 4 {
		wait.Go(func() { same("at the same time", []*mat.Dense{rows, other}[k%2]) })
	}
	wait.Wait()
}
