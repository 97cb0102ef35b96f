package evidence

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Pair compares method A with method B. Gains are differences in favour of A in the unit of the table: they
// are positive where A is better, whatever the metric's direction.
type Pair struct {
	A, B int // places in the table's methods
	Sets []SetPair

	// These fields are over the sets of the main group on which both methods have finished common splits, but for sets
	// with less than half of the usual number of these. Cells that only one of them has decide nothing.
	Over []string // names of the sets
	// They are in percent of the error where the metric has the unit of the target (frame.Table.OverSets).
	Gains    []*big.Rat // mean gains, one a set
	Mean     *big.Rat   // of Gains; nil without a set
	Signed   stats.WilcoxonTest
	Adjusted float64 // p of Signed in the family of the page; NaN where so few sets have no significant result
	// p that the typical difference is outside of the region, adjusted; NaN where Adjusted is, and without a region
	Equivalence float64
	Rope        *big.Rat // half-width of the region, the mean over the sets
	Verdict     Verdict
	Registered  *Evidence // the family of its registration; nil for an exploratory pair, of the page's family
	Versions    Versions  // of the methods that a report takes as arguments

	Ahead, Within, Behind int // sets by mean: above the region, within it with its edges, below it

	level    float64 // of intervals
	ropes    []*big.Rat
	relative bool // the region is a share of the error of a width above zero

	ofPage float64              // Adjusted in the family of the page, of a registered pair
	beyond bool                 // the typical difference is outside of the region
	test   stats.CorrectedTTest // Student's, of the gains

	typical  func() *big.Rat // both are computed once, when they are asked for; nil without a set
	interval func() stats.Interval
}

// A SetPair is a pair on one data set, over the splits that both have finished.
type SetPair struct {
	Set          *frame.Set
	Splits       []int    // the splits of the means; if fits of both methods repeat, only the first of the equal splits
	Ours, Theirs *big.Rat // means
	Gain         *big.Rat
	Rope         *big.Rat
	Test         stats.CorrectedTTest
	P            float64 // of Test; 1 where all splits are equal, NaN without a test
	Adjusted     float64 // in the family of the page
	Equivalence  float64 // p that the difference is outside of the region, adjusted in the family
	Verdict      Verdict

	level float64 // of intervals
}

func (s *SetPair) overSets(t *frame.Table, x *big.Rat) *big.Rat {
	return t.OverSets(x, s.Ours, s.Theirs)
}

// Tested reports whether there is a test on the set. A test needs stats.FewestSplits splits. A set whose rows are
// divided once has none: its splits are draws of the methods, which say nothing about other rows.
func (s *SetPair) Tested() bool { return len(s.Splits) >= stats.FewestSplits && !s.Set.Draws }

// Interval is the confidence interval of the gain; NaN without a test.
func (s *SetPair) Interval() stats.Interval {
	if !s.Tested() {
		return noInterval
	}
	return s.Test.Interval(s.level)
}

// noInterval has no ends.
var noInterval = stats.Interval{Low: math.NaN(), High: math.NaN()}

// compare fills the fields of a pair that do not depend on the family.
func (p *Pair) compare(t *frame.Table, o Options) error {
	p.Adjusted, p.Equivalence, p.Verdict, p.level = math.NaN(), math.NaN(), Untestable, 1-o.Level
	var splits []int // of the sets of the main group
	for i := range t.Sets {
		s, err := p.on(t, &t.Sets[i], o)
		if err != nil {
			return err
		}
		if len(s.Splits) == 0 {
			continue
		}
		if p.Sets = append(p.Sets, s); s.Set.Group == frame.GroupMain {
			splits = append(splits, len(s.Splits))
		}
	}
	slices.Sort(splits)
	for _, s := range p.Sets {
		few := !s.Set.Draws && s.Set.Group == frame.GroupMain && 2*len(s.Splits) < splits[len(splits)/2]
		for _, m := range []int{p.A, p.B} {
			if few {
				_, stopped := t.Stop(s.Set.Name, t.Methods[m]) // which chose how many splits each set needs
				few = !stopped
			}
		}
		if s.Set.Group == frame.GroupMain && !few {
			p.add(s.Set.Name, s.overSets(t, s.Gain), s.overSets(t, s.Rope), o.Region)
		}
	}
	if len(p.Gains) > 0 {
		p.summarise()
	}
	return nil
}

// add takes a set into the comparison over sets.
func (p *Pair) add(set string, gain, rope *big.Rat, r Region) {
	p.Over, p.Gains, p.ropes = append(p.Over, set), append(p.Gains, gain), append(p.ropes, rope)
	p.relative = r.Relative && r.Width.Sign() > 0
	switch c := new(big.Rat).Abs(gain).Cmp(rope); {
	case c <= 0 && (r.Exists() || gain.Sign() == 0):
		p.Within++
	case gain.Sign() > 0:
		p.Ahead++
	default:
		p.Behind++
	}
}

// summarise fills what follows from the gains, of which there is at least one.
func (p *Pair) summarise() {
	gains, level := p.Gains, p.level
	p.typical = sync.OnceValue(func() *big.Rat { return stats.PseudoMedian(gains) })
	p.interval = sync.OnceValue(func() stats.Interval {
		if len(gains) > stats.MostExact {
			return noInterval
		}
		if i := stats.PseudoMedianInterval(gains, level); !math.IsInf(i.Low, 0) {
			return i
		}
		return noInterval
	})
	p.Rope = stats.Mean(p.ropes)
	p.test = stats.CorrectedT(p.Gains, 1, 0) // data sets do not overlap
	p.Mean, p.Signed = p.test.Mean, stats.Wilcoxon(p.Gains)
	p.beyond = p.direction() != 0 // adjustOver decides it of a region
}

// direction is 1 if A is the better one by its signed ranks, -1 if B is, and else 0.
func (p *Pair) direction() int { return p.Signed.Plus.Cmp(p.Signed.Minus) }

// within are the distances of the gains to the edge of the region above, or below for a sign of -1; positive within
// the region. They are in units of each set's region if this is a share of the error: in points, sets with many errors
// would decide for all. A set without an error has an empty region, and no difference.
func (p *Pair) within(sign int) []*big.Rat {
	out := make([]*big.Rat, len(p.Gains))
	for i, gain := range p.Gains {
		if out[i] = new(big.Rat).Sub(p.ropes[i], gain); sign < 0 {
			out[i].Add(p.ropes[i], gain)
		}
		switch {
		case p.relative && p.ropes[i].Sign() == 0:
			out[i].Set(one)
		case p.relative:
			out[i].Quo(out[i], p.ropes[i])
		}
	}
	return out
}

// P is that of Signed; NaN without a set.
func (p *Pair) P() float64 {
	if len(p.Gains) == 0 {
		return math.NaN()
	}
	return p.Signed.P
}

// Typical is the typical difference, the pseudo-median of the gains; nil without a set.
func (p *Pair) Typical() *big.Rat {
	if p.typical == nil {
		return nil
	}
	return p.typical()
}

// TypicalInterval is the interval of the typical difference, of this comparison by itself. It inverts the test. Its
// ends are NaN where so few sets reject no value.
func (p *Pair) TypicalInterval() stats.Interval {
	if p.interval == nil {
		return noInterval
	}
	return p.interval()
}

// MeanInterval is the interval of the mean difference by Student's t over sets; NaN for fewer than two sets.
func (p *Pair) MeanInterval() stats.Interval {
	if len(p.Gains) == 0 {
		return noInterval
	}
	return p.test.Interval(p.level)
}

// Estimated is the verdict if another estimate than the typical difference, such as the mean, said whether the
// difference is beyond the region. An estimate beyond it on the other side than the signed ranks shows no size.
func (p *Pair) Estimated(estimate func([]*big.Rat) *big.Rat, level float64) Verdict {
	if !(p.Adjusted >= 0) {
		return Untestable
	}
	above, below := estimate(p.within(1)).Sign() < 0, estimate(p.within(-1)).Sign() < 0
	side := p.direction()
	beyond := above && side > 0 || below && side < 0
	return verdict(p.Adjusted < level, p.equivalent(level) && !above && !below, beyond, side)
}

// equivalent reports whether the equivalence is shown. A typical difference near zero does not show that differences
// are small if most sets lie outside of the region, on either side.
func (p *Pair) equivalent(level float64) bool {
	return p.Equivalence < level && 2*p.Within > len(p.Gains)
}

// Disagree reports whether the mean and the typical difference point to different sides.
func (p *Pair) Disagree() bool { return p.Mean.Sign()*p.Typical().Sign() < 0 }

// Carrier is a set that carries at least half of a mean difference, that with the most, and the mean without it. The
// mean lies outside of the region, or points to another side than the typical difference. ok is false if there is none,
// or fewer than three sets.
func (p *Pair) Carrier() (set string, without *big.Rat, ok bool) {
	if len(p.Gains) < 3 || new(big.Rat).Abs(p.Mean).Cmp(p.Rope) <= 0 && !p.Disagree() {
		return "", nil, false
	}
	n := big.NewRat(int64(len(p.Gains)), 1)
	sum := new(big.Rat).Mul(p.Mean, n)
	most := big.NewRat(1, 2)
	for i, gain := range p.Gains {
		if share := new(big.Rat).Quo(gain, sum); share.Cmp(most) >= 0 {
			set, most = p.Over[i], share
			without = new(big.Rat).Sub(sum, gain)
			without.Quo(without, new(big.Rat).Sub(n, one))
		}
	}
	return set, without, without != nil
}

// on compares the methods on a set. Without a common split the result has no splits.
func (p *Pair) on(t *frame.Table, set *frame.Set, o Options) (SetPair, error) {
	s := SetPair{Set: set, Adjusted: math.NaN(), Equivalence: math.NaN(), Verdict: Untestable, level: 1 - o.Level}
	train, test := 0, 0                                          // of all splits
	runs, others := set.Entries[p.A].Runs, set.Entries[p.B].Runs // in the order of their splits
	if !set.Entries[p.A].Has || !set.Entries[p.B].Has {
		runs, others = withBeyond(set.Entries[p.A]), withBeyond(set.Entries[p.B])
	}
	var seen map[[2]string]bool // pairs of fits by the hashes of their test scores; without a hash each is new
	if set.Draws {
		seen = map[[2]string]bool{}
	}
	s.Splits = make([]int, 0, len(runs))
	ours, theirs := make([]*big.Rat, 0, len(runs)), make([]*big.Rat, 0, len(runs))
	for i := range runs {
		a := &runs[i]
		for len(others) > 0 && others[0].Split < a.Split {
			others = others[1:]
		}
		if len(others) == 0 || others[0].Split > a.Split {
			continue
		}
		if set.Draws {
			fits := [2]string{a.ScoresHash, others[0].ScoresHash}
			if !slices.Contains(fits[:], "") && seen[fits] {
				continue
			}
			seen[fits] = true
		}
		s.Splits, ours, theirs = append(s.Splits, a.Split), append(ours, a.Value), append(theirs, others[0].Value)
		learned, tested := set.Units(set.TrainRows, set.TestRows, a.Score)
		train, test = train+learned, test+tested
	}
	if len(s.Splits) == 0 {
		return s, nil
	}
	if train < 1 {
		return s, fmt.Errorf("data set %s: no number of training rows is stored; check the database with `bench "+
			"db check`", set.Name)
	}
	s.Ours, s.Theirs = meanOf(set, p.A, ours), meanOf(set, p.B, theirs)
	if slices.Equal(s.Splits, set.Splits) {
		s.Splits = set.Splits
	}
	if t.Difference(one).Sign() < 0 {
		ours, theirs = theirs, ours
	}
	s.Test = stats.CorrectedTOfPairs(ours, theirs, train, test)
	s.Rope = o.Region.on(t.Metric, s.Ours, s.Theirs)
	s.Gain, s.P = s.Test.Mean, math.NaN()
	if s.Tested() {
		if s.P = s.Test.P; math.IsNaN(s.P) {
			s.P = 1
		}
	}
	return s, nil
}

func withBeyond(e frame.Entry) []frame.Run {
	if len(e.Beyond) == 0 {
		return e.Runs
	}
	return slices.SortedFunc(slices.Values(slices.Concat(e.Runs, e.Beyond)), func(a, b frame.Run) int {
		return a.Split - b.Split
	})
}

// meanOf is the mean of a method's values. That of all of its runs is shared.
func meanOf(set *frame.Set, method int, values []*big.Rat) *big.Rat {
	if e := set.Entries[method]; e.Mean != nil && len(e.Runs) == len(values) && !set.Draws {
		return e.Mean
	}
	return stats.Mean(values)
}

// Named lists the sets with a verdict.
func (p *Pair) Named(v Verdict) []string {
	var names []string
	for _, s := range p.Sets {
		if s.Verdict == v {
			names = append(names, s.Set.Name)
		}
	}
	return names
}

// Reversed is the comparison of B with A.
func (p Pair) Reversed() Pair {
	p.A, p.B = p.B, p.A
	p.Gains = slices.Clone(p.Gains)
	for i, gain := range p.Gains {
		p.Gains[i] = new(big.Rat).Neg(gain)
	}
	if typical, interval := p.typical, p.interval; p.Mean != nil {
		p.typical = func() *big.Rat { return new(big.Rat).Neg(typical()) }
		p.interval = func() stats.Interval { return stats.Interval{Low: -interval().High, High: -interval().Low} }
		p.Mean = new(big.Rat).Neg(p.Mean)
		p.test.Mean, p.test.Statistic = p.Mean, -p.test.Statistic
		p.Signed.Plus, p.Signed.Minus = p.Signed.Minus, p.Signed.Plus
	}
	p.Verdict, p.Ahead, p.Behind = p.Verdict.reversed(), p.Behind, p.Ahead
	p.Versions.Ours, p.Versions.Theirs = p.Versions.Theirs, p.Versions.Ours
	p.Sets = slices.Clone(p.Sets)
	for i := range p.Sets {
		s := &p.Sets[i]
		s.Ours, s.Theirs, s.Gain = s.Theirs, s.Ours, new(big.Rat).Neg(s.Gain)
		s.Test.Mean, s.Test.Statistic = s.Gain, -s.Test.Statistic
		s.Verdict = s.Verdict.reversed()
	}
	return p
}
