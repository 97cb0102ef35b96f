package mkl

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/internal/test/fits"
	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/methods/internal/svm"
)

func demand[F svm.Float](s *sample) []*svm.Kernel[F] {
	ks := make([]*svm.Kernel[F], len(bmkrKernels))
	for k := range ks {
		ks[k] = svm.NewDemanded[F](s.exact(bmkrKernels[k]), 0)
	}
	return ks
}

// TestDoubled: the products of all Gaussian kernels are those of their rows in float64, on more rows and points than a
// strip has.
func TestDoubled(t *testing.T) {
	const n = tilePoints + 200
	s := newSample(blobs(n, 7, 5).X)
	ks := demand[float32](s)
	f := newDoubled(s, ks[:len(ks)-1], bmkrKernels[0].Gamma)
	rng := rand.New(rand.NewPCG(6, 1))
	fit, change := make([][]float64, len(f.kernels)), make([][]float64, len(f.kernels))
	want := make([][]float64, len(f.kernels))
	row := make([]float64, n)
	for k := range fit {
		if k == 3 {
			continue // without a change
		}
		fit[k], change[k], want[k] = make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			fit[k][i] = rng.NormFloat64()
			if rng.IntN(20) > k {
				change[k][i] = rng.NormFloat64()
			}
		}
		copy(want[k], fit[k])
		for j, c := range change[k] {
			ks[k].Exact.Row(row, j)
			for i, v := range row {
				want[k][i] += c * v
			}
		}
	}
	must.Do(t, f.Add(t.Context(), fit, change))
	for k := range fit {
		for i, v := range fit[k] {
			must.Near(t, v, want[k][i], 1e-10*n, "kernel", bmkrKernels[k], i)
		}
	}
}

// TestRestrict: rows of some columns have the bits of whole rows.
func TestRestrict(t *testing.T) {
	s := newSample(blobs(50, 3, 7).X)
	columns := []int{0, 3, 4, 17, 18, 19, 20, 21, 33, 49}
	whole, some := make([]float64, s.n), make([]float64, len(columns))
	for _, k := range bmkrKernels {
		e := s.exact(k)
		row := e.Restrict(columns)
		for i := range s.n {
			e.Row(whole, i)
			row(some, i)
			for at, j := range columns {
				must.Be(t, some[at], whole[j], "kernel", k, i, j)
			}
		}
	}
}

// TestLargeSetsHaveTheSameWinners: SVRs solved together, and Newton's method for the linear one, change no round's
// winner and, to the tolerance, no machine. In float64, which allows a small one.
func TestLargeSetsHaveTheSameWinners(t *testing.T) {
	data := blobs(250, 3, 8)
	for _, c := range []float64{0.05, 1, 5} {
		p := BMKRParams{T: 8, C: c, LearningRate: 1, Epsilon: 0.1}
		var votes [2]*vote
		var scores [2][]float64
		for way := range votes {
			s := newSample(data.X)
			b := newBooster(s, demand[float64](s))
			if way == 1 {
				b.family, b.linear = nil, nil
			}
			b.solver.Tol = 1e-7
			v := must.Get(b.fit(t.Context(), quiet(), data.Y, p))(t)
			votes[way], scores[way] = v, fits.Scores(t, v, data)
		}
		for r, l := range votes[0].Learners {
			if want := votes[1].Learners[r]; l.Kernel != want.Kernel || math.Abs(l.Bias-want.Bias) > 1e-4 {
				t.Errorf("C=%v, round %d: kernel %d with bias %v, alone %d with %v", c, r+1, l.Kernel, l.Bias,
					want.Kernel, want.Bias)
			}
		}
		for i, v := range scores[0] {
			must.Near(t, v, scores[1][i], 1e-4, "C", c, i)
		}
	}
}

// TestLargeSetsKeepNothing: a fit has the same bits after another one, so that a path has those of single fits.
func TestLargeSetsKeepNothing(t *testing.T) {
	data := blobs(250, 3, 9)
	s := newSample(data.X)
	used := newBooster(s, demand[float32](s))
	for _, c := range []float64{1, 0.1, 10} {
		p := BMKRParams{T: 6, C: c, LearningRate: 1, Epsilon: 0.1}
		got := must.Get(used.fit(t.Context(), quiet(), data.Y, p))(t)
		want := must.Get(newBooster(s, demand[float32](s)).fit(t.Context(), quiet(), data.Y, p))(t)
		for r, l := range got.Learners {
			if w := want.Learners[r]; l.Kernel != w.Kernel || l.Bias != w.Bias || !slices.Equal(l.Coef, w.Coef) {
				t.Fatalf("C=%v: round %d differs from a single fit's", c, r+1)
			}
		}
	}
}
