package trees

import (
	"context"
	"io"
	"strings"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/gbdt"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Boosted is a sum of trees grown by LGBM or XGB. The score of a binary problem is the log odds of +1. The score of a
// class is its raw score before softmax.
type Boosted struct {
	name   string
	single bool // scores are summed in single precision
	m      *gbdt.Model
}

// Rounds returns the number of rounds, which may be less than the parameter rounds for LGBM.
func (b *Boosted) Rounds() int { return b.m.Rounds() }

// Score implements registry.Model.
func (b *Boosted) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	return b.sum(ctx, x).Score(x, out)
}

// ScoreStages implements registry.Stager for rounds in 0..Rounds.
func (b *Boosted) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	return b.sum(ctx, x).ScoreStages(x, at, yield)
}

func (b *Boosted) sum(ctx context.Context, x *mat.Dense) fitting.Sum {
	n, _ := x.Dims()
	k, add := b.m.Outputs, b.m.Add
	if b.single {
		add = b.m.AddSingle
	}
	return fitting.Sum{Features: b.m.Features, Outputs: k, Rounds: b.Rounds(),
		Add: func(scores []float64, from, to int) error {
			return fitting.Blocks(ctx, n, 1024, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					add(x.RawRowView(i), scores[i*k:(i+1)*k], from, to)
				}
			})
		}}
}

// Save implements registry.Saver. It saves one string, a LightGBM text model of version 3.
func (b *Boosted) Save(w io.Writer) error {
	var text strings.Builder
	if err := b.m.WriteText(&text, nil); err != nil {
		return err
	}
	whole := text.String()
	return fitting.Save(w, b.name, &whole)
}

// WriteLightGBM implements registry.LightGBMWriter. The form holds the trees of XGB too: each threshold is the largest
// double that single precision rounds to less than XGBoost's threshold. A program that reads the file adds in double
// precision, so its scores differ from those of XGB by the rounding of sums in single precision.
func (b *Boosted) WriteLightGBM(w io.Writer, names []string) error { return b.m.WriteText(w, names) }

// MapThresholds implements registry.LightGBMWriter.
func (b *Boosted) MapThresholds(at func(feature int, v float64) float64) registry.LightGBMWriter {
	of := *b
	of.m = b.m.MapThresholds(at)
	return &of
}

func (b *Boosted) load(r io.Reader) (registry.Model, error) {
	back := *b
	_, err := fitting.Load(r, b.name, func(text *string) (err error) {
		back.m, err = gbdt.ReadText(strings.NewReader(*text))
		return err
	})
	return &back, err
}
