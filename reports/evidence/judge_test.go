package evidence

import (
	"math"
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/reports/stats"
	"pgregory.net/rapid"
)

// TestJudge: verdicts in floating point are those of exact fractions.
func TestJudge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets, methods := rapid.IntRange(5, 9).Draw(t, "sets"), rapid.IntRange(2, 3).Draw(t, "methods")
		width := rapid.SampledFrom([]int{-1, 0, 1, 3}).Draw(t, "width")
		e := &Evidence{Options: Options{Level: 0.05}}
		if width >= 0 {
			e.Region.Width = big.NewRat(int64(width), 1)
		}
		var gains, ropes [][]float64
		for other := range methods {
			p := Pair{A: 0, B: other + 1}
			var row, rope []float64
			for s := range sets {
				// Sevenths are no binary fractions, and few values have ties.
				gain := big.NewRat(int64(rapid.IntRange(-8, 30).Draw(t, "gain")), 7)
				if p.Gains = append(p.Gains, gain); width >= 0 {
					p.ropes = append(p.ropes, e.Region.Width)
				} else {
					p.ropes = append(p.ropes, zero)
				}
				p.Over = append(p.Over, string(rune('a'+s)))
				x, _ := gain.Float64()
				row, rope = append(row, x), append(rope, float64(width))
			}
			gains, ropes = append(gains, row), append(ropes, rope)
			for i, gain := range p.Gains {
				if width >= 0 && new(big.Rat).Abs(gain).Cmp(p.ropes[i]) <= 0 {
					p.Within++
				}
			}
			p.Signed, p.Adjusted, p.Equivalence = stats.Wilcoxon(p.Gains), math.NaN(), math.NaN()
			p.Verdict, p.beyond = Untestable, p.direction() != 0
			e.Pairs = append(e.Pairs, p)
		}
		e.adjustOver()
		j := Judge{Level: e.Level, Region: width >= 0}
		for i, got := range j.Verdicts(gains, ropes) {
			if e.Pairs[i].judge(e.Level); got != e.Pairs[i].Verdict {
				t.Fatalf("%s, and exact fractions say %s of %v", got, e.Pairs[i].Verdict, e.Pairs[i].Gains)
			}
		}
	})
}
