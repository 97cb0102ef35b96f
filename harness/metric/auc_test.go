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

// TestAUC2Properties: only the order of scores matters, and turning it round turns every pair round.
func TestAUC2Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		y, scores := drawn(t)
		got := AUC2(y, scores)
		risen := make([]float64, len(scores))
		positive := 0
		for i, s := range scores {
			risen[i] = math.Atan(s)/2 + 1 // may join what differs by rounding
			if y[i] > 0 {
				positive++
			}
		}
		if pairs(y, risen) == got && AUC2(y, risen) != got {
			t.Fatalf("a monotone transform changes %d to %d", got, AUC2(y, risen))
		}
		all := 2 * int64(positive) * int64(len(y)-positive)
		if back := AUC2(y, negated(scores)); back != all-got {
			t.Fatalf("%d and, with the order turned round, %d do not add up to %d", got, back, all)
		}
		if back := AUC2(negated(y), scores); back != all-got {
			t.Fatalf("%d and, with the classes swapped, %d do not add up to %d", got, back, all)
		}
	})
}
