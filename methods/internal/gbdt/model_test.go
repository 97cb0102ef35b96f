package gbdt

import (
	"math"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
)

// Four rows with targets 0, 0, 2, 6 and one feature: by hand, the mean is 2, the
// gradients 2, 2, 0, -4; the split at 2.5 gains 16/2 + 16/2 = 16, the one at 3.5
// 16/3 + 16/1 = 21.3 but leaves one row on the right.
func TestHandWorkedTree(t *testing.T) {
	s := &sample{n: 4, d: 1, x: []float64{1, 2, 3, 4}, y: []float64{0, 0, 2, 6}, task: "regression"}
	// Three equal columns of rows keep each value in a bin of its own.
	for range 2 {
		s.x, s.y, s.n = append(s.x, s.x[:4]...), append(s.y, s.y[:4]...), s.n+4
	}
	p := LeafwiseParams{Rounds: 1, LearningRate: 0.5, NumLeaves: 2, MinData: 4, MinHessian: 1e-3}
	tree := leafwise(t, s, p).Trees[0]
	if tree.Leaves() != 2 || !(tree.Threshold[0] > 2.5 && tree.Threshold[0] < 2.6) || tree.Gain[0] != 48 {
		t.Fatalf("tree %+v", tree)
	}
	// 2 + 0.5 * (-2) and 2 + 0.5 * 2
	if math.Abs(tree.LeafValue[0]-1) > 1e-12 || math.Abs(tree.LeafValue[1]-3) > 1e-12 {
		t.Errorf("leaf values %v, not 1 and 3", tree.LeafValue)
	}
	want := "x0 <= 2.5?  (12 rows, gain 48)\n  yes: value 1  (6 rows)\n  no:  value 3  (6 rows)\n"
	m := leafwise(t, s, p)
	if got, err := m.Dump(0, nil); err != nil || got != want {
		t.Errorf("dump is\n%s(%v), not\n%s", got, err, want)
	}
	if got, err := m.Dump(0, []string{"age"}); err != nil || !strings.HasPrefix(got, "age <= 2.5?") {
		t.Errorf("dump with a name is %q (%v)", got, err)
	}
	if _, err := m.Dump(1, nil); err == nil {
		t.Error("a tree that is not there is dumped")
	}
	if splits, gain := m.Importance(1); splits[0] != 1 || gain[0] != 48 {
		t.Errorf("importance %v, %v", splits, gain)
	}
}

// Importances are sums over the nodes, and the feature that decides leads.
func TestImportance(t *testing.T) {
	s := drawn(registry.Binary, 600, 6, 2, 1)
	for name, m := range map[string]*Model{"leafwise": leafwise(t, s, lightgbmDefaults),
		"depthwise": depthwise(t, s, xgboostDefaults)} {
		splits, gain := m.Importance(m.Rounds())
		nodes, total := 0, 0.0
		for _, tree := range m.Trees {
			nodes += len(tree.Feature)
			for _, g := range tree.Gain {
				total += float64(g)
			}
		}
		sum, sumGain := 0, 0.0
		for j := range splits {
			sum, sumGain = sum+splits[j], sumGain+gain[j]
			if gain[j] > gain[0] {
				t.Errorf("%s: feature %d gains %v, more than feature 0 with %v, which alone is linear in the target",
					name, j, gain[j], gain[0])
			}
		}
		if sum != nodes || math.Abs(sumGain-total) > 1e-6*total {
			t.Errorf("%s: %d splits and %v gain, the nodes have %d and %v", name, sum, sumGain, nodes, total)
		}
	}
}

// TestRefusals: registry.Data.Check refuses what no method can use, and these are beyond single precision.
func TestRefusals(t *testing.T) {
	if _, err := NewSorted(t.Context(), []float64{1, math.Inf(1)}, 2, 1); err == nil {
		t.Error("an infinite value is sorted")
	}
	s := drawn(registry.Regression, 50, 2, 0, 1)
	s.y[3] = 2e15
	ds := must.Get(NewDataset(t.Context(), s.x, s.n, s.d, 20))(t)
	if _, err := fitLeafwise(t.Context(), ds, s.target(), lightgbmDefaults); err == nil {
		t.Error("LightGBM's trees take a target of 2e15")
	}
	sorted := must.Get(NewSorted(t.Context(), s.x, s.n, s.d))(t)
	if _, err := Depthwise(t.Context(), sorted, s.target(), xgboostDefaults); err == nil {
		t.Error("XGBoost's trees take a target of 2e15")
	}
}
