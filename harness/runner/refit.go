package runner

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// A Refitted is the refit of a cell, trained and tested once more.
type Refitted struct {
	Model    registry.Model
	Shape    registry.Shape // of the training rows
	Test     result.Score
	Stages   []result.Stage // tests of the model's first rounds, if the protocol lists rounds and the model has them
	Features []string       // the names of the columns that the method saw
	Rows     []int          // the training rows, by their number in the set
	Learned  registry.Data  // the data of these rows as the method saw them

	inputs datasets.Inputs
}

// Refit trains a method with point, a grid point as JSON, on all training rows of a split, and tests it. A
// cell does the same after its search.
func Refit(ctx context.Context, p *protocol.Protocol, spec registry.Spec, set *datasets.Set, number int,
	point json.RawMessage) (*Refitted, error) {
	parts, err := partsOf(p, set, Cell{Method: spec.Name, Split: number})
	if err != nil {
		return nil, err
	}
	whole, err := parts.Whole()
	if err != nil {
		return nil, err
	}
	j := job{protocol: p, method: spec}
	j.Seeds = p.Semantics.Seeds(number, set.TrainRows > 0)
	fitted, err := j.refit(ctx, j.env(&cpuClock{}), whole, point)
	if err != nil {
		return nil, err
	}
	r := &Refitted{Model: fitted.model, Test: fitted.test, Shape: whole.Learn.Shape(),
		Features: whole.Inputs.Names(set.Features), Rows: parts.Split.Train, Learned: whole.Learn, inputs: whole.Inputs}
	r.Stages, err = j.stages(ctx, r.Model, whole)
	return r, err
}

// Scaled turns rows in the units of the data file into rows that the model takes.
func (r *Refitted) Scaled(x *mat.Dense) *mat.Dense { return r.inputs.Apply(x, nil) }

// Unscaled turns a vector of the model's space into one in the units of the data file.
func (r *Refitted) Unscaled(v []float64) []float64 {
	out := slices.Clone(v)
	if s := r.inputs.Scale; s != nil {
		for j := range out {
			out[j] = s.Mean[j] + s.Scale[j]*out[j]
		}
	}
	return out
}

// LightGBM returns the model for rows in the units of the data file, with gaps filled and days counted from the
// earliest training row. Each threshold is moved so that exactly the same rows go left. The second result is false for
// a model that LightGBM's text cannot hold.
func (r *Refitted) LightGBM() (registry.LightGBMWriter, bool) {
	m, ok := r.Model.(registry.LightGBMWriter)
	s := r.inputs.Scale
	if !ok || s == nil {
		return m, ok
	}
	return m.MapThresholds(func(j int, v float64) float64 { return unscale(s.Mean[j], s.Scale[j], v) }), true
}

// unscale returns the largest double x with (x-mean)/scale <= v in double arithmetic. The left side does not
// decrease with x.
func unscale(mean, scale, v float64) float64 {
	below := func(k int64) bool { return (fromKey(k)-mean)/scale <= v }
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	// below(low) holds, unless it holds for no double; below(high) does not hold
	low, high := key(-math.MaxFloat64), key(math.Inf(1))
	for low+1 < high {
		if mid := low&high + (low^high)>>1; below(mid) { // their mean, rounded down, without overflow
			low = mid
		} else {
			high = mid
		}
	}
	return fromKey(low)
}

func key(x float64) int64 {
	b := int64(math.Float64bits(x))
	if b < 0 {
		return math.MinInt64 - b
	}
	return b
}

func fromKey(k int64) float64 {
	if k < 0 {
		k = math.MinInt64 - k
	}
	return math.Float64frombits(uint64(k))
}
