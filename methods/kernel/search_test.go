package kernel

import (
	"math"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/testenv"
	"github.com/kernelboosting/bench/methods/internal/frame"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// searched is what a search ends with: the exact error, and the largest violation of the regression's equations y - K alpha = n lambda alpha.
func searched(t *testing.T, exact *looProblem, search bandwidthSearch, y, start []float64) (e, off float64) {
	t.Helper()
	theta := slices.Clone(start)
	_, alpha, err := search.find(theta, y, 20)
	if err != nil {
		t.Fatal(err)
	}
	alpha = slices.Clone(alpha)
	exact.y = y
	e = exact.value(theta, make([]float64, len(theta)))
	if exact.err != nil {
		t.Fatal(exact.err)
	}
	for i := range exact.n {
		f := floats.Dot(exact.k[i*exact.n:(i+1)*exact.n], alpha)
		off = max(off, math.Abs(y[i]-f-float64(exact.n)*exact.lambda*alpha[i]))
	}
	return e, off
}

// TestSearchAgainstExact: from the same start the search beyond exactRows ends at an exact error at most 1 % above that of the search with the exact error
// alone: for kernels of high rank, which it finds by itself to need the exact way, and of low rank, where it needs no step of that. So does the search beyond
// checkedRows where the rank is low; where it is high it warns.
func TestSearchAgainstExact(t *testing.T) {
	testenv.NotUnderRace(t)
	const n = 1010
	for _, c := range []struct {
		name    string
		d       int
		lambda  float64
		exactly bool
	}{{"high rank", 10, 1e-5, true}, {"high rank, large penalty", 10, 1e-2, false}, {"low rank", 3, 1e-3, false}} {
		t.Run(c.name, func(t *testing.T) {
			data := wavy(registry.Regression, n, c.d)
			x, y := frame.Rows(data.X), slices.Clone(data.Y)
			floats.AddConst(-floats.Sum(y)/n, y)
			start := slices.Repeat([]float64{-math.Log(2 * float64(c.d))}, c.d)
			exact, err := newLOOProblem(t.Context(), x, c.d, frame.Upto(c.d), c.lambda)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := searched(t, exact, exact, y, start)
			search, err := newSearch(t.Context(), x, c.d, frame.Upto(c.d), c.lambda, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, off := searched(t, exact, search, y, start)
			if !(got <= 1.01*want) || !(off <= 1e-6*floats.Norm(y, math.Inf(1))) {
				t.Errorf("the search ends at %v, with the exact error alone at %v; an equation is off by %v", got, want, off)
			}
			if exactly := search.(*correctedSearch).exactly; (exactly > 0) != c.exactly {
				t.Errorf("%d steps on the exact error", exactly)
			}
			warned := 0
			large := &partialLOO{looProblem: newLOOVectors(t.Context(), x, c.d, frame.Upto(c.d), c.lambda)}
			large.warn = func(rank int, off float64) {
				warned++
				if rank > mostLOORank(n) || !(off > nearError) {
					t.Errorf("a warning of rank %d and error %v", rank, off)
				}
			}
			got, off = searched(t, exact, large, y, start)
			if !(off <= 1e-6*floats.Norm(y, math.Inf(1))) {
				t.Errorf("beyond checkedRows an equation is off by %v", off)
			}
			if c.d > 3 && warned != 1 || c.d == 3 && (warned > 0 || !(got <= 1.01*want)) {
				t.Errorf("beyond checkedRows the search ends at %v with %d warnings, with the exact error at %v", got, warned, want)
			}
		})
	}
}

// TestCorrection: a corrected error has the value and the gradient of E at the point of the correction, and its gradient is that of its values.
func TestCorrection(t *testing.T) {
	e, slope := 7.0, []float64{2, -1}
	square := func(theta, g []float64) float64 {
		copy(g, theta)
		return floats.Dot(theta, theta) / 2
	}
	at, g := []float64{1, 3}, make([]float64, 2)
	p := square(at, g)
	c := correction{theta: slices.Clone(at), slope: []float64{slope[0] - g[0], slope[1] - g[1]}, shift: e - p, value: square}
	if v := c.at(at, g); v != e || !slices.Equal(g, slope) {
		t.Errorf("at the point %v and %v, want %v and %v", v, g, e, slope)
	}
	const h = 0.25 // differences of a quadratic are exact
	up, down := c.at([]float64{2 + h, 1}, g), c.at([]float64{2 - h, 1}, g)
	if c.at([]float64{2, 1}, g); g[0] != (up-down)/(2*h) {
		t.Errorf("slope %v, by differences %v", g[0], (up-down)/(2*h))
	}
}
