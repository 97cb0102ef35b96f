package registry

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/kernelboosting/bench/registry/rng"
	"gonum.org/v1/gonum/mat"
)

// A Task is a set of learning problems.
type Task uint8

const (
	// Binary is classification with labels -1 and +1.
	Binary Task = 1 << iota
	// Multiclass is classification with labels 0..Classes-1.
	Multiclass
	// Regression has real targets.
	Regression
)

var taskNames = []struct {
	task Task
	name string
}{{Binary, "binary"}, {Multiclass, "multiclass"}, {Regression, "regression"}}

// String returns the tasks' names joined by commas.
func (t Task) String() string {
	var names []string
	for _, n := range taskNames {
		if t&n.task != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}

// ParseTask is the inverse of String for a single task.
func ParseTask(name string) (Task, error) {
	for _, n := range taskNames {
		if n.name == name {
			return n.task, nil
		}
	}
	return 0, fmt.Errorf("task %q is not binary, multiclass or regression", name)
}

// Data is a sample: row i of X (n x d, row-major) with target Y[i]: -1 or +1 for
// Binary, a class index in [0, Classes) for Multiclass, a real for Regression.
// Methods must not change it: folds and methods share the same memory.
type Data struct {
	Task    Task
	Classes int // 2 for Binary, 0 for Regression
	X       *mat.Dense
	Y       []float64
	Blocks  []Block // of the features, ascending; nil unless the set has them and the method declares that it uses them
}

// Shape returns the sample's shape.
func (d Data) Shape() Shape {
	n, p := d.X.Dims()
	return Shape{Task: d.Task, N: n, D: p, Classes: d.Classes, Blocks: d.Blocks}
}

// Shape is what a grid or an estimate may depend on: rows, features, classes, blocks of features.
type Shape struct {
	Task Task
	N, D int
	// of the D features, those with at most four values, as codes of categories have; 0 where this is not known
	Codes   int `json:",omitempty"`
	Classes int
	Blocks  []Block
}

// Outputs returns the number of scores per row: 1 for Binary and Regression,
// Classes for Multiclass.
func (s Shape) Outputs() int {
	if s.Task == Multiclass {
		return s.Classes
	}
	return 1
}

// Env is everything besides data and parameters that a fit may depend on.
type Env struct {
	Seed uint32       // of every generator a fit draws from; the protocol fixes it
	Log  *slog.Logger // never nil inside a fit

	// OnThread runs work on the calling goroutine and counts its CPU time as the
	// cell's. A fit that starts goroutines runs their work through it; work on the
	// goroutine of the fit itself is counted anyway. Never nil inside a fit.
	OnThread func(work func())

	// Used counts what another process did for the fit or its model: processor time in seconds since the last call, and
	// the largest resident size in bytes so far. It is safe for concurrent use, and nil where nobody counts.
	Used func(cpuSeconds float64, peakBytes int64)

	// Memo returns what compute returns, or the number that an earlier fit computed under the same key. The number must
	// depend only on what the key hashes. Its processor time counts for the fit in both cases. Memo is nil if nothing
	// is remembered.
	Memo func(key MemoKey, compute func() (float64, error)) (float64, error)
}

// A MemoKey is the SHA-256 of all that a number of Env.Memo depends on.
type MemoKey [sha256.Size]byte

// Rand returns a fresh generator at the start of its stream. Draws must not
// depend on the grid point, so that settings are compared on common random
// numbers; draw in a fixed order, before the parameters are looked at.
func (e Env) Rand() *rng.RandomState { return rng.New(e.Seed) }

// A Model is what a fit returns. Score writes one row of scores per row of x to
// out (n x Outputs, row-major, len(out) exact): for Binary the decision value,
// whose sign is the label (0 counts as +1, as in the published experiments); for
// Multiclass a score per class, the largest wins; for Regression the prediction.
// A model is safe for concurrent use and does not keep x or out.
type Model interface {
	Score(ctx context.Context, x *mat.Dense, out []float64) error
}

// ScoreFunc is a Model made of its Score method alone.
type ScoreFunc func(ctx context.Context, x *mat.Dense, out []float64) error

// Score calls f.
func (f ScoreFunc) Score(ctx context.Context, x *mat.Dense, out []float64) error {
	return f(ctx, x, out)
}

// A Stager is a Model that scores with its first t rounds, for each t of the
// ascending list at, in one pass. scores is valid during the call of yield only.
// The scores at the last round equal Score's bit for bit.
type Stager interface {
	Model
	Rounds() int
	ScoreStages(ctx context.Context, x *mat.Dense, at []int, yield func(t int, scores []float64) error) error
}

// A Saver is a Model that can be written and, by the method's Load option, read
// back to a model that scores the same bits.
type Saver interface {
	Model
	Save(w io.Writer) error
}

// A Probability turns a row's decision value into the estimated probability of label +1. It is 1/2 at 0, between 0 and
// 1, and never decreases; for scores that are log-odds it is 1 / (1 + exp(-score)). It is only for methods whose scores
// are fitted to be probabilities or log-odds.
type Probability = func(score float64) float64

// A LightGBMWriter is a Model of decision trees that LightGBM's text format can hold. WriteLightGBM writes version 3 of
// the format. A reader of the file gets the raw scores of Score, to the same bits if Score adds in double precision.
type LightGBMWriter interface {
	Model
	WriteLightGBM(w io.Writer, names []string) error
	// MapThresholds returns the same trees for rows in other units: each split x_j <= v becomes x_j <= at(j, v). at
	// must not decrease in v.
	MapThresholds(at func(feature int, v float64) float64) LightGBMWriter
}

// A Block is a named group of neighbouring features, a channel, that measure one thing in their own way: the columns
// From .. To-1 of X.
type Block struct {
	Name     string
	From, To int
}

// checkBlocks returns an error for a block that is empty, lies outside of d features, or overlaps or precedes the
// previous block.
func checkBlocks(blocks []Block, d int) error {
	end := 0
	for _, b := range blocks {
		switch {
		case b.From < 0 || b.To > d:
			return fmt.Errorf("block %q holds features %d to %d of the %d from 0: it must lie within them", b.Name,
				b.From, b.To-1, d)
		case b.From >= b.To:
			return fmt.Errorf("block %q from feature %d to %d is empty: a block has at least one feature", b.Name,
				b.From, b.To-1)
		case b.From < end:
			return fmt.Errorf("block %q begins with feature %d, before the end of the block in front of it: blocks "+
				"must ascend and not overlap", b.Name, b.From)
		}
		end = b.To
	}
	return nil
}

// Groups returns the sizes of the groups that the features fall into, in their order: the blocks,
// and every feature outside of blocks by itself.
func (s Shape) Groups() []int {
	sizes := make([]int, 0, s.D)
	next := 0
	for _, b := range s.Blocks {
		for ; next < b.From; next++ {
			sizes = append(sizes, 1)
		}
		sizes = append(sizes, b.To-b.From)
		next = b.To
	}
	for ; next < s.D; next++ {
		sizes = append(sizes, 1)
	}
	return sizes
}

func (s Spec) shown(sh Shape) Shape {
	if !s.Blocks {
		sh.Blocks = nil
	}
	return sh
}
