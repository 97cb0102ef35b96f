package gbrff

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
)

// Params2 holds GBRFF2's parameters.
type Params2 struct {
	T      int     `json:"rounds" range:"[1,)" means:"boosting rounds, each of which adds a learner"`
	Gamma  float64 `json:"gamma" range:"[0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2); 0 is 1/d"`
	Lambda float64 `json:"lambda" range:"[0,)" means:"penalty on |omega|^2, the squared frequency"`
}

// GBRFF2 declares Algorithm 3 of the paper with the grid of its experiments.
func GBRFF2() registry.Spec {
	return registry.Define(registry.Spec{
		Name: "GBRFF2", Version: "1", Tasks: registry.Binary,
		Growth:  registry.Growth{Rows: 1, Features: 0.5, Points: 1, By: registry.By{"rounds": 1}},
		Source:  "Gautheron et al., ECML PKDD 2020, Algorithm 3",
		Summary: "boosted random Fourier features with learned phase and frequency",
		Load:    load,
	}, Params2{T: 100}, registry.Grid{
		{Name: "lambda", Values: append(registry.Values(0.0), registry.Powers(2, -5, -2)...)},
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
	}, fit2,
		registry.Memory(memory2))
}

// memory2 counts the packed rows, if the fit packs them, three vectors of the wave, and the model.
func memory2(s registry.Shape, p Params2) int64 {
	bytes := memory(s, p.T, 1) + 3*8*int64(s.N)
	if packed := int64(vmath.PackedBytes(s.N, s.D)); packed <= packedLimit {
		bytes += packed
	}
	return bytes
}

const (
	frequencyIterations = 10
	phaseTolerance      = 1e-2     // of a turn
	packedLimit         = 32 << 20 // bytes
)

// examples are the rows for the searches of phase and frequency: packed, or in place. Both forms give the same bits.
type examples interface {
	MatVec(dst, v []float64)
	ExpCosLoss(w []float64, b float64, r, cosines, grad []float64) float64
}

// asExamples packs the rows if they fit into a cache. A pass over more rows takes as long as reading them from memory,
// packed or not. So more rows are used in place, which saves the memory of a copy.
func asExamples(x rows) examples {
	if vmath.PackedBytes(x.n, x.d) <= packedLimit {
		return x.pack()
	}
	return x
}

// MatVec sets dst to the products of the rows with v.
func (x rows) MatVec(dst, v []float64) { vmath.MatVec(dst, x.data, x.n, x.d, v) }

// ExpCosLoss is that of [vmath.Packed].
func (x rows) ExpCosLoss(w []float64, b float64, r, cosines, grad []float64) float64 {
	return vmath.RowsExpCosLoss(x.data, x.n, x.d, w, b, r, cosines, grad)
}

// fit2 is Algorithm 3. Like the published program, it stops both searches early: for the frequency after ten L-BFGS
// iterations, for the phase within a hundredth of a turn.
func fit2(ctx context.Context, env registry.Env, train registry.Data, p Params2) (registry.Model, error) {
	if err := bothClasses(train.Y); err != nil {
		return nil, fmt.Errorf("GBRFF2: %w", err)
	}
	x := rowsOf(train.X)
	return boost2(ctx, env, asExamples(x), x.d, train.Y, p)
}

// boost2 is Algorithm 3 on checked data with d features.
func boost2(ctx context.Context, env registry.Env, x examples, d int, y []float64, p Params2) (registry.Model, error) {
	omegas := draw(env.Rand(), p.T*d, coefficient(p.Gamma, d)) // line 5 of every round
	v := newState(y)                                           // lines 1, 3 and 4
	m := newEnsemble(d, p.T, 1, v.h0, omegas)
	w := newWave(x, v.residual, p.Lambda)
	for t := range p.T { // line 2
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		omega := m.omega(t, 0)               // line 5
		b := w.findPhase(omega)              // line 6
		w.learnFrequency(omega)              // line 7
		alpha, err := v.add(w.values(omega)) // lines 8 and 9; 3 and 4 of the next round
		if err != nil {
			return nil, fmt.Errorf("GBRFF2, round %d: %w", t+1, err)
		}
		m.Alpha[t], m.Phase[t] = alpha, b
	}
	return m, nil
}

// A wave searches the weak learner cos(omega.x - b) for the residuals r:
//
//	phase      min over b in [-pi, pi] of  mean exp(-r_i cos(omega.x_i - b))
//	frequency  min over omega of  lambda ||omega||^2 + mean exp(-r_i cos(omega.x_i - b))
//
// The first is solved by bounded scalar minimisation over b in turns. As
// cos(z-b) = cos z cos b + sin z sin b, it needs the cosines and sines of
// z_i = omega.x_i once and one exponential per row and evaluation. The second is
// solved by L-BFGS from the drawn omega with the gradient
//
//	2 lambda omega + mean r_i sin(omega.x_i - b) exp(-r_i cos(omega.x_i - b)) x_i.
type wave struct {
	x        examples
	r        []float64
	lambda   float64
	b        float64
	z        []float64 // omega.x_i, or cos(at.x_i - b)
	at       []float64 // the frequency at which its loss was evaluated last
	sin, cos []float64 // of omega.x_i
	optimum  solve.LBFGS
	phase    func(turns float64) float64
	loss     solve.Objective
}

func newWave(x examples, r []float64, lambda float64) *wave {
	n := len(r)
	w := &wave{
		x: x, r: r, lambda: lambda,
		z: make([]float64, n), sin: make([]float64, n), cos: make([]float64, n),
		optimum: solve.LBFGS{MaxIter: frequencyIterations},
	}
	w.phase, w.loss = w.phaseLoss, w.frequencyLoss
	return w
}

// findPhase sets and returns b, with omega fixed.
func (w *wave) findPhase(omega []float64) float64 {
	w.x.MatVec(w.z, omega)
	vmath.SinCos(w.sin, w.cos, w.z)
	turns, _ := solve.Brent(w.phase, -0.5, 0.5, phaseTolerance)
	w.b = 2 * math.Pi * turns
	return w.b
}

func (w *wave) phaseLoss(turns float64) float64 {
	return vmath.ExpShiftLoss(w.r, w.cos, w.sin, 2*math.Pi*turns)
}

// learnFrequency improves omega in place, with b fixed.
func (w *wave) learnFrequency(omega []float64) { w.optimum.Minimize(omega, w.loss) }

func (w *wave) frequencyLoss(omega, gradient []float64) float64 {
	w.at = append(w.at[:0], omega...)
	loss := w.x.ExpCosLoss(omega, w.b, w.r, w.z, gradient)
	solve.AddScaled(gradient, 2*w.lambda, omega)
	return loss + float64(w.lambda*solve.Dot(omega, omega))
}

// values returns cos(omega.x_i - b) after learnFrequency. The values are valid until the next search. Mostly w.z holds
// them already, since a search ends at the point of its last evaluation unless it found no step.
func (w *wave) values(omega []float64) []float64 {
	if slices.Equal(w.at, omega) {
		return w.z
	}
	w.x.MatVec(w.z, omega)
	floats.AddConst(-w.b, w.z)
	vmath.Cos(w.z, w.z)
	return w.z
}
