package solve_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/methods/internal/solve"

	"github.com/kernelboosting/bench/internal/test/must"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// iterates is testdata/lbfgs.json: what SciPy's L-BFGS-B does on the same
// functions; the file names the version and the settings.
type iterates struct {
	Source string
	Cases  []struct {
		Function    string
		Start       []float64
		Iterates    [][]float64 // after iteration 1, 2, .. at most 10
		Evaluations int         // of those iterations
		Full        struct {    // a run to convergence
			X           []float64
			F           float64
			Iterations  int
			Evaluations int
			Message     string
		}
	}
}

func readReference(t *testing.T) iterates {
	raw := must.Get(os.ReadFile("testdata/lbfgs.json"))(t)
	var ref iterates
	must.Do(t, json.Unmarshal(raw, &ref))
	return ref
}

// TestIteratesMatchSciPy compares every one of the first ten iterates and the
// number of evaluations. Tolerance: 1e-7 of the distance from the start; the two
// programs multiply the same matrices in a different order, and Rosenbrock's
// valley magnifies the rounding.
func TestIteratesMatchSciPy(t *testing.T) {
	ref := readReference(t)
	for i, c := range ref.Cases {
		t.Run(fmt.Sprintf("%d-%s-%d", i, c.Function, len(c.Start)), func(t *testing.T) {
			for k, want := range c.Iterates {
				m := solve.LBFGS{MaxIter: k + 1}
				x := slices.Clone(c.Start)
				r := m.Minimize(x, objectives[c.Function])
				if r.Iterations != k+1 {
					t.Fatalf("%d iterations done, want %d (%v)", r.Iterations, k+1, r.Status)
				}
				if d := floats.Distance(x, want, 2); d > 1e-7*floats.Distance(want, c.Start, 2) {
					t.Fatalf("iterate %d is %v, SciPy's %v, distance %g", k+1, x, want, d)
				}
				if k+1 == len(c.Iterates) && r.Evaluations != c.Evaluations {
					t.Errorf("%d evaluations in %d iterations, SciPy made %d", r.Evaluations, k+1, c.Evaluations)
				}
			}
		})
	}
}

// TestStopsLikeSciPy runs to convergence: the same reason to stop and the same
// minimum. Where the run is short enough for rounding not to matter the counts
// are equal too. The one run of more than 100 iterations (Beale from (1, 4)) creeps
// along a ray without a minimum and is left out.
func TestStopsLikeSciPy(t *testing.T) {
	reasons := map[string]solve.Status{
		"CONVERGENCE: NORM OF PROJECTED GRADIENT <= PGTOL":     solve.GradientSmall,
		"CONVERGENCE: RELATIVE REDUCTION OF F <= FACTR*EPSMCH": solve.ReductionSmall,
	}
	for i, c := range readReference(t).Cases {
		if c.Full.Iterations > 100 {
			continue
		}
		t.Run(fmt.Sprintf("%d-%s-%d", i, c.Function, len(c.Start)), func(t *testing.T) {
			var m solve.LBFGS
			x := slices.Clone(c.Start)
			r := m.Minimize(x, objectives[c.Function])
			must.Near(t, r.F, c.Full.F, 1e-7*max(1, math.Abs(c.Full.F)), "minimum")
			if c.Full.Iterations > 40 {
				return
			}
			must.Be(t, r.Status, reasons[c.Full.Message], c.Full.Message)
			must.Be(t, r.Iterations, c.Full.Iterations)
			must.Be(t, r.Evaluations, c.Full.Evaluations)
		})
	}
}

// TestNonFiniteTrials starts beside the pole of -log: the first trial steps leave
// the domain, where the objective is NaN.
func TestNonFiniteTrials(t *testing.T) {
	var m solve.LBFGS
	x := []float64{1e-3}
	r := m.Minimize(x, func(x, g []float64) float64 {
		g[0] = 1e6/(1-x[0]) - 1e3/x[0]
		return -1e6*math.Log(1-x[0]) - 1e3*math.Log(x[0]) // minimum at 1e-3/1.001
	})
	if math.Abs(x[0]-1e-3/1.001) > 1e-6 || r.Status == solve.SearchFailed {
		t.Errorf("x = %v, %+v", x[0], r)
	}
	x[0] = 1
	r = m.Minimize(x, func(x, g []float64) float64 {
		if x[0] < 1 {
			return math.NaN()
		}
		g[0] = 1
		return x[0]
	})
	if r.Status != solve.SearchFailed || x[0] != 1 || r.F != 1 {
		t.Errorf("a function undefined below its start: x = %v, %+v", x[0], r)
	}
}

func TestAllocatesNothing(t *testing.T) {
	m := solve.LBFGS{MaxIter: 10}
	f := objectives["rosenbrock"]
	x := make([]float64, 20)
	run := func() {
		for i := range x {
			x[i] = -1 + 0.1*float64(i)
		}
		m.Minimize(x, f)
	}
	run()
	must.Be(t, testing.AllocsPerRun(20, run), 0)
}

// TestNeverWorse: the result is finite, no worse than the start, and repeated on
// a used workspace bit for bit.
func TestNeverWorse(t *testing.T) {
	var used solve.LBFGS
	used.MaxIter = 10
	names := []string{"beale", "rosenbrock", "wood", "quadratic", "waves", "quartic", "exponentials"}
	dims := []int{2, 4, 4, 7, 7, 7, 4}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, len(names)-1).Draw(t, "function")
		f := objectives[names[k]]
		start := rapid.SliceOfN(rapid.Float64Range(-20, 20), dims[k], dims[k]).Draw(t, "start")
		x, again := slices.Clone(start), slices.Clone(start)
		r := used.Minimize(x, f)
		fresh := solve.LBFGS{MaxIter: 10}
		if r2 := fresh.Minimize(again, f); r2 != r || !slices.Equal(x, again) {
			t.Fatalf("a used workspace gave %+v at %v, a fresh one %+v at %v", r, x, r2, again)
		}
		g := make([]float64, len(x))
		if end := f(x, g); end != r.F || !(end <= f(start, g)) {
			t.Fatalf("%s from %v: f = %v reported as %v", names[k], start, end, r.F)
		}
	})
}
