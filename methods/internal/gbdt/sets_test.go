package gbdt

import (
	"testing"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// A sample is rows and targets in the form that the trainers take.
type sample struct {
	name    string
	n, d    int
	x       []float64 // row-major
	y       []float64
	task    string
	classes int
}

func (s *sample) target() registry.Data {
	task, err := registry.ParseTask(s.task)
	if err != nil {
		panic(err)
	}
	return registry.Data{Task: task, Y: s.y, Classes: s.classes}
}

func (s *sample) head(n int) *sample {
	out := *s
	out.n = min(n, s.n)
	out.x, out.y = s.x[:out.n*s.d], s.y[:out.n]
	return &out
}

// catalogued loads a set of the catalogue, standardised over all rows as a fold
// would be, its rows shuffled because some files are sorted by class.
func catalogued(t testing.TB, name string) *sample {
	t.Helper()
	set := fits.Set(t, name)
	n, d := set.X.Dims()
	order := rng.New(1).Permutation(n)
	x := mat.NewDense(n, d, nil)
	datasets.FitStandardiser(set.X, order).Apply(x, set.X, order)
	s := &sample{name: name, n: n, d: d, x: x.RawMatrix().Data, task: set.Task.String(), classes: set.Classes}
	for _, i := range order {
		s.y = append(s.y, set.Y[i])
	}
	return s
}

// small is smallSets, or a part of them where the comparison is not to be thorough.
func small(t testing.TB) []string {
	if testenv.Thorough(t) {
		return smallSets
	}
	return []string{"wine", "iono", "pima", "glass-multiclass"}
}

// drawn makes a sample of normal features with a non-linear noisy target.
func drawn(task registry.Task, n, d, classes int, seed uint32) *sample {
	r := rng.New(seed)
	s := &sample{name: "drawn", n: n, d: d, x: make([]float64, n*d), y: make([]float64, n), task: task.String(),
		classes: classes}
	r.Norms(s.x)
	for i := range n {
		row := s.x[i*d : (i+1)*d]
		v := row[0] + row[1%d]*row[2%d] + r.Norm()/2
		switch task {
		case registry.Binary:
			s.y[i] = -1
			if v > 0 {
				s.y[i] = 1
			}
		case registry.Multiclass:
			s.y[i] = float64(min(classes-1, max(0, int((v+2)/4*float64(classes)))))
		default:
			s.y[i] = v
		}
	}
	return s
}
