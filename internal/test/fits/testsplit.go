package fits

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/datasets/read"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Split is one split of the table2 protocol (30 % test rows) with its folds.
type Split struct {
	t     testing.TB
	parts split.Parts
}

// Set loads a set of the catalogue. Where the program does not bring the data, Set skips or fails as testenv.Mirror
// does without a mirror.
func Set(t testing.TB, name string) *datasets.Set {
	t.Helper()
	entry := must.Get(catalogue.Builtin().Lookup(name))(t)
	data := catalogue.Directory{Root: "/nowhere"}
	if state, _ := data.State(entry); state == catalogue.Missing {
		data.Root = testenv.Mirror(t)
	}
	return must.Get(read.Load(t.Context(), data, entry))(t)
}

// EachSet runs a subtest for each set that the cases name, in the order of the cases, and in it the test of every case.
// Where the data is missing, one subtest is skipped, however many cases the set has.
func EachSet[C any](t *testing.T, cases []C, set func(C) string, test func(t *testing.T, set *datasets.Set, c C)) {
	t.Helper()
	if len(cases) == 0 {
		t.Fatal("there are no cases")
	}
	var names []string
	for _, c := range cases {
		if !slices.Contains(names, set(c)) {
			names = append(names, set(c))
		}
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			loaded := Set(t, name)
			for _, c := range cases {
				if set(c) == name {
					test(t, loaded, c)
				}
			}
		})
	}
}

// Of returns split seed of a set.
func Of(t testing.TB, name string, seed uint32) Split {
	t.Helper()
	set := Set(t, name)
	drawn := must.Get(split.Splitter{TestFraction: 0.3, Folds: 5}.Split(set, seed))(t)
	return Split{t, split.Parts{Set: set, Split: drawn, Standardise: true}}
}

// Load returns the two parts of split seed, standardised with the statistics of
// the first.
func Load(t testing.TB, name string, seed uint32) (train, test registry.Data) {
	t.Helper()
	return Of(t, name, seed).Whole()
}

// Whole returns the training and test part, standardised by the first.
func (s Split) Whole() (train, test registry.Data) {
	s.t.Helper()
	return s.checked(s.parts.Whole())
}

// Folds calls do with the training and validation part of each fold, standardised
// by the first, until it returns false.
func (s Split) Folds(do func(train, valid registry.Data) bool) {
	s.t.Helper()
	for f := range s.parts.Split.Folds {
		if !do(s.checked(s.parts.Fold(f))) {
			return
		}
	}
}

func (s Split) checked(part split.Part, err error) (learn, score registry.Data) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	return part.Learn, part.Score
}

// Correct returns how many rows of a binary problem m labels rightly.
func Correct(t testing.TB, m registry.Model, d registry.Data) int {
	t.Helper()
	scores := make([]float64, len(d.Y))
	must.Do(t, m.Score(t.Context(), d.X, scores))
	right := 0
	for i, y := range d.Y {
		if (scores[i] >= 0) == (y > 0) {
			right++
		}
	}
	return right
}

// Waves returns n rows of d normal features whose labels depend on the first one and on
// noise; both labels occur.
func Waves(seed uint64, n, d int) registry.Data {
	data := drawn(rand.New(rand.NewPCG(seed, 1)), n, d, func(x []float64, noise float64) float64 {
		return math.Sin(2*x[0]) + 0.5*noise
	})
	data.Y[0], data.Y[1] = -1, 1
	return data
}

// Rough returns n rows of d features whose labels no smooth function gives, so that
// kernel machines take long on them.
func Rough(n, d int) registry.Data {
	return drawn(rand.New(rand.NewPCG(uint64(n), uint64(d))), n, d, func(x []float64, noise float64) float64 {
		return x[0]*x[d-1] + 0.5*x[0] + noise
	})
}

// drawn returns rows of normal features, labelled by the sign of f(row, noise).
func drawn(rng *rand.Rand, n, d int, f func(x []float64, noise float64) float64) registry.Data {
	data := registry.Data{Task: registry.Binary, Classes: 2, X: mat.NewDense(n, d, nil), Y: make([]float64, n)}
	for i := range n {
		x := data.X.RawRowView(i)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		data.Y[i] = math.Copysign(1, f(x, rng.NormFloat64()))
	}
	return data
}

// Jitter returns data with every feature multiplied by 1 plus size times a normal.
func Jitter(data registry.Data, size float64, seed uint64) registry.Data {
	rng := rand.New(rand.NewPCG(seed, 15))
	data.X = mat.DenseCopyOf(data.X)
	raw := data.X.RawMatrix().Data
	for i := range raw {
		raw[i] *= 1 + float64(size*rng.NormFloat64())
	}
	return data
}
