package gbdt

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/registry"
)

// A Model is a sum of trees. Trees holds, round after round, one tree for each output.
type Model struct {
	Task     registry.Task
	Outputs  int
	Features int
	Trees    []*Tree

	infos []string
}

// Rounds returns the number of rounds, at least 1.
func (m *Model) Rounds() int { return len(m.Trees) / m.Outputs }

// Add adds the trees of rounds [from, to) at a row of Features values to out, of
// Outputs values: raw scores (log odds, class scores, predictions).
func (m *Model) Add(row, out []float64, from, to int) {
	for r := from; r < to; r++ {
		for k := range out {
			t := m.Trees[r*m.Outputs+k]
			out[k] += t.LeafValue[t.Leaf(row)]
		}
	}
}

// AddSingle is Add in single precision, in which XGBoost adds. Training used these sums. For targets far from 0, sums
// in double precision would drift away from them.
func (m *Model) AddSingle(row, out []float64, from, to int) {
	for r := from; r < to; r++ {
		for k := range out {
			t := m.Trees[r*m.Outputs+k]
			out[k] = float64(float32(out[k] + t.LeafValue[t.Leaf(row)]))
		}
	}
}

// MapThresholds returns the model with each split x_j <= v replaced by x_j <= at(j, v), for rows in other units. The
// text form holds the ranges of the training values, which are mapped in the same way and rounded.
func (m *Model) MapThresholds(at func(feature int, v float64) float64) *Model {
	out := *m
	out.Trees = make([]*Tree, len(m.Trees))
	for i, t := range m.Trees {
		moved := *t
		moved.Threshold = slices.Clone(t.Threshold)
		for k, v := range t.Threshold {
			moved.Threshold[k] = at(int(t.Feature[k]), v)
		}
		moved.seal()
		out.Trees[i] = &moved
	}
	out.infos = slices.Clone(m.infos)
	for j, info := range m.infos {
		low, high, both := strings.Cut(strings.Trim(info, "[]"), ":")
		a, errA := strconv.ParseFloat(low, 64)
		b, errB := strconv.ParseFloat(high, 64)
		if both && errA == nil && errB == nil {
			out.infos[j] = rangeText(at(j, a), at(j, b))
		}
	}
	return &out
}

// rangeText rounds bounds to six digits of the larger one.
func rangeText(a, b float64) string {
	unit := 1e-6 * max(math.Abs(a), math.Abs(b))
	for _, v := range [2]*float64{&a, &b} {
		if math.Abs(*v) < unit {
			*v = 0
		}
	}
	return fmt.Sprintf("[%.6g:%.6g]", a, b)
}
