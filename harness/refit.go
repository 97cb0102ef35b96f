package harness

import (
	"context"
	"encoding/json"
	"math"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/split"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// A Refitted is the model that a cell refits and tests, trained once more.
type Refitted struct {
	Model    registry.Model
	Shape    registry.Shape // of the training rows
	Test     store.Score
	Features []string // the columns' names

	scale *datasets.Standardiser // nil if the protocol does not standardise
}

// Refit trains a method with params, JSON of a grid point, on all training rows of a
// split of the protocol, as a cell does after its search, and tests it.
func (h *Harness) Refit(ctx context.Context, spec registry.Spec, set *datasets.Set, number int, params json.RawMessage) (*Refitted, error) {
	sem := h.Protocol.Semantics
	s, err := split.Splitter{TestFraction: sem.TestFraction, Folds: sem.Folds}.Split(set, uint32(number))
	if err != nil {
		return nil, err
	}
	train, test, err := h.parts(set, s.Train, s.Test)
	if err != nil {
		return nil, err
	}
	r := &Refitted{Shape: train.Shape(), Features: set.Features}
	if sem.Standardise {
		scale := datasets.FitStandardiser(set.X, s.Train)
		r.scale = &scale
	}
	if r.Model, err = spec.Fit(ctx, h.env(&cpuClock{}), train, params); err != nil {
		return nil, err
	}
	r.Test, err = predict(ctx, r.Model, test)
	return r, err
}

// Trees returns the model for rows as the data file has them, not standardised: each
// threshold is moved so that exactly the same rows go left. The second result is false
// for a model without trees.
func (r *Refitted) Trees() (registry.TreeModel, bool) {
	m, ok := r.Model.(registry.TreeModel)
	if !ok || r.scale == nil {
		return m, ok
	}
	return m.MapThresholds(func(j int, v float64) float64 { return unscale(r.scale.Mean[j], r.scale.Scale[j], v) }), true
}

// unscale returns the largest double x with (x-mean)/scale <= v in double arithmetic,
// which does not decrease with x.
func unscale(mean, scale, v float64) float64 {
	below := func(k int64) bool { return (fromKey(k)-mean)/scale <= v }
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	low, high := key(-math.MaxFloat64), key(math.Inf(1)) // below(low), or no double is, and not below(high)
	for low+1 < high {
		if mid := low&high + (low^high)>>1; below(mid) { // their mean, rounded down, without overflow
			low = mid
		} else {
			high = mid
		}
	}
	return fromKey(low)
}

// key numbers the doubles in their order.
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
