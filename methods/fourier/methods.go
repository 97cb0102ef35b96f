package fourier

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/registry"
)

const source = "Bazavan, Li and Sminchisescu, ECCV 2012, "

const tasks = registry.Binary | registry.Multiclass | registry.Regression

// Embedded holds the parameters that all methods of this family begin with.
type Embedded struct {
	Kernel       string  `json:"kernel" range:"gaussian|chi2|intersection|expchi2" means:"kernel that is approximated: Gaussian, skewed chi-square, skewed intersection, exponentiated chi-square"`
	Skew         float64 `json:"skew" range:"(0,)" means:"shift of the features in the skewed kernels, which need features above -skew"`
	Features     int     `json:"features" range:"[1,)" means:"random features, of each channel where they are concatenated"`
	InverseWidth float64 `json:"inverse_width" range:"(0,)" means:"inverse width, as a multiple of the usual sqrt(2 / mean squared distance); learning starts there in the methods that learn it"`
	rff.How
}

// Validate reports a draw that the kernel does not have.
func (p Embedded) Validate() error {
	if p.Draw != "" && p.Kernel != gaussian {
		return fmt.Errorf("draw = %q with kernel = %q: only the Gaussian kernel has frequencies that may be orthogonal",
			p.Draw, p.Kernel)
	}
	return nil
}

func defaultEmbedded(features int) Embedded {
	return Embedded{Kernel: gaussian, Skew: 1, Features: features, InverseWidth: 1}
}

func (p Embedded) design(product bool, method string) design {
	return design{method: method, product: product, kernel: kernel{name: p.Kernel, c: p.Skew}, features: p.Features,
		sigma: p.InverseWidth, how: p.How}
}

// FixedParams holds the parameters of the methods with an l2 penalty at a fixed sigma.
type FixedParams struct {
	Embedded
	Lambda float64 `json:"lambda" range:"(0,)" means:"penalty of the squared weights"`
}

var defaultFixed = FixedParams{Embedded: defaultEmbedded(500), Lambda: 1}

// SQLSKL declares ridge regression on one product embedding at a fixed sigma.
func SQLSKL() registry.Spec {
	return defineFixed(defaultFixed, true, registry.Spec{Name: "RFF-SQL-SKL",
		Growth: registry.Growth{Rows: 0.7, Features: 0.2, Outputs: 0.25, Points: 0.7,
			By: registry.By{"features": 1.2}},
		Version: "1", Tasks: tasks,
		Source:  source + "section 4",
		Summary: "ridge regression on random Fourier features of a product of kernels"})
}

// SQLSQRMKL declares ridge regression on concatenated embeddings, one for each channel.
func SQLSQRMKL() registry.Spec {
	defaults := defaultFixed
	defaults.Features = 100
	return defineFixed(defaults, false, registry.Spec{Name: "RFF-SQL-SQR-MKL",
		Growth: registry.Growth{Rows: 0.5, Features: 0.8, Outputs: 0.15, Points: 0.2,
			By: registry.By{"features": 1.8}},
		Version: "2", Tasks: tasks,
		Source:  source + "eq. (13), section 4",
		Summary: "ridge regression on random Fourier features of each channel, a sum of kernels"})
}

func defineFixed(defaults FixedParams, product bool, s registry.Spec) registry.Spec {
	key := func(p FixedParams) design { return p.design(product, s.Name) }
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []FixedParams,
		yield func(i int, m registry.Model) error) error {
		return designs(env, train, ps, key, func(of *start, which []int) error {
			fit, err := of.fixed(ctx, product)
			if err != nil {
				return err
			}
			for _, i := range which {
				w, err := fit(ps[i].Lambda)
				if err != nil {
					return named(s.Name, err)
				}
				if err := yield(i, of.trained(of.sigma, w)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	s.Load, s.Blocks = load, true
	return registry.DefinePath(s, defaults, registry.Grid{{Name: "lambda", Values: registry.Powers(10, -3, 2)}}, path,
		registry.Memory(func(sh registry.Shape, p FixedParams) int64 { return key(p).ridgeMemory(sh, false) }))
}

// fixed returns a function that solves ridge regression at the first sigma for a lambda. Channels are taken in the
// bases of their row spaces, which have fewer columns and the same weights.
func (s *start) fixed(ctx context.Context, product bool) (fit func(lambda float64) ([]float64, error), err error) {
	if product {
		r := newRidge(s.problem, s.width)
		return func(lambda float64) ([]float64, error) { return r.solve(ctx, lambda) },
			r.prepare(ctx, s.embedded(s.sigma))
	}
	m, err := newColumns(ctx, s.problem, s.sigma, false, false, nil)
	if err != nil {
		return nil, err
	}
	r := newRidge(s.problem, m.rank)
	return func(lambda float64) (ws []float64, err error) {
		xs, err := r.solve(ctx, lambda)
		for x := range slices.Chunk(xs, m.rank) {
			ws = append(ws, m.expand(x)...)
		}
		return ws, err
	}, r.prepare(ctx, m.rows)
}

// designs calls do for the grid points of each design, in the order of their first occurrence.
func designs[P any](env registry.Env, train registry.Data, ps []P, key func(P) design,
	do func(of *start, which []int) error) error {
	for _, which := range fitting.Groups(fitting.Upto(len(ps)), func(i int) design { return key(ps[i]) }) {
		of, err := key(ps[which[0]]).newStart(env, train)
		if err != nil {
			return err
		}
		if err := do(of, which); err != nil {
			return err
		}
	}
	return nil
}

// named puts the method's name before an error that is not the context's.
func named(method string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%s: %w", method, err)
}
