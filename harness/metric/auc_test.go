package metric

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// pairs counts by the definition.
func pairs(y, scores []float64) (twice int64) {
	for i, a := range y {
		for j, b := range y {
			switch {
			case !(a > 0) || b > 0:
			case scores[i] > scores[j]:
				twice += 2
			case scores[i] == scores[j]:
				twice++
			}
		}
	}
	return twice
}

// drawn draws rows whose scores often tie, zeros of both signs and infinities among them.
func drawn(t *rapid.T) (y, scores []float64) {
	few := []float64{math.Copysign(0, -1), 0, 1, -1, 0.5, math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64,
		-math.SmallestNonzeroFloat64, math.MaxFloat64}
	score := rapid.OneOf(rapid.SampledFrom(few), rapid.Float64Range(-1, 1))
	n := rapid.IntRange(0, 60).Draw(t, "n")
	for range n {
		y = append(y, sign(rapid.Bool().Draw(t, "y")))
		scores = append(scores, score.Draw(t, "score"))
	}
	return y, scores
}

func TestAUC2CountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y, scores := drawn(t)
		if got, want := AUC2(y, scores), pairs(y, scores); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}
