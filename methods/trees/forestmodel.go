package trees

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/kernelboosting/bench/methods/internal/fitting"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Forest is a random forest. The score of a binary problem is the mean vote of the trees, each -1 or +1. The score of
// a class is its share of the votes. The prediction of a regression is the mean of the trees' values.
type Forest struct {
	Task     string
	Features int
	Outputs  int
	Trees    []Tree
	Splits   []int     // by feature, over all trees
	Gain     []float64 // by feature: the amount by which splits raised the score (see cut)
}

// A Tree is a tree in preorder: the left child of a node follows the node. A row goes left if its feature is at most
// the threshold. Feature -1 marks a leaf.
type Tree struct {
	Feature   []int32
	Threshold []float64
	Right     []int32
	Value     []float64 // class index or mean target, also for inner nodes
	Rows      []int32   // number of rows of the bootstrap sample
	Gain      []float64 // the amount by which the split raises the score (see cut)
}

func (t *Tree) value(row []float64) float64 {
	at := 0
	for t.Feature[at] >= 0 {
		if row[t.Feature[at]] <= t.Threshold[at] {
			at++
		} else {
			at = int(t.Right[at])
		}
	}
	return t.Value[at]
}

// Rounds returns the number of trees.
func (f *Forest) Rounds() int { return len(f.Trees) }

// Score implements registry.Model.
func (f *Forest) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	if err := f.votes(ctx, x).Score(x, out); err != nil {
		return err
	}
	average(out, out, f.Rounds())
	return nil
}

// ScoreStages implements registry.Stager for 1 to Rounds trees.
func (f *Forest) ScoreStages(ctx context.Context, x *mat.Dense, at []int,
	yield func(t int, scores []float64) error) error {
	var scores []float64
	return f.votes(ctx, x).ScoreStages(x, at, func(t int, votes []float64) error {
		if scores == nil {
			scores = make([]float64, len(votes))
		}
		average(scores, votes, t)
		return yield(t, scores)
	})
}

// votes returns the trees' votes on the rows x as a sum over trees.
func (f *Forest) votes(ctx context.Context, x *mat.Dense) fitting.Sum {
	return fitting.Sum{Features: f.Features, Outputs: f.Outputs, Rounds: f.Rounds(), Least: 1,
		Add: func(votes []float64, from, to int) error {
			for t := from; t < to; t++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := f.vote(&f.Trees[t], x, votes); err != nil {
					return err
				}
			}
			return nil
		}}
}

// average writes the votes of t trees, divided by t.
func average(scores, votes []float64, t int) {
	for i, v := range votes {
		scores[i] = v / float64(t)
	}
}

func (f *Forest) vote(t *Tree, x *mat.Dense, votes []float64) error {
	n, _ := x.Dims()
	for i := range n {
		row := x.RawRowView(i)
		if slices.ContainsFunc(row, math.IsNaN) {
			return fmt.Errorf("row %d has a NaN; RF scores numbers only", i)
		}
		v := t.value(row)
		switch f.Task {
		case "binary":
			votes[i] += 2*v - 1
		case "multiclass":
			votes[i*f.Outputs+int(v)]++
		default:
			votes[i] += v
		}
	}
	return nil
}

// Save implements registry.Saver.
func (f *Forest) Save(w io.Writer) error { return fitting.Save(w, "RF", f) }

func loadForest(r io.Reader) (registry.Model, error) { return fitting.Load(r, "RF", (*Forest).check) }

// check makes sure that every row ends in a leaf: the children of a node come after the node.
func (f *Forest) check() error {
	task, err := registry.ParseTask(f.Task)
	switch {
	case err != nil:
		return err
	case f.Features < 1 || f.Outputs < 1 || task != registry.Multiclass && f.Outputs != 1 || len(f.Trees) == 0:
		return fmt.Errorf("%d trees, %d features and %d outputs do not fit a %s problem", len(f.Trees), f.Features,
			f.Outputs, task)
	case len(f.Splits) != f.Features || len(f.Gain) != f.Features:
		return fmt.Errorf("%d and %d importances for %d features", len(f.Splits), len(f.Gain), f.Features)
	}
	for i := range f.Trees {
		if err := f.checkTree(i, task); err != nil {
			return err
		}
	}
	return nil
}

func (f *Forest) checkTree(i int, task registry.Task) error {
	t := &f.Trees[i]
	n := len(t.Feature)
	if n == 0 || len(t.Threshold) != n || len(t.Right) != n || len(t.Value) != n || len(t.Rows) != n ||
		len(t.Gain) != n {
		return fmt.Errorf("the arrays of tree %d differ in length", i)
	}
	for at, feature := range t.Feature {
		class := t.Value[at]
		switch {
		case feature >= int32(f.Features) || feature < -1:
			return fmt.Errorf("node %d of tree %d splits feature %d of %d", at, i, feature, f.Features)
		case feature >= 0 && (int(t.Right[at]) <= at || int(t.Right[at]) >= n || at+1 >= n):
			return fmt.Errorf("node %d of tree %d has a child outside (%d, %d)", at, i, at, n)
		case math.IsNaN(class) || task == registry.Multiclass && !(class >= 0 && class < float64(f.Outputs)):
			return fmt.Errorf("node %d of tree %d has the value %v", at, i, class)
		}
	}
	return nil
}
