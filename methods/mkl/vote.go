package mkl

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelboosting/bench/registry"
)

// A vote is a trained model of BMKR or MKBOOST: the sum over rounds of
//
//	Weight_t f_t(x),        f_t(x) = Bias_t + sum_i Coef_ti k_t(x, x_i)
//
// or, if Signs is set, of Weight_t sign f_t(x). It is not changed after the fit. Rounds after the last learner add
// nothing.
type vote struct {
	N, D, T  int
	Signs    bool
	Kernels  []kernel
	X        []float64 // N x D: the rows that some learner needs
	Learners []learner

	squares []float64
}

// A learner is the machine of one round. Coef is empty if the machine is constant.
type learner struct {
	Kernel int
	Coef   []float64 // N
	Bias   float64
	Weight float64
	Capped bool // its solver was stopped early
}

// newVote returns the model of t rounds from learners with coefficients for all rows of s. The model keeps the rows
// that some learner needs.
func newVote(s *sample, ks []kernel, t int, signs bool, learners []learner) *vote {
	var needed []int
	for i := range s.n {
		if slices.ContainsFunc(learners, func(l learner) bool { return len(l.Coef) > 0 && l.Coef[i] != 0 }) {
			needed = append(needed, i)
		}
	}
	v := &vote{N: len(needed), D: s.d, T: t, Signs: signs, Kernels: ks, Learners: slices.Clone(learners)}
	for _, i := range needed {
		v.X = append(v.X, s.row(i)...)
	}
	for t, l := range learners {
		if len(l.Coef) == 0 {
			continue
		}
		coef := make([]float64, v.N)
		for e, i := range needed {
			coef[e] = l.Coef[i]
		}
		v.Learners[t].Coef = coef
	}
	v.index()
	return v
}

func (v *vote) index() {
	v.squares = make([]float64, v.N)
	for i := range v.N {
		v.squares[i] = square(v.X[i*v.D : (i+1)*v.D])
	}
}

// Rounds returns T.
func (v *vote) Rounds() int { return v.T }

// Score writes the sum of all rounds.
func (v *vote) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if err := fitting.CheckScoring(x, v.D, 1, len(out)); err != nil {
		return err
	}
	return v.ScoreStages(ctx, x, []int{v.T}, func(_ int, scores []float64) error {
		copy(out, scores)
		return fitting.CheckFinite("score", out, 1)
	})
}

// ScoreStages yields, for each t of at, the sums of the first t rounds. at is ascending, from 0 to T at most.
func (v *vote) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	n, _ := x.Dims()
	if err := fitting.CheckScoring(x, v.D, 1, n); err != nil {
		return err
	}
	if err := fitting.CheckStages(at, 0, v.T); err != nil {
		return err
	}
	stages := make([]float64, len(at)*n)
	b := newBlock(v)
	for lo := 0; lo < n; lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, n)
		if err := b.load(x, lo, hi); err != nil {
			return err
		}
		done := 0
		for s, t := range at {
			for ; done < min(t, len(v.Learners)); done++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				b.add(v.Learners[done])
			}
			copy(stages[s*n+lo:s*n+hi], b.score[:hi-lo])
		}
	}
	for s, t := range at {
		if err := yield(t, stages[s*n:(s+1)*n]); err != nil {
			return err
		}
	}
	return nil
}

// A block scores up to rowsAtOnce rows. It computes the values of a kernel when a learner first needs them.
type block struct {
	v       *vote
	m       int
	x       []float64
	squares []float64
	dots    []float64
	values  [][]float64 // of each kernel, m x N
	made    []bool
	f       []float64
	score   []float64
}

func newBlock(v *vote) *block {
	return &block{
		v: v, x: make([]float64, rowsAtOnce*v.D), squares: make([]float64, rowsAtOnce),
		dots:   make([]float64, rowsAtOnce*v.N),
		values: make([][]float64, len(v.Kernels)), made: make([]bool, len(v.Kernels)),
		f: make([]float64, rowsAtOnce), score: make([]float64, rowsAtOnce),
	}
}

func (b *block) load(x *mat.Dense, lo, hi int) error {
	v := b.v
	b.m = hi - lo
	for i := lo; i < hi; i++ {
		row := b.x[(i-lo)*v.D : (i-lo+1)*v.D]
		copy(row, x.RawRowView(i))
		b.squares[i-lo] = square(row)
		if s := b.squares[i-lo]; math.IsNaN(s) || math.IsInf(s, 0) {
			return fmt.Errorf("row %d has a feature that is not finite or is too large", i)
		}
	}
	vmath.MatMulT(b.dots[:b.m*v.N], b.x[:b.m*v.D], b.m, v.D, v.X, v.N)
	clear(b.made)
	clear(b.score)
	return nil
}

func (b *block) add(l learner) {
	v, f := b.v, b.f[:b.m]
	clear(f)
	if len(l.Coef) > 0 {
		vmath.MatVec(f, b.kernel(l.Kernel), b.m, v.N, l.Coef)
	}
	for i := range f {
		b.score[i] += l.output(f[i]+l.Bias, v.Signs)
	}
}

// output is the learner's part of the vote if its machine has the value f.
func (l learner) output(f float64, signs bool) float64 {
	if !signs {
		return l.Weight * f
	}
	if f >= 0 {
		return l.Weight
	}
	return -l.Weight
}

func (b *block) kernel(k int) []float64 {
	v := b.v
	if b.values[k] == nil {
		b.values[k] = make([]float64, rowsAtOnce*v.N)
	}
	values := b.values[k][:b.m*v.N]
	if !b.made[k] {
		b.made[k] = true
		for i := range b.m {
			v.Kernels[k].values(values[i*v.N:(i+1)*v.N], b.dots[i*v.N:(i+1)*v.N], v.squares, b.squares[i])
		}
	}
	return values
}

// Save implements registry.Saver.
func (v *vote) Save(w io.Writer) error { return fitting.Save(w, "boosted kernels", v) }

func loadVote(r io.Reader) (registry.Model, error) {
	return fitting.Load(r, "boosted kernels", (*vote).restore)
}

// restore checks the model that was read, and computes squares, which are not saved.
func (v *vote) restore() error {
	if err := v.check(); err != nil {
		return err
	}
	v.index()
	return nil
}

func (v *vote) check() error {
	if v.N < 0 || v.D < 1 || v.T < 1 || len(v.Learners) > v.T || len(v.X)%v.D != 0 || len(v.X)/v.D != v.N {
		return fmt.Errorf("n=%d d=%d t=%d do not fit %d features and %d learners", v.N, v.D, v.T, len(v.X),
			len(v.Learners))
	}
	for i, k := range v.Kernels {
		if k.Power < 0 || k.Power > largestPower {
			return fmt.Errorf("kernel %d has the power %d, not one from 0 to %d", i, k.Power, largestPower)
		}
	}
	for t, l := range v.Learners {
		if l.Kernel < 0 || l.Kernel >= len(v.Kernels) || (len(l.Coef) != 0 && len(l.Coef) != v.N) {
			return fmt.Errorf("learner %d has kernel %d of %d and %d coefficients for %d rows", t, l.Kernel,
				len(v.Kernels), len(l.Coef), v.N)
		}
	}
	return nil
}
