package cart

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"

	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// Worked by hand: of labels + + - - - on 1..5 the split at 2.5 takes n times the Gini
// impurity from 5 (1 - 4/25 - 9/25) = 2.4 to 0, and n times the entropy from
// 5 (0.4 log 1/0.4 + 0.6 log 1/0.6) bits to 0; targets 0, 0, 6, 6, 6 have squared
// deviations 2 * 3.6^2 + 3 * 2.4^2 = 43.2.
func TestGainByHand(t *testing.T) {
	x := mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})
	binary := registry.Data{Task: registry.Binary, Classes: 2, X: x, Y: []float64{1, 1, -1, -1, -1}}
	regression := registry.Data{Task: registry.Regression, X: x, Y: []float64{0, 0, 6, 6, 6}}
	for _, c := range []struct {
		data      registry.Data
		criterion string
		gain      float64
		dump      string
	}{
		{binary, "gini", 2.4, "age < 2.5?  (5 rows, gain 2.4)\n  yes: value 1  (2 rows)\n  no:  value -1  (3 rows)\n"},
		{binary, "entropy", 5 * (0.4*math.Log2(2.5) + 0.6*math.Log2(5./3)),
			"age < 2.5?  (5 rows, gain 4.85475)\n  yes: value 1  (2 rows)\n  no:  value -1  (3 rows)\n"},
		{regression, "mse", 43.2, "age < 2.5?  (5 rows, gain 43.2)\n  yes: value 0  (2 rows)\n  no:  value 6  (3 " +
			"rows)\n"},
	} {
		fitted := must.Get(ours.fit(t.Context(), testEnv, c.data, Params{c.criterion, 3}))(t)
		m := fitted.(registry.TreeModel)
		if splits, gain := m.Importance(); splits[0] != 1 || math.Abs(gain[0]-c.gain) > 1e-12 {
			t.Errorf("%s: %d splits gain %v, not %v", c.criterion, splits[0], gain[0], c.gain)
		}
		if text, err := m.Dump(0, []string{"age"}); err != nil || text != c.dump {
			t.Errorf("%s: dump is\n%s(%v), not\n%s", c.criterion, text, err, c.dump)
		}
		if _, err := m.Dump(1, nil); err == nil {
			t.Error("a second tree is dumped")
		}
		// x < 2.5 becomes 10 x < 25, that is, the same rows go left.
		moved := m.MapThresholds(func(_ int, v float64) float64 { return 10 * v }).(*model)
		if th := moved.Nodes[0].Threshold; !(th > 20 && math.Abs(th-25) < 1e-12) {
			t.Errorf("moved threshold %v, not 25", th)
		}
	}
}
