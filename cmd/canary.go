package cmd

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/kernelboosting/bench/harness/canary"
	"github.com/kernelboosting/bench/internal/test/toydata"
	"github.com/kernelboosting/bench/registry"
)

// tryCanary trains a method twice on half of a small data set, which other checks have shown to the method as a whole: once
// with the true labels, once with labels that contradict them. Each time the method predicts the other half. If its
// predictions are right the second time too, it knows the labels from elsewhere, and the check fails.
func tryCanary(ctx context.Context, spec registry.Spec) (string, error) {
	const rows = 200
	task := registry.Binary
	for _, each := range []registry.Task{registry.Regression, registry.Multiclass, registry.Binary} {
		if spec.Tasks&each != 0 {
			task = each
		}
	}
	all := toydata.Easy(task, rows, 4, 1)
	var halves [2][]int
	for i := range rows {
		halves[i%2] = append(halves[i%2], i)
	}
	train, test := toydata.Rows(all, halves[0]), toydata.Rows(all, halves[1])
	contrary := train
	everyRow := make([]int, rows/2)
	for i := range everyRow {
		everyRow[i] = i
	}
	contrary.Y = canary.Labels(rand.New(rand.NewPCG(1, 1)), task, train.Y, [][]int{everyRow})
	var p [2]float64
	for i, d := range []registry.Data{train, contrary} {
		m, err := spec.Fit(ctx, registry.Env{Seed: 1}, d, nil)
		if err != nil {
			return "", err
		}
		shape := test.Shape()
		scores := make([]float64, shape.N*shape.Outputs())
		if err := m.Score(ctx, test.X, scores); err != nil {
			return "", err
		}
		p[i] = canary.P(task, test.Classes, test.Y, scores)
	}
	if p[0] <= canary.Level && p[1] <= canary.Level {
		return "", fmt.Errorf("right about rows whose labels it was not given, also where its training labels contradict them (p = %.0e)", p[1])
	}
	return fmt.Sprintf("with labels that contradict the truth it is right by chance, p = %.2g", p[1]), nil
}
