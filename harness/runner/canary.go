package runner

import (
	"math/rand/v2"

	"github.com/kernelboosting/bench/harness/canary"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/split"
)

// A Canary marks a cell whose training labels contradict the truth; see package canary.
type Canary struct {
	Seed [32]byte `json:"seed"` // of the generator that draws the labels
}

// mislead gives the training rows of a split the labels of a canary. The test rows keep their true labels.
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

// outcome turns the test scores of a canary into evidence. whole is the part that the canary was refitted on.
func (c *Canary) outcome(whole split.Part, scores []float64) *result.Canary {
	sh := whole.Score.Shape()
	return &result.Canary{
		P:        canary.P(sh.Task, sh.Classes, whole.Score.Y, scores),
		Constant: canary.Constant(sh.Task, whole.Score.Y),
	}
}
