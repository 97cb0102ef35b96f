// Package gfc holds GFC, the greedy feature construction of Oglic and Gärtner, NIPS 2016,
// with ridge-wave features as the ECML 2020 experiments run it.
//
// Each greedy step learns one frequency w, such that ridge regression of the labels on the current fit, sin(w.x) and
// cos(w.x) has the least squared error. This regression becomes the next fit. Only the frequencies are kept: the sines
// and cosines of all frequencies represent x, and a linear support vector machine is trained on this representation.
// Only the machine depends on C, so the frequencies are learned once for all values of C.
//
//	gfc.go    the method, its parameters, and the greedy steps
//	ridge.go  the objective of a step and its gradient
//	model.go  scoring and saving
//
// # Departure
//
// The published program stops libsvm after 10,000 iterations. Here the support vector
// machine is solved to a relative duality gap of linear.Tolerance, or the fit warns.
package gfc

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

// Params holds GFC's parameters.
type Params struct {
	Features int     `json:"features" range:"[1,)" means:"frequencies learned; each gives a sine and a cosine"`
	C        float64 `json:"c" range:"(0,)" means:"cost of the linear support vector machine"`
}

// Spec declares GFC with the grid of the ECML 2020 experiments.
func Spec() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "GFC", Version: "2", Tasks: registry.Binary,
		Source:  "Oglic and Gärtner, NIPS 2016, Algorithm 1",
		Summary: "linear SVM on sines and cosines of greedily learned frequencies",
		Load:    load,
	}, Params{Features: 100, C: 1}, registry.Grid{
		{Name: "c", Values: registry.Powers(10, -2, 2)},
	}, fitPath, registry.Memory(memory), registry.PathCost(pathCost))
}

const (
	stepIterations = 200  // of L-BFGS, at most
	firstRho       = 1e-2 // the first value of the ridge parameter rho
)

// fitPath fits the grid points. Grid points that differ in C alone share the frequencies.
func fitPath(ctx context.Context, env registry.Env, train registry.Data, ps []Params,
	yield func(i int, m registry.Model) error) error {
	for _, group := range fitting.Groups(fitting.Upto(len(ps)), func(i int) int { return ps[i].Features }) {
		omega, err := learn(ctx, env, train, ps[group[0]].Features)
		if err != nil {
			return err
		}
		svm, err := represent(ctx, train, omega)
		if err != nil {
			return fmt.Errorf("GFC: %w", err)
		}
		for _, i := range group {
			s, err := svm.Solve(ctx, ps[i].C, 0)
			if err != nil {
				return fmt.Errorf("GFC: %w", err)
			}
			if s.Gap > linear.Tolerance*s.Objective {
				env.Log.Warn("GFC's machine ended before its optimum", "c", ps[i].C, "relative gap",
					fmt.Sprintf("%.1g", s.Gap/s.Objective))
			}
			if err := yield(i, newModel(omega, s)); err != nil {
				return err
			}
		}
	}
	return nil
}

// learn returns the frequencies as rows. Each starts from a draw of N(0, I/d); the published
// program draws them in the same order.
func learn(ctx context.Context, env registry.Env, train registry.Data, features int) (*mat.Dense, error) {
	n, d := train.X.Dims()
	omega := mat.NewDense(features, d, nil)
	starts := omega.RawMatrix().Data
	env.Rand().Norms(starts)
	floats.Scale(1/math.Sqrt(float64(d)), starts)
	r := newRidge(vmath.Pack(fitting.Rows(train.X), n, d), train.Y)
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

// represent returns the support vector machine's problem in the sines and cosines of the frequencies.
func represent(ctx context.Context, train registry.Data, omega *mat.Dense) (*linear.Problem, error) {
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

// memory counts frequencies, packed rows, seven vectors of a step, the representation
// and the support vector machine.
func memory(s registry.Shape, p Params) int64 {
	n, features := int64(s.N), int64(p.Features)
	return int64(vmath.PackedBytes(s.N, s.D)) + 8*(features*int64(s.D+4)+7*n+2*features*n) + linear.Memory(s.N,
		2*p.Features)
}

// The costs were fitted to wine, pima, german and spambase (n to 3217, d to 57), in nanoseconds.

// pathCost adds the cost of learning, once for each number of features, and the cost of each support vector machine.
func pathCost(s registry.Shape, ps []Params) float64 {
	sum := 0.0
	seen := map[int]bool{}
	for _, p := range ps {
		sum += linear.Cost(s.N, 2*p.Features, p.C)
		if !seen[p.Features] {
			seen[p.Features] = true
			sum += learnCost(s, p)
		}
	}
	return sum
}

// learnCost is the cost of 20 to 50 evaluations for each greedy step.
func learnCost(s registry.Shape, p Params) float64 {
	n := float64(s.N)
	return float64(p.Features) * (20 + min(30, n/25)) * (300 + n*(3.2+0.19*float64(s.D)))
}
