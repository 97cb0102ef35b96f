package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Growth says how the time of fits grows with the problem: what the algorithm says, without a constant. Constants are
// measured. The zero value says nothing; it means one pass over n d numbers for each grid point.
type Growth struct {
	Rows, Features float64 // exponents of n training rows and d features
	Outputs        float64 // exponent of the scores per row, see Shape.Outputs: 1 where each output is fitted by itself
	// Points is the exponent of the number of grid points that are fitted together: 1 where each is fitted by itself,
	// 0 where they share all work.
	Points float64
	By     By // exponents of parameters
}

// DeclaresGrowth reports whether the method says how the time of its fits grows.
func (s Spec) DeclaresGrowth() bool { return s.Growth.Rows != 0 }

// Work returns how much work it is to fit settings together, in units of the method's own: their number and their
// parameters, the rows, features and outputs with the exponents of the method's Growth.
func (s Spec) Work(sh Shape, settings []json.RawMessage) (float64, error) {
	by, err := s.Scale(settings)
	return s.WorkAt(sh, len(settings), by), err
}

// WorkAt is Work for a number of settings whose Scale is by.
func (s Spec) WorkAt(sh Shape, points int, by float64) float64 {
	g := s.Growth
	if !s.DeclaresGrowth() {
		g = Growth{Rows: 1, Features: 1, Points: 1}
	}
	return math.Pow(float64(sh.N), g.Rows) * math.Pow(float64(sh.D), g.Features) *
		math.Pow(float64(sh.Outputs()), g.Outputs) * math.Pow(float64(points), g.Points) * by
}

// Scale returns the part of the work that parameters decide: the mean over the settings of the product of the values
// that Growth.By names, each with its exponent. A value below 1, such as one that means a rule, counts as 1.
func (s Spec) Scale(settings []json.RawMessage) (float64, error) {
	if len(s.Growth.By) == 0 || len(settings) == 0 {
		return 1, nil
	}
	sum := 0.0
	for _, raw := range settings {
		whole, err := s.does.canonical(raw)
		if err != nil {
			return 0, err
		}
		var values map[string]any
		if err := json.Unmarshal(whole, &values); err != nil {
			return 0, err
		}
		product := 1.0
		for _, name := range slices.Sorted(maps.Keys(s.Growth.By)) { // in one order, for the same bits
			value, number := values[name].(float64)
			if !number {
				return 0, fmt.Errorf("method %s: its time grows by %q, which is no number of its parameters", s.Name,
					name)
			}
			product *= math.Pow(max(1, value), s.Growth.By[name])
		}
		sum += product
	}
	return sum / float64(len(settings)), nil
}

// By holds exponents of parameters, by name.
type By map[string]float64
