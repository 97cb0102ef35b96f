package fitting

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Far is the number of standard deviations between zero and the mean of a column from which on the column is far from
// zero. Squared distances, computed from inner products, then lose eight of sixteen digits.
const Far = 1e4

// farMeans returns the means of the columns that are more than ratio standard deviations from zero, and 0 for other
// columns. It returns nil if there is no such column. A constant column gets the least deviation of another one.
// Missing values do not count.
func farMeans(x []float64, d int, ratio float64) []float64 {
	counts, first, means, deviations := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	each := func(do func(j int, v float64)) {
		for i, v := range x {
			if v == v {
				do(i%d, v)
			}
		}
	}
	each(func(j int, v float64) {
		if counts[j]++; counts[j] == 1 {
			first[j] = v
		}
		means[j] += v - first[j]
	})
	for j := range means {
		means[j] = first[j] + means[j]/max(1, counts[j])
	}
	each(func(j int, v float64) { deviations[j] += float64((v - means[j]) * (v - means[j])) })
	least := math.Inf(1)
	for j, square := range deviations {
		if deviations[j] = math.Sqrt(square / max(1, counts[j])); square > 0 {
			least = min(least, deviations[j])
		}
	}
	far := false
	for j, mean := range means {
		if deviations[j] == 0 {
			deviations[j] = least
		}
		if math.Abs(mean) > float64(ratio*deviations[j]) {
			far = true
		} else {
			means[j] = 0
		}
	}
	if !far {
		return nil
	}
	return means
}

// Nearer returns the rows x with columns far from zero less their means, and these means: x itself and nil if there
// is no such column.
func Nearer(x []float64, d int) (near, origin []float64) {
	if origin = farMeans(x, d, Far); origin != nil {
		x = less(x, origin)
	}
	return x, origin
}

// less returns the rows x less the origin.
func less(x, origin []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v - origin[i%len(origin)]
	}
	return out
}

// A yielder takes the models of a path.
type yielder = func(i int, m registry.Model) error

// NearPath is for methods whose predictions do not change with the origin of a column. It fits columns that are far
// from zero less their means. Models of other data are those of path, bit for bit. [NearLoad] reads the models back.
func NearPath[P any](path registry.PathFunc[P]) registry.PathFunc[P] {
	return func(ctx context.Context, env registry.Env, train registry.Data, ps []P, yield yielder) error {
		x, origin := Nearer(Rows(train.X), train.Shape().D)
		if origin == nil {
			return path(ctx, env, train, ps, yield)
		}
		train.X = mat.NewDense(len(train.Y), len(origin), x)
		return path(ctx, env, train, ps, func(i int, m registry.Model) error {
			return yield(i, moved{origin, m}.whole())
		})
	}
}

// NearFit is [NearPath] for a single fit.
func NearFit[P any](fit registry.FitFunc[P]) registry.FitFunc[P] {
	return NearPath(func(ctx context.Context, env registry.Env, train registry.Data, ps []P, yield yielder) error {
		m, err := fit(ctx, env, train, ps[0])
		if err != nil {
			return err
		}
		return yield(0, m)
	}).One
}

// WarnPath is path with a logged warning if a column is more than ratio standard deviations from zero, for a method
// of the given name whose predictions depend on the origin.
func WarnPath[P any](name string, ratio float64, path registry.PathFunc[P]) registry.PathFunc[P] {
	return func(ctx context.Context, env registry.Env, train registry.Data, ps []P, yield yielder) error {
		for j, mean := range farMeans(Rows(train.X), train.Shape().D, ratio) {
			if mean != 0 {
				env.Log.Warn(name+" loses digits of a column that is far from zero: standardise the columns",
					"column", j, "mean", mean)
				break
			}
		}
		return path(ctx, env, train, ps, yield)
	}
}

// moved is a model of rows less an origin.
type moved struct {
	origin []float64
	model  registry.Model
}

// whole returns m with the stages of its model, if this has some.
func (m moved) whole() registry.Model {
	if stager, ok := m.model.(registry.Stager); ok {
		return movedStages{m, stager}
	}
	return m
}

// rows returns x less the origin.
func (m moved) rows(x *mat.Dense) (*mat.Dense, error) {
	n, d := x.Dims()
	if d != len(m.origin) {
		return nil, fmt.Errorf("rows of %d features: the model was trained on %d", d, len(m.origin))
	}
	return mat.NewDense(n, d, less(Rows(x), m.origin)), nil
}

// Score implements registry.Model.
func (m moved) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	near, err := m.rows(x)
	if err != nil {
		return err
	}
	return m.model.Score(ctx, near, out)
}

// movedStages is a moved of a model with stages.
type movedStages struct {
	moved
	stager registry.Stager
}

// Rounds implements registry.Stager.
func (m movedStages) Rounds() int { return m.stager.Rounds() }

// ScoreStages implements registry.Stager.
func (m movedStages) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	near, err := m.rows(x)
	if err != nil {
		return err
	}
	return m.stager.ScoreStages(ctx, near, at, yield)
}

const movedKind = "columns far from zero"

// movedFile is the saved form of a moved.
type movedFile struct {
	Origin []float64
	Model  string // as the model itself is saved
}

// Save implements registry.Saver.
func (m moved) Save(w io.Writer) error {
	var file bytes.Buffer
	if err := m.model.(registry.Saver).Save(&file); err != nil {
		return err
	}
	return Save(w, movedKind, &movedFile{m.origin, file.String()})
}

// NearLoad reads models of [NearPath], which are those of load or have an origin.
func NearLoad(load func(io.Reader) (registry.Model, error)) func(io.Reader) (registry.Model, error) {
	return func(r io.Reader) (registry.Model, error) {
		b := bufio.NewReader(r)
		if !BeginsSaved(b, movedKind) {
			return load(b)
		}
		m := moved{}
		_, err := Load(b, movedKind, func(f *movedFile) (err error) {
			if len(f.Origin) == 0 {
				return errors.New("there is no origin")
			}
			m.origin = f.Origin
			m.model, err = load(bytes.NewReader([]byte(f.Model)))
			return err
		})
		if err != nil {
			return nil, err
		}
		return m.whole(), nil
	}
}
