package rfrboost

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TestEqualsThePublishedProgram gives the algorithm the pairs of rows that the published program drew, and compares its
// scores with testdata/published.json, which testdata/published.py wrote. The tolerance of 1e-6 of the largest score is
// what is left of the stopping rules of its logistic model and of its line search; the cases of the square loss have
// neither, and agree to 1e-9.
func TestEqualsThePublishedProgram(t *testing.T) {
	type published struct {
		fits.Problem
		Kind     string
		Features int
		Pairs    [][][2]int
	}
	fits.Each(t, "testdata/published.json", 14, func(t *testing.T, c *published) {
		data, tol := c.Data, 1e-6
		if c.Set == "" {
			c.N = len(c.Y)
			data = registry.Data{Task: registry.Regression, X: mat.NewDense(c.N, c.D, c.X), Y: c.Y}
		}
		switch c.Kind {
		case "binary":
			data.Task, data.Classes = registry.Binary, 2
			if c.Set == "" {
				for j, y := range c.Y {
					c.Y[j] = 2*y - 1
				}
			}
		case "multiclass":
			data.Task, data.Classes, c.Outputs = registry.Multiclass, 3, 3
		default:
			tol = 1e-9
		}
		layers := 0
		recorded := func(_, m int) func([]float64, int, []float64, int) []pair {
			out := make([]pair, m)
			for j, p := range c.Pairs[layers] {
				out[j] = pair{p[0], p[1]}
			}
			layers++
			return func([]float64, int, []float64, int) []pair { return out }
		}
		p := Params{Rounds: 3, Features: c.Features, Lambda: 1e-2, Rho: 1e-3, LearningRate: 0.7, Scale: 0.8}
		b := newBooster(data, p, c.Kind == "greedy")
		must.Do(t, boost(t.Context(), []*booster{b}, recorded))
		got := make([]float64, len(c.Scores))
		must.Do(t, b.model.first(3).Score(t.Context(), mat.NewDense(len(c.Rows)/c.D, c.D, c.Rows), got))
		if c.Kind == "multiclass" { // a softmax does not change with a constant in all scores of a row
			centreRows(got, 3)
			centreRows(c.Scores, 3)
		}
		c.Equal(t, got, tol)
		must.Be(t, layers, 6)
	})
}

func centreRows(scores []float64, k int) {
	for i := 0; i < len(scores); i += k {
		row := scores[i : i+k]
		floats.AddConst(-floats.Sum(row)/float64(k), row)
	}
}

// TestPairsAreDrawnByDifferences counts 40,000 pairs of four rows on a line, of two classes. Pairs of one class are
// never drawn, and others in proportion to one over their distance; five standard errors of a share are the tolerance.
func TestPairsAreDrawnByDifferences(t *testing.T) {
	z, y := []float64{0, 1, 3, 7}, []float64{0, 0, 1, 1}
	counts, total := map[pair]float64{}, 0.0
	for seed := range uint32(200) { // each draws its own 20 pairs of rows
		for _, p := range drawPairs(rng.New(seed))(4, 200)(z, 1, y, 1) {
			if p.second < p.first {
				p = pair{p.second, p.first}
			}
			counts[p]++
			total++
		}
	}
	want, sum := map[pair]float64{{0, 2}: 1. / 3, {0, 3}: 1. / 7, {1, 2}: 1. / 2, {1, 3}: 1. / 6}, 1./3+1./7+1./2+1./6
	must.Be(t, len(counts), len(want), counts)
	for p, w := range want {
		share := w / sum
		// The pairs to choose from are drawn, too: 20 for each seed, so that 4,000 draws count.
		must.Near(t, counts[p]/total, share, 5*math.Sqrt(share*(1-share)/4000), "pair", p)
	}
}
