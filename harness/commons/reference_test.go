package commons

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/reference"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
)

// TestShareOfTheReference counts how many cells a check computes of methods of the reference run, as if they were
// entries: by the floor of package commons, and by a stricter one, the rate of the most frequent class.
func TestShareOfTheReference(t *testing.T) {
	all := must.Get(reference.Runs(reference.Table2))(t)
	needed := func(runs []result.Run, gains []float64) int {
		n := 0
		const draws = 20
		for k := range draws {
			d := NewDraw(Usual(), runs, gains, seedOf(k), 0, time.Hour)
			for _, at := range d.arrival {
				if at <= d.target {
					n++
				}
			}
		}
		return n / draws
	}
	for _, method := range []string{"GBRFF2", "LGBM", "RF", "CART", "SVM"} {
		var own, others []result.Run
		for _, r := range all {
			if r.Method == method && r.Status == result.OK {
				own = append(own, r)
			} else {
				others = append(others, r)
			}
		}
		f := Field{}
		f.Add(others)
		gains := f.Gains(own)
		strict := Field{}.Gains(own)
		mean := func(v []float64) (sum float64) {
			for _, x := range v {
				sum += x / float64(len(v))
			}
			return sum
		}
		drawn, more := needed(own, gains), needed(own, strict)
		t.Logf("%s: %d cells; G is %.1f points on average, %d drawn; by the most frequent class %.1f, %d drawn", method,
			len(own), mean(gains), drawn, mean(strict), more)
		expected := 0.0
		for _, g := range gains {
			expected += -math.Expm1(-math.Log(100) * g / (0.2 * float64(len(own))))
		}
		if math.Abs(expected-float64(drawn)) > 5 {
			t.Errorf("%s: %d cells are drawn, %.1f expected", method, drawn, expected)
		}
		if slices.Max(gains) > 100 || drawn > more {
			t.Errorf("%s: %d by the lower floor, %d by the higher one", method, drawn, more)
		}
	}
}
