package mfga

import (
	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/rff"
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
	rows := int64(fitting.Held(s.N, s.D, int(m), blockRows, fitting.Few))
	return 8 * (rows*m + n*(4+int64(s.Outputs())) + 4*m*m + block*(2*m+int64(s.D)) + stages*int64(s.Outputs()))
}
