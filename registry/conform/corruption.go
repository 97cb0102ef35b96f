package conform

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// loadBroken tests that a cut saved model, or one with a changed bit, is refused or loads as a model. A panic fails the
// test by itself.
func (s suite) loadBroken(t *testing.T) {
	d := easy(s.task, 30, 3)
	m := s.fit(t, d, s.few(t, d, 1)[0])
	var file bytes.Buffer
	must.Do(t, m.(registry.Saver).Save(&file))
	random := rand.New(rand.NewPCG(seed, seed))
	for range 100 {
		turned := bytes.Clone(file.Bytes())
		bit := random.IntN(8 * len(turned))
		turned[bit/8] ^= 1 << (bit % 8)
		for _, broken := range [][]byte{turned, file.Bytes()[:random.IntN(file.Len())]} {
			if back, err := s.spec.LoadModel(bytes.NewReader(broken)); err == nil {
				// an error is as good
				_ = back.Score(context.Background(), d.X, unwritten(len(d.Y)*d.Shape().Outputs()))
			}
		}
	}
}

// scoreRefusals tests a model on rows of other data. Too many features, too few places for scores, or features that are
// no numbers must give an error or finite scores.
func (s suite) scoreRefusals(t *testing.T) {
	ctx, d := context.Background(), easy(s.task, 40, 3)
	m, k := s.fit(t, d, s.few(t, d, 1)[0]), d.Shape().Outputs()
	for what, wrong := range map[string]struct{ rows, features, places int }{
		"rows of 4 features scored by a model of 3": {2, 4, 2 * k}, "rows of 2 features scored by a model of 3": {2, 2,
			2 * k},
		"two rows scored into one": {2, 3, k}, "two rows scored into three": {2, 3, 3 * k},
	} {
		if err := m.Score(ctx, mat.NewDense(wrong.rows, wrong.features, nil),
			make([]float64, wrong.places)); err == nil {
			t.Errorf("%s", what)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		x, out := mat.DenseCopyOf(d.X), unwritten(40*k)
		x.Set(7, 1, v)
		if err := m.Score(ctx, x, out); err != nil {
			continue
		}
		for i, score := range out {
			if math.IsNaN(score) || math.IsInf(score, 0) {
				t.Errorf("a row with %v in it gives the score %v at %d, without an error", v, score, i)
				break
			}
		}
	}
	stager, ok := m.(registry.Stager)
	if !ok {
		return
	}
	for _, at := range [][]int{{2, 1}, {-1}, {stager.Rounds() + 1}} {
		if err := stager.ScoreStages(ctx, d.X, at, func(int, []float64) error { return nil }); err == nil {
			t.Errorf("the stages %v of %d rounds are accepted", at, stager.Rounds())
		}
	}
}
