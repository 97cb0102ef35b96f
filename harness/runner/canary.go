package runner

import (
	"math/rand/v2"

	"github.com/kernelboosting/bench/harness/canary"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
)

// A Canary says that the training labels of a cell contradict the truth, as package canary has it.
type Canary struct {
	Seed [32]byte `json:"seed"` // of what is drawn
}

// mislead gives the training rows of a split the labels of a canary; the test rows keep theirs.
func (c *Canary) mislead(parts split.Parts) split.Parts {
	train := parts.Split.Train
	y := make([]float64, len(train))
	for i, row := range train {
		y[i] = parts.Set.Y[row]
	}
	groups := parts.Split.Folds
	if groups == nil { // nothing is searched: the training rows are one group
		groups = [][]int{make([]int, len(train))}
		for i := range train {
			groups[0][i] = i
		}
	}
	set := *parts.Set
	set.Y = append([]float64(nil), set.Y...)
	for i, v := range canary.Labels(rand.New(rand.NewChaCha8(c.Seed)), set.Task, y, groups) {
		set.Y[train[i]] = v
	}
	parts.Set = &set
	return parts
}

// outcome is what the test scores of a canary show; whole is its refit.
func (c *Canary) outcome(whole split.Part, scores []float64) *result.Canary {
	sh := whole.Score.Shape()
	return &result.Canary{
		P:        canary.P(sh.Task, sh.Classes, whole.Score.Y, scores),
		Constant: canary.Constant(sh.Task, whole.Score.Y),
	}
}
