package rfrboost

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// Gradient declares RFRBoost with line 3, the functional gradient (Algorithm 2 of the paper).
func Gradient() registry.Spec {
	return define("RFRBoost", "residual network of random features, by functional gradients",
		registry.Binary|registry.Multiclass|registry.Regression, false)
}

// Greedy declares RFRBoost-greedy, with line 3', for the square loss (Algorithm 1 of the paper with a dense Delta).
func Greedy() registry.Spec {
	return define("RFRBoost-greedy", "residual network of random features, by greedy steps", registry.Regression, true)
}

// Params holds the parameters of both.
type Params struct {
	Rounds       int     `json:"rounds" range:"[1,)" means:"layers of the network"`
	Features     int     `json:"features" range:"[1,)" means:"random features of the representation, and as many of the data, a layer"`
	Lambda       float64 `json:"lambda" range:"(0,)" means:"penalty of the squared weights of the linear model on top"`
	Rho          float64 `json:"rho" range:"(0,)" means:"penalty of the squared weights of a layer"`
	LearningRate float64 `json:"learning_rate" range:"(0,1]" means:"factor of each layer in the sum"`
	Scale        float64 `json:"scale" range:"(0,)" means:"size of the argument of tanh at the two rows that make a feature"`
}

func define(name, summary string, tasks registry.Task, greedy bool) registry.Spec {
	path := func(ctx context.Context, env registry.Env, train registry.Data, ps []Params,
		yield func(int, registry.Model) error) error {
		if err := fitPath(ctx, env, train, ps, greedy, yield); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	s := registry.Spec{
		Name: name, Version: "3", Tasks: tasks, Summary: summary, Load: load,
		Growth: registry.Growth{Rows: 1.25, Features: 0.15, Outputs: 0.3, Points: 0.9,
			By: registry.By{"features": 0.8, "rounds": 1}},
		Source: "Zozoulenko, Cass and Gonon, ICML 2025",
	}
	if !greedy {
		s.Probability = vmath.Sigmoid
	}
	return registry.DefinePath(s, Params{Rounds: 5, Features: 512, Lambda: 1e-4, Rho: 1e-2, LearningRate: 1,
		Scale: 0.5}, registry.Grid{
		{Name: "lambda", Values: registry.Values(1e-4, 1e-2)},
		{Name: "rho", Values: registry.Values(1e-4, 1e-2, 1)},
		{Name: "learning_rate", Values: registry.Values(0.3, 1)},
		{Name: "rounds", Values: registry.Values(1, 3, 10)},
	}, path, registry.Memory(memory))
}

// memory counts the features, the matrices of lines 1 and 3, the pairs of draws, and the representations and layers of
// as many models as are fitted together.
func memory(s registry.Shape, p Params) int64 {
	n, d, k, m := int64(s.N), int64(s.D), int64(s.Outputs()), int64(2*p.Features)
	features := 8 * m * n
	switch {
	case m > n:
		features += 8 * m * n // the n x n form of line 3 reads a transposed copy
	case !held(s.N, s.D, 2*p.Features):
		features = solve.SourceBytes(2*p.Features, s.N)
	}
	booster := n*(d+6*k) + int64(p.Rounds+1)*(m*(d/2+1+k)+2*k*d)
	return features + 8*(n*(2*d+2*k+12+3*pairsPerRow)+int64(p.Rounds+1)*m*(d/2+1)+boostersAtOnce*booster) +
		solve.RidgeBytes(2*p.Features, s.N) + solve.RidgeBytes(s.D, s.N) + int64(vmath.PanelBytes(s.D, s.N))
}

// held reports whether width features of n rows are held: all of them, where line 3 has the n x n form.
func held(n, d, width int) bool { return n < width || fitting.Held(n, d, width, 0, fitting.Many) == n }

// anyRounds returns p without the number of rounds. Grid points with equal anyRounds share their layers.
func (p Params) anyRounds() Params {
	p.Rounds = 0
	return p
}

// fitPath fits the grid points. Grid points that differ in the number of rounds alone are the first rounds of one
// model.
//
// Targets of regression are standardised, as in the published experiments, so that the penalties do not depend on
// their unit.
func fitPath(ctx context.Context, env registry.Env, train registry.Data, ps []Params, greedy bool,
	yield func(int, registry.Model) error) error {
	mean, deviation := 0.0, 1.0
	if train.Task == registry.Regression {
		train.Y = slices.Clone(train.Y)
		mean, deviation = fitting.Standardise(train.Y)
	}
	groups := fitting.GroupsBy(fitting.Upto(len(ps)), func(i int) Params { return ps[i].anyRounds() },
		func(i int) int { return ps[i].Rounds })
	last := func(g int) Params { return ps[groups[g][len(groups[g])-1]] }
	for _, similar := range fitting.Groups(fitting.Upto(len(groups)), func(g int) Params {
		return Params{Features: last(g).Features, Scale: last(g).Scale}
	}) {
		for some := range slices.Chunk(similar, boostersAtOnce) {
			boosters := make([]*booster, len(some))
			for at, g := range some {
				boosters[at] = newBooster(train, last(g), greedy)
			}
			if err := boost(ctx, boosters, drawPairs(env.Rand())); err != nil {
				return err
			}
			for at, b := range boosters {
				b.model.rescale(mean, deviation)
				if b.open > solve.Open {
					env.Log.Warn("a linear model of RFRBoost ended before its minimum", "lambda", b.Lambda,
						"largest component of the gradient", fmt.Sprintf("%.1g", b.open))
				}
				for _, i := range groups[some[at]] {
					if err := yield(i, b.model.first(ps[i].Rounds)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// boostersAtOnce is how many boosters share the features of the data: those of the default grid.
const boostersAtOnce = 12

// A booster is the state of the algorithm. Matrices of outputs by rows are K x n.
type booster struct {
	Params
	greedy      bool
	n, d, k     int
	x, phi      []float64 // n x d
	task        registry.Task
	y           []float64      // labels -1 and +1, classes or targets
	shown       []float64      // n x outputs: the targets by which pairs are drawn: 0 and 1, indicators or numbers
	top         solve.Logistic // the problem of line 1, for the logistic loss
	theta       []float64      // W_t and then b_t
	scores, res []float64      // W_t Phi_t + b_t; r
	size        float64        // the Frobenius norm of G before it is scaled
	open        float64        // the largest component of the gradient where a line 1 ended
	model       *model
}

func newBooster(train registry.Data, p Params, greedy bool) *booster {
	sh := train.Shape()
	b := &booster{Params: p, greedy: greedy, n: sh.N, d: sh.D, k: sh.Outputs(), x: fitting.Rows(train.X),
		task: train.Task, y: train.Y, model: &model{D: sh.D, Outputs: sh.Outputs()}}
	b.phi = slices.Clone(b.x)
	b.theta = make([]float64, b.k*(b.d+1))
	b.scores, b.res, b.shown = make([]float64, b.k*b.n), make([]float64, b.k*b.n), make([]float64, b.k*b.n)
	b.top = solve.Logistic{X: b.phi, N: b.n, D: b.d, K: b.k, Lambda: p.Lambda}
	for i, y := range train.Y {
		switch b.task {
		case registry.Multiclass:
			b.top.Classes = append(b.top.Classes, int(y))
			b.shown[i*b.k+int(y)] = 1
		case registry.Binary:
			b.shown[i] = (1 + y) / 2
		default:
			b.shown[i] = y
		}
	}
	if b.task == registry.Binary {
		b.top.Y = train.Y
	}
	return b
}

// boost runs the algorithm, round by round, for boosters on the same rows with equal Features and Scale. They share the
// features of the data, with their products, and also those of the first representation, which is the data. A booster
// ends early if its residuals or W_t are zero, or if there are fewer than two rows.
func boost(ctx context.Context, boosters []*booster, draw drawer) error {
	b := boosters[0]
	x, n, d, m := b.x, b.n, b.d, b.Features
	var f []float64
	var r round
	var now *booster
	var wide, narrow solve.Ridge // of line 3 and of line 1
	wide.Source = func(dst []float64, from, to, lo, hi int) {
		split := min(max(from, m), to) // the features below m are those of the representation
		r.Deep.of(from, split, d).features(dst[:(split-from)*(hi-lo)], now.phi[lo*d:hi*d], d)
		r.Wide.of(split-m, to-m, d).features(dst[(split-from)*(hi-lo):], x[lo*d:hi*d], d)
	}
	if held(n, d, 2*m) {
		f = make([]float64, 2*m*n)
	}
	for first := true; ; first = false {
		var left []*booster
		for _, b := range boosters {
			if err := b.refit(ctx, &narrow); err != nil { // line 1
				return err
			}
			b.model.Tops = append(b.model.Tops, slices.Clone(b.theta))
			if b.size = b.residuals(); len(b.model.Tops) <= b.Rounds && b.size > 0 && n > 1 {
				left = append(left, b)
			}
		}
		if boosters = left; len(left) == 0 {
			return nil
		}
		deep := draw(n, m) // line 2
		r = round{Wide: newLayer(x, d, draw(n, m)(x, d, b.shown, b.k), b.Scale)}
		if f != nil {
			r.Wide.features(f[m*n:], x, d)
		}
		for i, b := range boosters {
			now = b
			if i == 0 || !first {
				r.Deep = newLayer(b.phi, d, deep(b.phi, d, b.shown, b.k), b.Scale)
				if f != nil {
					r.Deep.features(f[:m*n], b.phi, d)
				}
			}
			var err error
			if i == 0 {
				err = wide.Set(ctx, f, 2*m, n, !b.greedy)
			} else if !first {
				err = wide.Renew(ctx, m)
			}
			if err != nil {
				return err
			}
			if err := b.add(ctx, &wide, r); err != nil {
				return err
			}
		}
	}
}

// add is lines 3 and 4 for a round with its features.
func (b *booster) add(ctx context.Context, wide *solve.Ridge, r round) (err error) {
	w := b.theta[:b.k*b.d]
	penalty, scale := b.Rho, math.Sqrt(float64(b.n))/b.size
	if b.greedy {
		square := solve.Dot(w, w)
		penalty, scale = b.Rho/square, 1/square
	}
	var fitted []float64
	if r.S, r.Shift, fitted, err = wide.Solve(ctx, b.res, b.k, penalty); err != nil { // line 3
		return err
	}
	r.Step = b.LearningRate * scale
	if !b.greedy {
		r.Step *= b.lineSearch(fitted, scale)
	}
	b.model.Rounds = append(b.model.Rounds, r)
	addLayer(b.phi, fitted, w, r.Step, b.k, b.d) // line 4
	return nil
}

// addLayer adds step H W to the rows of phi, with H (k x n) and W (k x d).
func addLayer(phi, h, w []float64, step float64, k, d int) {
	n := len(phi) / d
	for c := range k {
		for i := range n {
			vmath.Axpy(step*h[c*n+i], w[c*d:(c+1)*d], phi[i*d:(i+1)*d])
		}
	}
}

// refit is line 1.
func (b *booster) refit(ctx context.Context, ridge *solve.Ridge) error {
	if b.task != registry.Regression {
		largest, err := b.top.Solve(ctx, b.theta)
		b.open = max(b.open, largest)
		return err
	}
	if err := ridge.Set(ctx, vmath.Transposed(b.phi, b.n, b.d), b.d, b.n, true); err != nil {
		return err
	}
	w, shift, _, err := ridge.Solve(ctx, b.y, 1, b.Lambda)
	if err != nil {
		return err
	}
	copy(b.theta, w)
	b.theta[b.d] = shift[0]
	return nil
}

// residuals sets scores and r, and returns the Frobenius norm of G before it is scaled.
func (b *booster) residuals() float64 {
	w := b.theta[:b.k*b.d]
	vmath.MatMulT(b.scores, w, b.k, b.d, b.phi, b.n)
	for at := range b.scores {
		b.scores[at] += b.theta[b.k*b.d+at/b.n]
	}
	switch b.task {
	case registry.Regression:
		for i, y := range b.y {
			b.res[i] = y - b.scores[i]
		}
	case registry.Binary:
		for i, y := range b.y {
			b.res[i] = (1+y)/2 - vmath.Sigmoid(b.scores[i])
		}
	default:
		row := make([]float64, b.k)
		for i := range b.n {
			for c := range row {
				row[c] = b.scores[c*b.n+i]
			}
			vmath.Softmax(row, row)
			for c, q := range row {
				b.res[c*b.n+i] = b.shown[i*b.k+c] - q
			}
		}
	}
	square, products := 0.0, b.products()
	for i := range b.n {
		for c := range b.k {
			for e := range b.k {
				square += float64(b.res[c*b.n+i] * b.res[e*b.n+i] * products[c*b.k+e])
			}
		}
	}
	return math.Sqrt(square)
}

// products returns W W' (k x k).
func (b *booster) products() []float64 {
	out := make([]float64, b.k*b.k)
	for c := range b.k {
		for e := range b.k {
			out[c*b.k+e] = vmath.Dot(b.theta[c*b.d:(c+1)*b.d], b.theta[e*b.d:(e+1)*b.d])
		}
	}
	return out
}

// lineShrink is the penalty of the squared step in the line search of line 3.
const lineShrink = 1e-5

// lineSearch returns s. The scores move by s z_i, z_i = scale fitted_i W W'.
func (b *booster) lineSearch(fitted []float64, scale float64) float64 {
	z, products := make([]float64, b.k*b.n), b.products()
	for c := range b.k {
		for e := range b.k {
			vmath.Axpy(scale*products[c*b.k+e], fitted[e*b.n:(e+1)*b.n], z[c*b.n:(c+1)*b.n])
		}
	}
	n := float64(b.n)
	if b.task == registry.Regression {
		return vmath.Dot(b.res, z) / n / (vmath.Dot(z, z)/n + lineShrink)
	}
	// Newton's method in one variable. A step is halved until it lowers the size of the derivative. The risk is convex.
	s := 0.0
	slope, bend := b.along(z, s)
	for range 100 {
		whole, move := -slope/bend, 0.0
		for length := range solve.Halvings(60) {
			move = length * whole
			if next, nextBend := b.along(z, s+move); math.Abs(next) <= math.Abs(slope) {
				s, slope, bend = s+move, next, nextBend
				break
			}
		}
		if math.Abs(move) <= 1e-13*math.Abs(s) {
			break
		}
	}
	return s
}

// along returns the first two derivatives of the risk in s.
func (b *booster) along(z []float64, s float64) (slope, bend float64) {
	slope, bend = float64(2*lineShrink*s), 2*lineShrink
	n, row := float64(b.n), make([]float64, b.k)
	for i := range b.n {
		if b.task == registry.Binary {
			q := vmath.Sigmoid(math.FMA(s, z[i], b.scores[i]))
			slope += (q - (1+b.y[i])/2) * z[i] / n
			bend += q * (1 - q) * z[i] * z[i] / n
			continue
		}
		for c := range row {
			row[c] = math.FMA(s, z[c*b.n+i], b.scores[c*b.n+i])
		}
		vmath.Softmax(row, row)
		mean, square := 0.0, 0.0
		for c, q := range row {
			v := z[c*b.n+i]
			mean = math.FMA(q, v, mean)
			square = math.FMA(q*v, v, square)
		}
		slope += (mean - z[int(b.y[i])*b.n+i]) / n
		bend += (square - float64(mean*mean)) / n
	}
	return slope, bend
}
