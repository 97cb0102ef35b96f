package metric

import (
	"math"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/internal/test/must"
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
		must.Be(t, AUC2(y, scores), pairs(y, scores))
	})
}

// TestOneSided: a note is for scores whose order tells what their signs do not, and for no others.
func TestOneSided(t *testing.T) {
	y := make([]float64, 40)
	score := func(of func(i int) float64) result.Score {
		scores, positive := make([]float64, len(y)), 0
		var s result.Score
		count := [4]int{}
		for i := range y {
			if y[i] = -1; i%2 == 0 {
				y[i] = 1
			}
			scores[i] = of(i)
			k := 0
			if scores[i] >= 0 {
				k, positive = 1, positive+1
			}
			if y[i] > 0 {
				k += 2
			}
			count[k]++
		}
		correct, pairs := count[0]+count[3], AUC2(y, scores)
		s = result.Score{N: len(y), Correct: &correct, TN: &count[0], FP: &count[1], FN: &count[2], TP: &count[3],
			AUC2: &pairs}
		return s
	}
	for name, c := range map[string]struct {
		of    func(i int) float64
		class string // "" for no note
	}{
		"probabilities":         {func(i int) float64 { return 0.3 + 0.4*float64(1-i%2) }, "+1"},
		"labels 1 and 2":        {func(i int) float64 { return float64(2 - i%2) }, "+1"},
		"log-probabilities":     {func(i int) float64 { return -1 - float64(i%2) }, "-1"},
		"the other order":       {func(i int) float64 { return float64(1 + i%2) }, "+1"},
		"margins":               {func(i int) float64 { return 0.5 - float64(i%2) }, ""},
		"one row the other way": {func(i int) float64 { return 0.3 - float64(i/39) }, ""},
		"a constant":            {func(i int) float64 { return 1 }, ""},
		"no order":              {func(i int) float64 { return float64(i) }, ""},
	} {
		class, _, is := OneSided(score(c.of))
		if is != (c.class != "") || is && class != c.class {
			t.Errorf("%s: class %s, %v; want %q", name, class, is, c.class)
		}
	}
	few := result.Score{N: 4, TN: new(0), FP: new(2), FN: new(0), TP: new(2), AUC2: new(int64(8))}
	if _, _, is := OneSided(few); is {
		t.Error("four rows in order may be luck")
	}
	if _, _, is := OneSided(result.Score{N: 4}); is {
		t.Error("no test of two classes")
	}
}
