package mkl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/svm"
	"github.com/kernelboosting/bench/registry"
)

// BMKRParams holds BMKR's parameters.
type BMKRParams struct {
	T            int     `json:"rounds" range:"[1,)" means:"boosting rounds, each of which adds a learner"`
	C            float64 `json:"c" range:"(0,)" means:"cost of the epsilon-SVRs"`
	LearningRate float64 `json:"learning_rate" range:"(0,1]" means:"factor of each learner in the sum; the experiments of 2020 use 1"`
	Epsilon      float64 `json:"epsilon" range:"[0,)" means:"half-width of the tube"`
	MaxIter      int     `json:"max_iter" range:"[0,)" means:"most SMO steps of one SVR; 0 is no limit, and the published program's is 10000"`
}

// bmkrKernels are the kernels of the 2020 experiments. Their gammas are not divided by the number of features.
var bmkrKernels = append(gaussians(-4, 5), kernel{Power: 1})

// BMKR declares boosted multiple kernel regression with the grid of the 2020 experiments. For two classes the targets
// are the labels -1 and +1, and the sign of the sum decides.
func BMKR() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "BMKR", Version: "2", Tasks: registry.Binary | registry.Regression,
		Growth:  registry.Growth{Rows: 1.75, Features: 0.1, Points: 0.95, By: registry.By{"rounds": 1}},
		Source:  "Wu et al. 2017, as run by Gautheron et al., ECML PKDD 2020",
		Summary: "boosting by support vector regression, each round with the best of eleven kernels",
		Load:    fitting.NearLoad(loadVote),
	}, BMKRParams{T: 100, C: 1, LearningRate: 1, Epsilon: 0.1}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -2, 2)},
	}, fitting.NearPath(pathBMKR[float32]), registry.Memory(memoryBMKR))
}

func memoryBMKR(s registry.Shape, p BMKRParams) int64 {
	bytes := boostBytes(s, len(bmkrKernels), 4, p.T)
	if !allInMemory(s.N, len(bmkrKernels)) {
		_, factor := svm.InteriorBytes(s.N)
		// a factor of every kernel; scoring
		bytes += doubledBytes(s) + int64(len(bmkrKernels)-3)*factor + int64(8*rowsAtOnce*len(bmkrKernels)*s.N)
	}
	if fewFeatures(s.N, s.D) {
		bytes += svm.LinearBytes(s.N, s.D)
	}
	return bytes
}

func pathBMKR[F svm.Float](ctx context.Context, env registry.Env, train registry.Data, ps []BMKRParams,
	yield func(i int, m registry.Model) error) error {
	s := newSample(train.X)
	ks, err := grams[F](ctx, s, bmkrKernels)
	if err != nil {
		return err
	}
	b := newBooster(s, ks)
	for i, p := range ps {
		m, err := b.fit(ctx, env, train.Y, p)
		if err != nil {
			return withC("BMKR", p.C, err)
		}
		if err := yield(i, m); err != nil {
			return err
		}
	}
	return nil
}

// A booster runs BMKR. With r_0 = y, round t solves for each kernel k the epsilon-SVR
//
//	min over f in H_k, b  1/2 ||f||^2 + C sum_i max(0, |r_ti - f(x_i) - b| - epsilon),
//
// keeps the machine h_t with the least sum_i (r_ti - h_t(x_i))^2 (of equal machines, the first), and sets
// r_{t+1} = r_t - v h_t, where v is the learning rate. The model is v sum_t h_t.
//
// The residuals change little from round to round, so each kernel's SVR starts from the solution of the same kernel in
// the last round. A fit uses only its own solutions, so that it does not depend on the other grid points of a path. If
// MaxIter is set, every SVR has a cold start, as in the published program.
//
// Once the residuals lie in a band no wider than the tube, f = 0 solves every SVR with any b in an interval. libsvm
// then returns the middle of the interval: see flat.
//
// If the kernel matrices do not fit in memory, the Gaussian kernels are solved together: see svm.SolveFamily.
//
// The linear kernel comes last. Least squares over all functions w.x + b is a lower bound of its SVR's sum of squares,
// and takes one product. If this bound is not less than the best sum so far, the SVR is not solved. For C >= 1 the SVR
// takes 10^5 SMO steps and more, so where features are few, Newton's method (svm.Linear) comes first.
type booster[F svm.Float] struct {
	s       *sample
	kernels []*svm.Kernel[F]
	solver  svm.Solver[F]
	last    []svm.Solution // of each kernel
	r       []float64
	planes  *hyperplanes

	violation float64 // the largest of the machines of a fit

	family svm.Family[F] // the Gaussian kernels, or nil if each is solved by itself
	linear *svm.Linear   // the solver of the linear kernel, or nil where features are many
}

func newBooster[F svm.Float](s *sample, ks []*svm.Kernel[F]) *booster[F] {
	b := &booster[F]{s: s, kernels: ks, last: make([]svm.Solution, len(ks)), r: make([]float64, s.n)}
	if !ks[0].Stored() {
		b.family = newDoubled(s, ks[:len(ks)-1], bmkrKernels[0].Gamma)
	}
	if fewFeatures(s.n, s.d) {
		b.linear = svm.NewLinear(s.x, s.n, s.d)
	}
	return b
}

// fewFeatures reports whether the linear kernel is solved by Newton's method first.
func fewFeatures(n, d int) bool { return 16*(d+1) <= n }

func (b *booster[F]) fit(ctx context.Context, env registry.Env, y []float64, p BMKRParams) (*vote, error) {
	if b.planes == nil {
		var err error
		if b.planes, err = newHyperplanes(ctx, b.s); err != nil {
			return nil, err
		}
	}
	copy(b.r, y)
	clear(b.last)
	b.violation = 0
	b.solver.MaxSteps = p.MaxIter
	problem := svm.Regression(b.r, p.Epsilon, p.C)
	var learners []learner
	for range p.T {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, h, err := b.round(ctx, problem, p)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", len(learners)+1, err)
		}
		l.Weight = p.LearningRate
		learners = append(learners, l)
		if len(l.Coef) == 0 && l.Bias == 0 {
			break // the machine is zero: the residuals stay, and all later rounds would be the same
		}
		for i := range b.r {
			b.r[i] -= float64(p.LearningRate * (l.Bias + h[i]))
		}
	}
	reportCapped(env, "BMKR", p.C, b.violation, learners)
	return newVote(b.s, bmkrKernels, p.T, false, learners), nil
}

// round returns the best machine, and its values on the training set without the bias.
func (b *booster[F]) round(ctx context.Context, problem svm.Problem, p BMKRParams) (learner, []float64, error) {
	if bias, ok := flat(b.r, p.Epsilon); ok {
		return learner{Bias: bias}, make([]float64, b.s.n), nil
	}
	if err := b.solve(ctx, problem, p); err != nil {
		return learner{}, nil, err
	}
	best, least := -1, math.Inf(1)
	for k := range b.kernels {
		if bmkrKernels[k].Power == 1 {
			if b.planes.residual(b.r) >= least {
				continue
			}
			if err := b.solveLinear(ctx, k, problem, p); err != nil {
				return learner{}, nil, err
			}
		}
		if loss := squaredError(b.r, &b.last[k]); loss < least {
			best, least = k, loss
		}
	}
	if best < 0 {
		return learner{}, nil, errors.New("no kernel gives a finite error: standardise the features")
	}
	sol := &b.last[best]
	b.violation = max(b.violation, sol.Gap)
	l := learner{Kernel: best, Bias: sol.Bias, Capped: sol.Capped}
	if slices.ContainsFunc(sol.Beta, func(v float64) bool { return v != 0 }) {
		l.Coef = slices.Clone(sol.Beta)
	}
	return l, sol.Fit, nil
}

// solve solves the SVRs of the Gaussian kernels.
func (b *booster[F]) solve(ctx context.Context, problem svm.Problem, p BMKRParams) error {
	gaussian := len(b.kernels) - 1
	if b.family != nil && p.MaxIter == 0 {
		return b.solver.SolveFamily(ctx, b.family, problem, b.last[:gaussian])
	}
	for k := range gaussian {
		if err := b.solveOne(ctx, k, problem, p); err != nil {
			return err
		}
	}
	return nil
}

func (b *booster[F]) solveOne(ctx context.Context, k int, problem svm.Problem, p BMKRParams) error {
	sol := &b.last[k]
	if p.MaxIter > 0 {
		*sol = svm.Solution{}
	}
	if err := b.solver.Solve(ctx, b.kernels[k], problem, sol); err != nil {
		return fmt.Errorf("kernel %v: %w", bmkrKernels[k], err)
	}
	return nil
}

func (b *booster[F]) solveLinear(ctx context.Context, k int, problem svm.Problem, p BMKRParams) error {
	if b.linear == nil || p.MaxIter > 0 {
		return b.solveOne(ctx, k, problem, p)
	}
	tol := cmp.Or(b.solver.Tol, svm.DefaultTol)
	if err := b.linear.Improve(ctx, problem, tol, &b.last[k]); err != nil || b.last[k].Gap < tol {
		return err
	}
	return b.solveOne(ctx, k, problem, p)
}

// squaredError is the sum of squares of r minus the machine's values.
func squaredError(r []float64, sol *svm.Solution) float64 {
	loss := 0.0
	for i, r := range r {
		e := r - sol.Fit[i] - sol.Bias
		loss += float64(e * e)
	}
	return loss
}

// flat reports whether the zero function solves the SVR with targets r, to the tolerance of the solver. It returns the
// bias that the solver would return: the middle of the interval [max r - epsilon, min r + epsilon].
func flat(r []float64, epsilon float64) (bias float64, ok bool) {
	least, most := slices.Min(r), slices.Max(r)
	return least + (most-least)/2, (most-epsilon)-(least+epsilon) < svm.DefaultTol
}
