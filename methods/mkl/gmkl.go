package mkl

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// GMKLParams holds GMKL's parameters.
type GMKLParams struct {
	C       float64 `json:"c" range:"(0,)" means:"cost of the SVM or SVR"`
	Epsilon float64 `json:"epsilon" range:"[0,)" means:"half-width of the tube, for regression"`
}

// GMKL declares generalised multiple kernel learning with l1 on the weights of the kernels, one against the rest for
// more than two classes.
func GMKL() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "GMKL", Version: "4", Tasks: registry.Binary | registry.Multiclass | registry.Regression,
		Growth:  registry.Growth{Rows: 1.7, Features: 0.55, Outputs: 1, Points: 1},
		Source:  "Varma and Babu, ICML 2009, with the l1 penalty of Bazavan et al., ECCV 2012, eq. (14)",
		Summary: "support vector machine over a learned non-negative sum of a kernel for each feature or block",
		Load:    fitting.NearLoad(loadSum),
		Blocks:  true,
	}, GMKLParams{C: 1, Epsilon: 0.1}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -2, 2)},
	}, fitting.NearPath(pathGMKL), registry.Memory(memoryGMKL))
}

// A usual and a large rank, at channelTol, of the Gaussian kernel of one feature. The mean rank over the features of a
// data set of the catalogue is 3 to 48, mostly 20.
const (
	usualRank = 20
	largeRank = 40
)

// ranks estimates, from the rank of the kernel of one feature, the sum of the ranks of the kernels, and the number of
// kernels that are kept as whole matrices.
func ranks(s registry.Shape, one int) (sum, whole float64) {
	n := float64(s.N)
	if len(s.Blocks) == 0 {
		return min(n, float64(one)) * float64(s.D), 0
	}
	for _, size := range s.Groups() {
		if rank := float64(one) * math.Pow(4.5, float64(size-1)); rank < n/2 {
			sum += rank
		} else {
			whole++
		}
	}
	return sum, whole
}

// memoryGMKL counts the factors or matrices of the kernels, the factors before they are stacked, the linear system of
// svm.Mix, the model, and 64 MiB for garbage and for the n x n system of a careful path.
func memoryGMKL(s registry.Shape, _ GMKLParams) int64 {
	n := float64(s.N)
	rank, whole := ranks(s, largeRank)
	system := n * n
	if lowRank(n, rank, whole) {
		apart := float64(svm.Apart(s.N, int(rank)))
		system = rank*rank + apart*(apart+rank)
	}
	kernels := float64(s.D)
	if len(s.Blocks) > 0 {
		kernels += float64(len(s.Groups()))
	}
	return int64(8 * (2*n*rank + whole*n*n + system + n*(3*kernels+2*float64(s.D+2*s.Outputs())+50) + 8<<20))
}

// lowRank reports whether svm.Mix works with the factors.
func lowRank(n, rank, whole float64) bool { return whole == 0 && (4*rank < n || n > 1000 && rank < n) }

// pathGMKL factors the kernel matrices once for all grid points.
func pathGMKL(ctx context.Context, env registry.Env, train registry.Data, ps []GMKLParams,
	yield func(i int, m registry.Model) error) error {
	all := newSample(train.X)
	train, times := merge(train)
	s := newSample(train.X)
	g, err := newMixer(ctx, s, newChannels(all, train.Shape().Groups()))
	if err != nil {
		return err
	}
	ys := fitting.OneAgainstRest(train)
	for i, p := range ps {
		m := &sumMachine{N: s.n, D: s.d, Outputs: train.Shape().Outputs(), Channels: g.channels, X: s.x}
		for c, y := range ys {
			problem := svm.Classification(y, p.C)
			if train.Task == registry.Regression {
				problem = svm.Regression(y, p.Epsilon, p.C)
			}
			floats.Mul(problem.Upper, times)
			floats.Mul(problem.Lower, times)
			mixed, err := svm.Mix(ctx, g.parts, problem)
			if err != nil {
				return fmt.Errorf("GMKL with C=%v, output %d: %w", p.C, c, err)
			}
			if mixed.Gap > svm.MixAccept {
				env.Log.Warn("GMKL ended before its optimum", "c", p.C, "relative gap", fmt.Sprintf("%.1g", mixed.Gap))
			}
			m.Weight, m.Coef, m.Bias = append(m.Weight, mixed.Weights...), append(m.Coef, mixed.Beta...),
				append(m.Bias, mixed.Bias)
		}
		if err := yield(i, m); err != nil {
			return err
		}
	}
	return nil
}

// merge returns the distinct pairs of row and target, in the order of their first occurrence, and how often each
// occurs. The cost of a pair's loss is multiplied by this number. Without merging, equal rows would make Newton's
// systems singular.
func merge(train registry.Data) (distinct registry.Data, times []float64) {
	n, d := train.X.Dims()
	at := make(map[string]int, n)
	var first []int
	key := make([]byte, 0, 8*(d+1))
	for i := range n {
		key = binary.LittleEndian.AppendUint64(key[:0], math.Float64bits(train.Y[i]))
		for _, v := range train.X.RawRowView(i) {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		k, seen := at[string(key)]
		if !seen {
			k = len(first)
			at[string(key)] = k
			first, times = append(first, i), append(times, 0)
		}
		times[k]++
	}
	distinct = train
	distinct.X, distinct.Y = mat.NewDense(len(first), d, nil), make([]float64, len(first))
	for k, i := range first {
		distinct.X.SetRow(k, train.X.RawRowView(i))
		distinct.Y[k] = train.Y[i]
	}
	return distinct, times
}

// A mixer has the kernels K_1 .. K_r of the channels. The machine of GMKL minimises
//
//	min over d >= 0  T(d) = sum_j d_j + min over f, b  1/2 ||f||^2 + C sum_i loss(y_i, f(x_i) + b),
//
// with f in the space of K(d) = sum_j d_j K_j (Varma and Babu, eqs. 8 and 9). T is convex. Gradient descent on T, with
// a support vector machine for each d, is slow where K(d) is nearly singular, as with Gaussian kernels of one feature.
// So svm.Mix solves for weights and machine at once, to a relative duality gap of 1e-5.
type mixer struct {
	channels channels
	parts    svm.Parts
}

// channelTol is the error that the factor of a channel's kernel may have. The diagonal of the kernel is 1.
const channelTol = 1e-12

// newMixer factors each channel's kernel matrix, or keeps the matrix if its rank is more than half of n.
func newMixer(ctx context.Context, s *sample, c channels) (*mixer, error) {
	g := &mixer{channels: c}
	work := newChannelWork(g.channels, s.x, s.n, s.d)
	row := func(dst []float64, i int) { work.rows(dst, s.row(i)) }
	ones := slices.Repeat([]float64{1}, s.n)
	factors, whole := make([][]float64, len(c.Sizes)), make([][]float64, len(c.Sizes))
	for j := range c.Sizes {
		work.load(j)
		factor, err := solve.LowRank(ctx, ones, row, channelTol, max(1, s.n/2))
		if err != nil {
			return nil, err
		}
		if factors[j] = factor; factor != nil {
			continue
		}
		whole[j] = make([]float64, s.n*s.n)
		for i := range s.n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			row(whole[j][i*s.n:(i+1)*s.n], i)
		}
	}
	g.parts = svm.Stacked(s.n, factors, whole)
	return g, nil
}
