package rffsvm

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/linear"
	"github.com/kernelboosting/bench/methods/internal/solve"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// GFCParams holds GFC's parameters.
type GFCParams struct {
	Features int     `json:"features" range:"[1,)" means:"frequencies learned; each gives a sine and a cosine"`
	C        float64 `json:"c" range:"(0,)" means:"cost of the linear support vector machine"`
}

// GFC declares GFC, the greedy feature construction of Oglic and Gärtner (NIPS 2016) with ridge-wave features, with
// the grid of the ECML 2020 experiments.
//
// Each greedy step learns one frequency w, such that ridge regression of the labels on the current fit, sin(w.x) and
// cos(w.x) has the least squared error. This regression becomes the next fit. Only the frequencies are kept: the sines
// and cosines of all frequencies represent x, and a linear support vector machine is trained on this representation.
// Only the machine depends on C, so the frequencies are learned once for all values of C.
func GFC() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "GFC", Version: "2", Tasks: registry.Binary,
		Growth:  registry.Growth{Rows: 1.1, Features: 0.3, Points: 0.3, By: registry.By{"features": 1}},
		Source:  "Oglic and Gärtner, NIPS 2016, Algorithm 1",
		Summary: "linear SVM on sines and cosines of greedily learned frequencies",
		Load:    loadGFC,
	}, GFCParams{Features: 100, C: 1}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -2, 2)},
	}, fitGFC, registry.Memory(memoryGFC))
}

const (
	stepIterations = 200  // of L-BFGS, at most
	firstRho       = 1e-2 // the first value of the ridge parameter rho
)

// fitGFC fits the grid points. Grid points that differ in C alone share the frequencies.
func fitGFC(ctx context.Context, env registry.Env, train registry.Data, ps []GFCParams,
	yield func(i int, m registry.Model) error) error {
	for _, group := range fitting.Groups(fitting.Upto(len(ps)), func(i int) int { return ps[i].Features }) {
		omega, err := learnFrequencies(ctx, env, train, ps[group[0]].Features)
		if err != nil {
			return err
		}
		svm, err := sinesAndCosines(ctx, train, omega)
		if err != nil {
			return fmt.Errorf("GFC: %w", err)
		}
		for _, i := range group {
			s, err := trained(ctx, env, "GFC", svm, ps[i].C, 0)
			if err != nil {
				return err
			}
			if err := yield(i, newGFCModel(omega, s)); err != nil {
				return err
			}
		}
	}
	return nil
}

// learnFrequencies returns the frequencies as rows. Each starts from a draw of N(0, I/d); the published
// program draws them in the same order.
func learnFrequencies(ctx context.Context, env registry.Env, train registry.Data, features int) (*mat.Dense, error) {
	n, d := train.X.Dims()
	omega := mat.NewDense(features, d, nil)
	starts := omega.RawMatrix().Data
	env.Rand().Norms(starts)
	floats.Scale(1/math.Sqrt(float64(d)), starts)
	r := newGFCStep(vmath.Pack(fitting.Rows(train.X), n, d), train.Y)
	search := solve.LBFGS{MaxIter: stepIterations}
	theta := make([]float64, d+1) // w, then rho
	loss := func(theta, gradient []float64) float64 {
		if ctx.Err() != nil { // a zero gradient ends the search
			clear(gradient)
			return 0
		}
		return r.loss(theta, gradient)
	}
	for j := range features {
		copy(theta, omega.RawRowView(j))
		theta[d] = firstRho
		search.Minimize(theta, loss)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		copy(omega.RawRowView(j), theta)
		r.advance(theta)
	}
	return omega, nil
}

// sinesAndCosines returns the support vector machine's problem in the sines and cosines of the frequencies.
func sinesAndCosines(ctx context.Context, train registry.Data, omega *mat.Dense) (*linear.Problem, error) {
	n, d := train.X.Dims()
	features := omega.RawMatrix().Rows
	phi := make([]float64, 2*features*n)
	sines, cosines := make([]float64, features), make([]float64, features)
	x := fitting.Rows(train.X)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vmath.MatVec(sines, omega.RawMatrix().Data, features, d, x[i*d:(i+1)*d])
		vmath.SinCos(sines, cosines, sines)
		copy(phi[2*i*features:], sines)
		copy(phi[(2*i+1)*features:], cosines)
	}
	return linear.New(phi, n, 2*features, train.Y)
}

// memoryGFC counts frequencies, packed rows, seven vectors of a step, the representation
// and the support vector machine.
func memoryGFC(s registry.Shape, p GFCParams) int64 {
	n, features := int64(s.N), int64(p.Features)
	return int64(vmath.PackedBytes(s.N, s.D)) + 8*(features*int64(s.D+4)+7*n+2*features*n) + linear.Memory(s.N,
		2*p.Features)
}
