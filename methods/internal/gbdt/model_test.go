package gbdt

import (
	"math"
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
	must.Near(t, tree.LeafValue[0], 1, 1e-12, "leaf values")
	must.Near(t, tree.LeafValue[1], 3, 1e-12, "leaf values")
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
