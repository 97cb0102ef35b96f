package evidence

import (
	"cmp"
	"math/big"
)

// A Verdict is the finding on the first of two methods, in the words that all reports use.
type Verdict string

// These are the verdicts. What each one means is in Rules.
const (
	Better       Verdict = "significantly better"
	Worse        Verdict = "significantly worse"
	Equivalent   Verdict = "practically equivalent"
	Uncertain    Verdict = "significant, size uncertain"
	Inconclusive Verdict = "inconclusive"
	Untestable   Verdict = "not testable"
)

// A Rule says when a comparison has a verdict. {region} is the size of a difference that does not matter.
type Rule struct {
	Verdict Verdict
	When    string
}

// Rules are the verdicts in the order of a summary.
var Rules = []Rule{
	{Better, "the adjusted p of the difference is below the level, and the typical difference is estimated beyond " +
		"{region} in favour of the method"},
	{Worse, "the same against the method"},
	{Equivalent, "the adjusted p of the equivalence is below the level: the typical difference is shown to be less " +
		"than {region}, and most sets lie within it"},
	{Uncertain, "the adjusted p of the difference is below the level, but the typical difference is estimated " +
		"within {region} and not shown to be less"},
	{Inconclusive, "neither a difference nor an equivalence is shown"},
	{Untestable, "so few sets that even the least p is not significant among the comparisons, or so few splits of a " +
		"set that it has no test"},
}

// verdict gives the word for what the two tests show. sign is that of the difference; beyond says that its estimate
// is outside of the region.
func verdict(differs, equivalent, beyond bool, sign int) Verdict {
	switch {
	case equivalent:
		return Equivalent
	case differs && !beyond:
		return Uncertain
	case differs && sign > 0:
		return Better
	case differs:
		return Worse
	}
	return Inconclusive
}

// judge gives the verdicts from the adjusted p-values. A value that is NaN, where there is no test, is not below any
// level.
func (p *Pair) judge(level float64) {
	for i := range p.Sets {
		if s := &p.Sets[i]; s.Tested() {
			s.Verdict = verdict(s.Adjusted < level, s.Equivalence < level, new(big.Rat).Abs(s.Gain).Cmp(s.Rope) > 0,
				s.Gain.Sign())
		}
	}
	if p.Adjusted >= 0 {
		p.Verdict = verdict(p.Adjusted < level, p.equivalent(level), p.beyond, p.direction())
	}
}

// Found reports whether a difference is found whose estimate is large enough to matter.
func (v Verdict) Found() bool { return v == Better || v == Worse }

func (v Verdict) reversed() Verdict {
	return cmp.Or(map[Verdict]Verdict{Better: Worse, Worse: Better}[v], v)
}
