package mfga

import (
	"github.com/kernelboosting/bench/methods/internal/rff"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// memory counts what a fit of MFGA allocates: the distances for the width, the Gaussian factors, the derivatives of the
// candidates, the active columns, the solver and the model.
func memory(s registry.Shape, p Params) int64 {
	features, step := p.size(s.Task, s.D)
	bytes := 8 * int64(s.N+5*p.kernel(s.Task).count(s.D)) // derivatives, and what sorts them
	if p.Sigma == 0 {
		bytes += rff.WidthBytes(s.N, p.Neighbour)
	}
	if p.kernel(s.Task).Order == 2 {
		m := int64(s.D+8) &^ 7
		bytes += 8 * m * (m + 2*productRows)
	}
	return bytes + solverBytes(s, features, step)
}

// randomMemory counts what a fit of RKS, EERF or LKRF allocates: the draws, blocks of scores, and the solver.
func randomMemory(s registry.Shape, p random) int64 {
	bytes := 8 * int64(p.Candidates+p.Features*s.Outputs()) * int64(s.D+1)
	if p.Sigma == 0 {
		bytes += rff.WidthBytes(s.N, p.Neighbour)
	}
	if p.choice != byOrder {
		bytes += 8 * int64(min(s.N, blockRows)*(s.D+1+min(featuresAtOnce, p.Candidates))+s.N)
	}
	step := p.Step
	if step == 0 {
		step = p.Features
	}
	return bytes + solverBytes(s, p.Features, step)
}

// solverBytes counts the design, the vectors and systems of the solver, the coefficients of all stages, and a block of
// rows that the model scores. Targets are solved one after the other.
func solverBytes(s registry.Shape, features, step int) int64 {
	n, m := int64(s.N), int64(features+9)&^7
	stages := int64(features/step+1) * int64(features) / 2
	block := int64(min(s.N, blockRows))
	return 8 * (n*(m+4+int64(s.Outputs())) + 4*m*m + block*(2*m+int64(s.D)) + stages*int64(s.Outputs()))
}

// The costs, in nanoseconds, were fitted to normal rows (n to 8000, d to 170) and to adult.

// pathCost adds the cost of the width and of the factors, once for each kernel, and the cost of the greedy steps of
// each grid point.
func pathCost(s registry.Shape, ps []Params) float64 {
	sum := 0.0
	seen := map[kernelOf]bool{}
	for _, p := range ps {
		k := p.kernel(s.Task)
		if !seen[k] {
			seen[k] = true
			sum += widthCost(s, k)
		}
		features, step := p.size(s.Task, s.D)
		n, d := float64(s.N), float64(s.D)
		scoring := 0.35 * n * d
		if k.Order == 2 {
			scoring = n * (15 + 0.5*d + 0.028*d*d)
		}
		sum += float64(s.Outputs()) * (float64(features/step)*scoring + solveCost(s, features, step))
	}
	return sum
}

// randomPathCost adds the cost of widths, draws and scores, once for the grid points that share them, and the cost of
// the solvers.
func randomPathCost(s registry.Shape, ps []random) float64 {
	sum := 0.0
	seen := map[random]bool{}
	for _, p := range ps {
		step := p.Step
		if step == 0 {
			step = p.Features
		}
		sum += float64(s.Outputs()) * solveCost(s, p.Features, step)
		if p.Lambda = 0; !seen[p] {
			seen[p] = true
			columns := p.Features
			if p.choice != byOrder {
				columns += p.Candidates
			}
			sum += widthCost(s, kernelOf{Width: p.Sigma, Neighbour: p.Neighbour}) + float64(p.Candidates*s.D)*15
			sum += float64(s.Outputs()) * float64(s.N) * float64(columns) * (1.5 + 0.045*float64(s.D))
		}
	}
	return sum
}

// widthCost is the cost of all distances, if the width is measured from neighbours, and a constant for every fit.
func widthCost(s registry.Shape, k kernelOf) float64 {
	n, d := float64(s.N), float64(s.D)
	if k.Width != 0 {
		return n * d
	}
	near := float64(min(k.Neighbour, max(1, s.N-1)))
	return 4e6 + n*n*(1+0.023*d) + 38*n*near*(1+vmath.LogScalar(max(1, n/near)))
}

// solveCost is the cost of the solver's passes over the active sets, which grow from step to step.
func solveCost(s registry.Shape, features, step int) float64 {
	sum, n := 0.0, float64(s.N)
	for m := step; ; m += step {
		k := float64(min(m, features))
		if s.Task == registry.Regression {
			sum += n*(k*float64(step)*0.03+k*0.7+8) + k*k*k/15 + 12*k*k + 3000
		} else { // about four Hessians and three gradients
			sum += 5 * (n*(k*k*0.02+k*0.6+10) + k*k*k/20 + 3*k*k + 3000)
		}
		if m >= features {
			return sum
		}
	}
}
