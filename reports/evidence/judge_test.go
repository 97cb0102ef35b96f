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
			e.Region.Relative = rapid.Bool().Draw(t, "relative")
			e.Region.Width = big.NewRat(int64(width), 1)
		}
		var gains, ropes [][]float64
		for other := range methods {
			p := Pair{A: 0, B: other + 1}
			var row, rope []float64
			for s := range sets {
				// Sevenths are no binary fractions, and few values have ties.
				gain := big.NewRat(int64(rapid.IntRange(-8, 30).Draw(t, "gain")), 7)
				factor := 1
				if e.Region.Relative {
					factor = rapid.IntRange(1, 4).Draw(t, "factor")
				}
				wide := big.NewRat(int64(max(0, width)*factor), 1)
				p.add(string(rune('a'+s)), gain, wide, e.Region)
				x, _ := gain.Float64()
				row, rope = append(row, x), append(rope, float64(max(0, width)*factor))
			}
			gains, ropes = append(gains, row), append(ropes, rope)
			p.Signed, p.Adjusted, p.Equivalence = stats.Wilcoxon(p.Gains), math.NaN(), math.NaN()
			p.Verdict, p.beyond = Untestable, p.direction() != 0
			e.Pairs = append(e.Pairs, p)
		}
		e.adjustOver()
		j := Judge{Level: e.Level, Region: width >= 0, Relative: e.Region.Relative && width > 0}
		for i, got := range j.Verdicts(gains, ropes) {
			if e.Pairs[i].judge(e.Level); got != e.Pairs[i].Verdict {
				t.Fatalf("%s, and exact fractions say %s of %v", got, e.Pairs[i].Verdict, e.Pairs[i].Gains)
			}
		}
	})
}

// Sets with many errors do not decide for those with few. The method is behind by three times the region on the six
// sets with few errors, and equal on the nine others, whose region is ten times as wide in points.
func TestRelativeRegion(t *testing.T) {
	for relative, want := range map[bool]Verdict{false: Equivalent, true: Inconclusive} {
		e := &Evidence{Options: Options{Level: 0.05, Region: Region{Width: big.NewRat(3, 10), Relative: relative}}}
		p := Pair{B: 1, Adjusted: math.NaN(), Equivalence: math.NaN()}
		for s := range 15 {
			gain, rope := big.NewRat(int64(s%2), 100), big.NewRat(10, 1)
			if s < 6 {
				gain, rope = big.NewRat(-3, 1), big.NewRat(1, 1)
			}
			p.add(string(rune('a'+s)), gain, rope, e.Region)
		}
		p.summarise()
		e.Pairs = []Pair{p}
		e.adjustOver()
		if e.Pairs[0].judge(e.Level); e.Pairs[0].Verdict != want {
			t.Errorf("relative %v: %s, want %s", relative, e.Pairs[0].Verdict, want)
		}
	}
}
