package rffsvm

import (
	"context"
	"fmt"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/methods/internal/linear"
	"github.com/kernelboosting/bench/methods/internal/vmath"
	"github.com/kernelboosting/bench/registry"
)

// PBRFFParams holds PBRFF's parameters.
type PBRFFParams struct {
	Landmarks int     `json:"landmarks" range:"[1,)" means:"training rows, drawn with replacement"`
	K         int     `json:"features" range:"[1,)" means:"random features of a landmark"`
	Gamma     float64 `json:"gamma" range:"[0,)" means:"coefficient of the kernel exp(-gamma |x-x'|^2); 0 is 1/d"`
	Beta      float64 `json:"beta" range:"[0,)" means:"how sharply aligned features are preferred; 0 weighs all alike"`
	C         float64 `json:"c" range:"(0,)" means:"cost of the linear support vector machine"`
	MaxIter   int     `json:"max_iter" range:"[0,)" means:"most Newton steps of the machine; 0 is a limit far beyond what it takes"`
}

// PBRFF declares PBRFF, the landmarks-based learning with random Fourier features of Letarte, Morvant and Germain
// (Pseudo-Bayesian Learning with Kernel Fourier Transform as Prior, AISTATS 2019), with the grid of the ECML 2020
// experiments.
//
// L landmarks are drawn from the training set. For each landmark, K random Fourier features of the Gaussian kernel
// exp(-gamma ||x-x'||^2) get weights in closed form, by how well each is aligned with the labels. The L weighted sums
// are a representation of x, and a linear support vector machine is trained on this representation.
func PBRFF() registry.Spec {
	return registry.DefinePath(registry.Spec{
		Name: "PBRFF", Version: "3", Tasks: registry.Binary,
		Growth: registry.Growth{Rows: 1, Features: 0.1, Points: 0.85,
			By: registry.By{"features": 0.4, "landmarks": 0.35}},
		Source:  "Letarte, Morvant and Germain, AISTATS 2019, section 4.1",
		Summary: "linear SVM on random Fourier features weighted at landmarks",
		Load:    loadPBRFF,
	}, PBRFFParams{Landmarks: 100, K: 10, Beta: 1, C: 1}, registry.Grid{
		{Name: "gamma", Values: registry.Powers(2, -2, 2), Per: registry.PerFeature},
		{Name: "beta", Values: registry.Powers(10, -2, 2)},
		{Name: "c", Values: registry.Powers(10, -2, 2)},
	}, fitPBRFF, registry.Memory(memoryPBRFF))
}

// fitPBRFF fits the grid points. All grid points share the draws. Grid points with one gamma share cosines and
// alignment losses, and grid points with one gamma and beta share the representation.
func fitPBRFF(ctx context.Context, env registry.Env, train registry.Data, ps []PBRFFParams,
	yield func(i int, m registry.Model) error) error {
	for _, drawn := range fitting.Groups(fitting.Upto(len(ps)),
		func(i int) [2]int { return [2]int{ps[i].Landmarks, ps[i].K} }) {
		first := ps[drawn[0]]
		draws := drawLandmarks(env.Rand(), train, first.Landmarks, first.K)
		gammas := fitting.Groups(drawn, func(i int) float64 { return ps[i].Gamma })
		for at, wide := range gammas {
			kernel := draws.scale(ps[wide[0]].Gamma, at == len(gammas)-1)
			if len(wide) > 1 {
				kernel.recent = new(recent)
			}
			sharps := fitting.Groups(wide, func(i int) float64 { return ps[i].Beta })
			betas := make([]float64, len(sharps))
			for k, sharp := range sharps {
				betas[k] = ps[sharp[0]].Beta
			}
			representations, err := kernel.represent(ctx, betas)
			if err != nil {
				return err
			}
			for k, sharp := range sharps {
				if err := classify(ctx, env, train.Y, representations[k], ps, sharp, yield); err != nil {
					return err
				}
				representations[k].phi = nil // free the memory for the next representation
			}
		}
	}
	return nil
}

// classify trains the support vector machines of the given grid points on one representation.
func classify(ctx context.Context, env registry.Env, y []float64, r *representation, ps []PBRFFParams, which []int,
	yield func(i int, m registry.Model) error) error {
	svm, err := linear.New(r.phi, len(y), r.l, y)
	if err != nil {
		return fmt.Errorf("PBRFF: %w", err)
	}
	for _, i := range which {
		s, err := trained(ctx, env, "PBRFF", svm, ps[i].C, ps[i].MaxIter)
		if err != nil {
			return err
		}
		if err := yield(i, newPBRFFModel(r, s)); err != nil {
			return err
		}
	}
	return nil
}

// gridBetas is the number of values of beta in the published grid. Their representations exist at the same time.
const gridBetas = 5

// memoryPBRFF counts the frequencies, packed rows, the representations of the published grid, the cosines of one
// landmark, the support vector machine, and the cosines that models keep when they score as many rows.
func memoryPBRFF(s registry.Shape, p PBRFFParams) int64 {
	features, n := int64(p.Landmarks)*int64(p.K), int64(s.N)
	kept := min(features*n*8, recentBytes)
	representations := n * int64(gridBetas*(p.Landmarks+min(p.Landmarks, landmarksAtOnce)))
	return int64(vmath.PackedBytes(s.N, s.D)) + kept + linear.Memory(s.N, p.Landmarks) +
		8*(2*features*int64(s.D+4)+representations+n*int64(p.K))
}
