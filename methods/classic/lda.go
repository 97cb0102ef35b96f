package classic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// LDA declares linear discriminant analysis: classes are normal with means m_k and the same covariance. The estimate S
// of the covariance is shrunk towards a multiple of the identity (Friedman, Regularized discriminant analysis, 1989):
//
//	S = (1 - s) W + s (tr W / d) I,   W = (1/n) sum_k sum_{i in k} (x_i - m_k)(x_i - m_k)',
//	f_k(x) = m_k' S^-1 x - m_k' S^-1 m_k / 2 + log(n_k / n).
//
// With two classes the score is the difference f_+ - f_-, the log-odds. S is factored once for each s; W is the same
// for a whole grid.
func LDA() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "LDA", Version: "1", Tasks: registry.Binary | registry.Multiclass,
		Growth:      registry.Growth{Rows: 0.8, Features: 0.7},
		Source:      "Fisher 1936; Friedman 1989",
		Summary:     "linear discriminant analysis with a shrunken covariance",
		Load:        fitting.NearLoad(loadLinear),
		Probability: vmath.Sigmoid,
	}, LDAParams{Shrinkage: 0.01}, registry.Grid{
		{Name: "shrinkage", Values: registry.Values(1e-4, 1e-3, 0.01, 0.1, 0.3, 1)},
	}, fitting.NearPath(pathLDA), registry.Memory(ldaMemory))
}

// LDAParams holds the parameter of LDA.
type LDAParams struct {
	Shrinkage float64 `json:"shrinkage" range:"(0,1]" means:"share of the identity in the covariance"`
}

func ldaMemory(s registry.Shape, _ LDAParams) int64 {
	n, d := int64(s.N), int64(s.D)
	return 8*(n*d+2*d*d+4*d*int64(max(2, s.Classes))) + solve.FactorBytes(s.D) + 64<<10
}

// classesOf holds, for each class, its number of rows and its mean, and the covariance within the classes.
type classesOf struct {
	d      int
	counts []float64
	means  []float64 // k x d
	within []float64 // d x d
}

func pathLDA(ctx context.Context, _ registry.Env, train registry.Data, ps []LDAParams,
	yield func(i int, m registry.Model) error) error {
	c, err := summarise(ctx, train)
	if err != nil {
		return err
	}
	for i, p := range ps {
		m, err := c.discriminants(ctx, p.Shrinkage, train.Shape().Outputs())
		if err != nil {
			return fmt.Errorf("LDA with shrinkage=%v: %w", p.Shrinkage, err)
		}
		if err := yield(i, m); err != nil {
			return err
		}
	}
	return nil
}

// summarise computes the means and the covariance. A class without training rows is never predicted.
func summarise(ctx context.Context, train registry.Data) (*classesOf, error) {
	n, d := train.X.Dims()
	k := max(2, train.Classes)
	c := &classesOf{d: d, counts: make([]float64, k), means: make([]float64, k*d), within: make([]float64, d*d)}
	class := func(i int) int {
		if train.Task == registry.Binary {
			return int(1+train.Y[i]) / 2
		}
		return int(train.Y[i])
	}
	for i := range n {
		c.counts[class(i)]++
		vmath.Axpy(1, train.X.RawRowView(i), c.means[class(i)*d:(class(i)+1)*d])
	}
	for j := range c.means {
		c.means[j] /= max(1, c.counts[j/d])
	}
	centred := make([]float64, d*n) // features by rows
	for i := range n {
		mean := c.means[class(i)*d : (class(i)+1)*d]
		for j, v := range train.X.RawRowView(i) {
			centred[j*n+i] = v - mean[j]
		}
	}
	if err := solve.Gram(ctx, c.within, centred, d, n); err != nil {
		return nil, err
	}
	for j := range c.within {
		c.within[j] /= float64(n)
	}
	return c, nil
}

// discriminants returns the functions f_k for one shrinkage. If no feature varies within the classes, only the shares
// of the classes decide.
func (c *classesOf) discriminants(ctx context.Context, s float64, outputs int) (*linear, error) {
	d, k := c.d, len(c.counts)
	trace, n := 0.0, 0.0
	for j := range d {
		trace += c.within[j*d+j]
	}
	for _, count := range c.counts {
		n += count
	}
	all := &linear{D: d, Outputs: k, W: make([]float64, k*d), B: make([]float64, k)}
	if math.IsNaN(trace) || math.IsInf(trace, 0) {
		return nil, errors.New("the covariance is not finite: features are too large")
	}
	if trace > 0 {
		factor := slices.Clone(c.within)
		for j := range factor {
			factor[j] *= 1 - s
		}
		for j := range d {
			factor[j*d+j] += s * trace / float64(d)
		}
		f := solve.NewFactorizer(d)
		if err := f.Factor(ctx, factor); err != nil {
			if errors.Is(err, solve.ErrNotPositive) {
				err = errors.New("the covariance is not positive definite; raise shrinkage")
			}
			return nil, err
		}
		copy(all.W, c.means)
		for at := range k {
			if err := f.Solve(ctx, factor, all.W[at*d:(at+1)*d]); err != nil {
				return nil, err
			}
		}
	}
	for at := range k {
		w, mean := all.W[at*d:(at+1)*d], c.means[at*d:(at+1)*d]
		all.B[at] = neverPredicted
		if c.counts[at] > 0 {
			all.B[at] = vmath.LogScalar(c.counts[at]/n) - vmath.Dot(w, mean)/2
		}
	}
	if outputs > 1 {
		return all, nil
	}
	m := &linear{D: d, Outputs: 1, W: make([]float64, d), B: []float64{all.B[1] - all.B[0]}}
	for j := range d {
		m.W[j] = all.W[d+j] - all.W[j]
	}
	return m, nil
}

// neverPredicted is the score of a class without training rows, for which log(n_k / n) has no value.
const neverPredicted = -1e300
