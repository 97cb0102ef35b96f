package gbdt

import "fmt"

// A Model is a sum of trees. Trees holds, round after round, one tree an output.
type Model struct {
	Objective Objective
	Outputs   int
	Features  int
	Trees     []*Tree

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

// Importance returns, for each feature, the number of splits that use it and the sum
// of their gains, over the first rounds rounds.
func (m *Model) Importance(rounds int) (splits []int, gain []float64) {
	splits, gain = make([]int, m.Features), make([]float64, m.Features)
	for _, t := range m.Trees[:rounds*m.Outputs] {
		for k, f := range t.Feature {
			splits[f]++
			gain[f] += float64(t.Gain[k])
		}
	}
	return splits, gain
}

// Dump returns tree t of the model as indented text, one line a node; names gives
// the features' names, or x0, x1, ... if nil.
func (m *Model) Dump(t int, names []string) (string, error) {
	if t < 0 || t >= len(m.Trees) {
		return "", fmt.Errorf("gbdt: no tree %d; the model has %d", t, len(m.Trees))
	}
	if names != nil && len(names) != m.Features {
		return "", fmt.Errorf("gbdt: %d names for %d features", len(names), m.Features)
	}
	return m.Trees[t].dump(names), nil
}
