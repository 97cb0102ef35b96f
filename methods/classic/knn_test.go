package classic

import (
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestKNNScoresBlocksOfAnySize: the number of rows that are scored at a time changes no bit of a score, and inner
// products with many training rows stay few.
func TestKNNScoresBlocksOfAnySize(t *testing.T) {
	const n, d, scored = 700, 20, 300
	r := rand.New(rand.NewPCG(1, 2))
	normals := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64()
		}
		return out
	}
	train := registry.Data{X: mat.NewDense(n, d, normals(n*d)), Y: normals(n), Task: registry.Regression}
	fitted := must.Get(fitKNN(t.Context(), registry.Env{}, train, KNNParams{Neighbours: 7}))(t)
	x, want := mat.NewDense(scored, d, normals(scored*d)), make([]float64, scored)
	must.Do(t, fitted.Score(t.Context(), x, want))
	for _, block := range []int{1, 7, fewestRows, 59, scored} {
		out := make([]float64, scored)
		must.Do(t, fitted.(*neighbours).score(t.Context(), x, out, block))
		must.Be(t, out, want, block, rowsAtOnce(n))
	}
	for n, want := range map[int]int{1: blockRows, 4096: blockRows, 70000: 14, 1 << 30: fewestRows} {
		must.Be(t, rowsAtOnce(n), want, n)
	}
}
