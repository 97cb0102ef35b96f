package fourier

import (
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/registry"
)

// A design is what the embedding of a fit depends on, besides the data. Grid points with the same design share the
// embedding.
type design struct {
	method   string
	product  bool // one embedding of all groups, instead of one for each group
	kernel   kernel
	features int
	sigma    float64
	how      rff.How // of the draws
}

// A start is a problem, the sigma at which its solution starts, and a machine without weights.
type start struct {
	*problem
	sigma []float64
	model machine
}

// newStart draws the embedding and prepares the targets. Targets of regression are standardised, so that the penalties
// and the tube of the epsilon-insensitive loss do not depend on the unit of the targets. Targets of classes are -1 and
// +1.
func (d design) newStart(env registry.Env, train registry.Data) (*start, error) {
	n, features := train.X.Dims()
	shape := train.Shape()
	a, err := d.kernel.mapRows(fitting.Rows(train.X), features)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.method, err)
	}
	sizes := shape.Groups()
	s := &start{problem: &problem{n: n, a: a, outputs: shape.Outputs()}}
	factor := d.sigma
	if d.product {
		s.embedding = productEmbedding(env.Rand(), d.kernel, sizes, d.features, d.how)
		factor /= math.Sqrt(float64(len(sizes)))
	} else {
		s.embedding = sumEmbedding(env.Rand(), d.kernel, sizes, d.features, d.how)
	}
	s.sigma = s.usual(a, factor)
	s.model = machine{embedding: s.embedding, D: features, Outputs: s.outputs, Sizes: sizes, Scale: 1}
	for _, y := range fitting.OneAgainstRest(train) {
		s.y = append(s.y, y...)
	}
	if train.Task == registry.Regression {
		s.model.Shift, s.model.Scale = fitting.Standardise(s.y)
	}
	return s, nil
}

// trained returns the machine with sigma and weights.
func (s *start) trained(sigma, w []float64) *machine {
	m := s.model
	m.Sigma, m.W = sigma, w
	return &m
}

// columns is the number of columns of the design's embedding.
func (d design) columns(s registry.Shape) int {
	if d.product {
		return d.features
	}
	return d.features * len(s.Groups())
}

// startBytes is what newStart allocates.
func (d design) startBytes(s registry.Shape) int64 {
	groups := len(s.Groups())
	inputs := s.D * d.kernel.mapped()
	rows := 0
	if d.kernel.name != gaussian {
		rows = s.N * inputs
	}
	return 8 * int64(rows+s.Outputs()*s.N+d.features*(3*inputs+groups)+10*inputs)
}
