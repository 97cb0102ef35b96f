package compare

import (
	"math"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// sure is the probability from which two methods are called practically equivalent on a set.
const sure = 0.95

// A verdict says what a test finds of the method in question on one data set.
type verdict string

const (
	better     verdict = "better"
	worse      verdict = "worse"
	equivalent verdict = "equivalent" // no difference is found, and it lies within the region with probability of at least sure
	open       verdict = "open"       // neither a difference nor equivalence is found
	untested   verdict = "-"          // a single split
)

// pair is the method in question beside another one. Gains are differences in favour of the method in question, whatever
// the metric's direction: in the unit of the table, positive where it is better.
type pair struct {
	other string
	sets  []setPair

	// Over the sets of the main group.
	gains     []*big.Rat // mean gains, one a set
	mean      *big.Rat
	wilcoxon  stats.WilcoxonTest
	adjusted  float64              // p of wilcoxon by Holm's procedure over the pairs of the page
	posterior *stats.Probabilities // of a new set; nil without a region
	needed    stats.Needed         // sets
}

// setPair is a pair on one data set, over the splits that both have finished.
type setPair struct {
	set       frame.Set
	splits    []int
	ours      *big.Rat // means
	theirs    *big.Rat
	gain      *big.Rat
	test      stats.CorrectedTTest
	interval  stats.Interval // of the gain
	adjusted  float64        // p of test by Holm's procedure over the sets of the pair
	posterior *stats.Probabilities
	needed    stats.Needed // splits
	verdict   verdict
}

// fewestSets is the least number of sets for which Wilcoxon's test can find a difference at level 0.05: 2/2^6 is below it.
const fewestSets = 6

func (q *pair) tested() bool { return len(q.gains) > 0 }

func (p *page) pair(us, them int) (pair, error) {
	q := pair{other: p.Methods[them], adjusted: math.NaN()}
	for _, set := range p.Sets {
		s, err := p.setPair(set, us, them)
		if err != nil {
			return q, err
		}
		if len(s.splits) == 0 {
			continue
		}
		q.sets = append(q.sets, s)
		if set.Group == frame.GroupMain {
			q.gains = append(q.gains, s.gain)
		}
	}
	p.judge(q.sets)
	if !q.tested() {
		return q, nil
	}
	q.mean = mean(q.gains)
	var err error
	if q.wilcoxon, err = stats.Wilcoxon(q.gains, stats.ZerosSplit); err != nil {
		return q, err
	}
	if p.o.Brief {
		return q, nil
	}
	if q.needed, err = stats.WilcoxonNeeded(q.gains, p.o.Level, p.o.Power); err != nil {
		return q, err
	}
	return q, nil
}

// setPair compares two methods on a set; without a common split it has none.
func (p *page) setPair(set frame.Set, us, them int) (setPair, error) {
	s := setPair{set: set, adjusted: math.NaN(), verdict: untested}
	var ours, theirs, gains []*big.Rat
	for _, a := range set.Entries[us].Runs {
		i := slices.IndexFunc(set.Entries[them].Runs, func(b frame.Run) bool { return b.Split == a.Split })
		if i < 0 {
			continue
		}
		b := set.Entries[them].Runs[i]
		gain := new(big.Rat).Sub(a.Value, b.Value)
		if p.Metric.Better == metric.Lower {
			gain.Neg(gain)
		}
		s.splits, ours, theirs, gains = append(s.splits, a.Split), append(ours, a.Value), append(theirs, b.Value), append(gains, gain)
	}
	if len(s.splits) == 0 {
		return s, nil
	}
	var err error
	if s.test, err = stats.CorrectedT(gains, set.TrainRows, set.TestRows); err != nil {
		return s, err
	}
	s.gain = s.test.Mean
	if !p.o.Brief {
		s.ours, s.theirs, s.interval = mean(ours), mean(theirs), s.test.Interval(1-p.o.Level)
	}
	if len(s.splits) == 1 {
		return s, nil
	}
	if !p.o.Brief {
		if s.needed, err = stats.SplitsNeeded(s.test, p.o.Level, p.o.Power); err != nil {
			return s, err
		}
	}
	if p.o.Rope != nil {
		posterior, err := s.test.Posterior(p.o.Rope)
		if err != nil {
			return s, err
		}
		s.posterior = &posterior
	}
	return s, nil
}

// mean is that of values, at least one.
func mean(values []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, v := range values {
		sum.Add(sum, v)
	}
	return sum.Quo(sum, big.NewRat(int64(len(values)), 1))
}

// judge adjusts the p-values of a pair's sets for their number and gives each set its verdict. Equal scores in every split are
// a p-value of 1.
func (p *page) judge(sets []setPair) {
	var tested []*setPair
	var ps []float64
	for i := range sets {
		s := &sets[i]
		if len(s.splits) < 2 {
			continue
		}
		pValue := s.test.P
		if math.IsNaN(pValue) {
			pValue = 1
		}
		tested, ps = append(tested, s), append(ps, pValue)
	}
	for i, adjusted := range stats.Holm(ps) {
		s := tested[i]
		s.adjusted = adjusted
		switch {
		case adjusted < p.o.Level && s.gain.Sign() > 0:
			s.verdict = better
		case adjusted < p.o.Level:
			s.verdict = worse
		case s.posterior != nil && s.posterior.Within >= sure:
			s.verdict = equivalent
		default:
			s.verdict = open
		}
	}
}

// count is the number of sets with a verdict.
func (q *pair) count(v verdict) int {
	n := 0
	for _, s := range q.sets {
		if s.verdict == v {
			n++
		}
	}
	return n
}
