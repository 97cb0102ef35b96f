// Package evidence says what finished runs show about pairs of methods. Every report that calls a method
// better uses this package, so that one question has one answer.
//
// Two methods are compared on each data set and over data sets. On a data set the differences, one a split,
// are tested by the t-test that is corrected for overlapping splits. Over data sets the mean differences, one
// for each set of the main group, are tested by Wilcoxon's signed-rank test. All tests of a page are one
// family: their p-values are adjusted together by Holm's procedure with weights, so that the probability of
// any false verdict on the page is at most the level. The comparisons over data sets have four fifths of the
// weight.
//
// A family is chosen before the data are seen. If a method is named, the family is that method with each
// other method. If none is named, or the data chose the method, the family is each method with each other
// method.
//
// A verdict needs both a test and a size. A found difference within the region of practical equivalence is
// smaller than what matters, and so neither better nor worse.
//
// The package writes no sentence and lays nothing out.
package evidence

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
	"golang.org/x/sync/errgroup"
)

// Options say which methods are compared, and how.
type Options struct {
	Method string // named before the data were seen; "" compares each method with each
	Level  float64
	Region Region
}

// Evidence holds the comparisons of one page.
type Evidence struct {
	Options
	Methods []string // the table's
	// Pairs have the named method as A, or A before B in the table. They are the pairs with a common split of
	// a set.
	Pairs  []Pair
	Loss   float64 // log loss of the forecasts, leaving one set out; NaN where no pair has two sets
	Sets   int     // number of tests on single sets in the family
	Over   int     // number of comparisons over sets in the family
	Fewest int     // data sets that a comparison over sets needs
}

// overShare is the weight of the comparisons over data sets in the family. The tests on single sets have the
// rest.
const overShare = 0.8

// FewestSets is the least number of data sets with which Wilcoxon's test can find a difference, as one of so
// many comparisons of a page at a level. The smallest p-value of n data sets, 2/2^n, must be below the
// comparison's part of the level.
func FewestSets(level float64, comparisons int) int {
	return int(math.Floor(1-math.Log2(level*overShare/float64(max(1, comparisons))))) + 1
}

// Of compares the methods of a table. It is an error if an option has no meaning or the method is not in the table.
func Of(t *frame.Table, o Options) (*Evidence, error) {
	if err := frame.CheckLevel(o.Level); err != nil {
		return nil, err
	}
	if err := o.Region.check(); err != nil {
		return nil, err
	}
	e := &Evidence{Options: o, Methods: t.Methods}
	us := slices.Index(t.Methods, o.Method)
	if o.Method != "" && us < 0 {
		return nil, fmt.Errorf("the method %s is not in the table, which has %v", o.Method, t.Methods)
	}
	var all []Pair
	for a := range t.Methods {
		for b := range t.Methods {
			if a == us && b != us || us < 0 && a < b {
				all = append(all, Pair{A: a, B: b})
			}
		}
	}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i := range all {
		work.Go(func() error { return all[i].compare(t, o) })
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	e.Pairs = slices.DeleteFunc(all, func(p Pair) bool { return len(p.Sets) == 0 })
	e.adjust()
	e.forecast()
	return e, nil
}

// A test is one hypothesis of the family.
type test struct {
	p, equivalence float64 // unadjusted
	over           bool
	take           func(p, equivalence float64) // the adjusted values
}

// adjust collects the tests of the family, adjusts their p-values and gives every comparison its verdict.
// Differences and equivalences are two families with the same weights. A comparison over so few data sets
// that it could find nothing is not tested.
func (e *Evidence) adjust() {
	var tests []test
	comparisons := len(slices.DeleteFunc(slices.Clone(e.Pairs), func(p Pair) bool { return len(p.Gains) == 0 }))
	e.Fewest = FewestSets(e.Level, comparisons)
	for i := range e.Pairs {
		p := &e.Pairs[i]
		if len(p.Gains) >= e.Fewest {
			e.Over++
			tests = append(tests, test{p.Signed.P, p.test.Equivalence(p.Rope), true, func(d, eq float64) { p.Adjusted, p.Equivalence = d, eq }})
		}
		for k := range p.Sets {
			if s := &p.Sets[k]; s.Tested() {
				e.Sets++
				tests = append(tests, test{s.P, s.Test.Equivalence(s.Rope), false, func(d, eq float64) { s.Adjusted, s.Equivalence = d, eq }})
			}
		}
	}
	share := e.Share()
	differences, equivalences, weights := make([]float64, len(tests)), make([]float64, len(tests)), make([]float64, len(tests))
	for i, t := range tests {
		differences[i], equivalences[i] = t.p, t.equivalence
		if weights[i] = (1 - share) / float64(e.Sets); t.over {
			weights[i] = share / float64(e.Over)
		}
	}
	differences, equivalences = stats.WeightedHolm(differences, weights), stats.WeightedHolm(equivalences, weights)
	for i, t := range tests {
		t.take(differences[i], equivalences[i])
	}
	for i := range e.Pairs {
		e.Pairs[i].judge(e.Level)
	}
}

// Share is the weight of the comparisons over data sets in the family.
func (e *Evidence) Share() float64 {
	switch {
	case e.Sets == 0:
		return 1
	case e.Over == 0:
		return 0
	}
	return overShare
}

// forecast fills the forecasts for one more data set, and how good such forecasts are on these sets.
func (e *Evidence) forecast() {
	if !e.Region.Exists() {
		e.Loss = math.NaN()
		return
	}
	var lists, ropes [][]*rat
	for i := range e.Pairs {
		p := &e.Pairs[i]
		lists, ropes = append(lists, p.Gains), append(ropes, p.ropes)
		p.Forecast = stats.SharesOf(p.Gains, p.ropes).Forecast()
	}
	e.Loss = stats.ForecastLoss(lists, ropes)
}

// Forecasts reports whether forecasts for one more data set are worth showing. With each set left out in
// turn, they must be better than a guess that gives better, within the region and worse the same probability.
func (e *Evidence) Forecasts() bool { return e.Loss < stats.UniformLoss }

// Typical returns for each wanted pair the posterior of the typical difference over data sets: below, within
// or above the region. It uses the Bayesian signed-rank test with the given number of draws. The result is
// nil for a pair that is not wanted, that has no set in the main group, or whose region has no width on some
// set. Without a region all results are nil.
func (e *Evidence) Typical(wanted func(Pair) bool, draws int) []*stats.Probabilities {
	out := make([]*stats.Probabilities, len(e.Pairs))
	if !e.Region.Exists() {
		return out
	}
	const seed = 1 // of the draws
	rope := zero
	if e.Region.Width.Sign() > 0 {
		rope = one // differences are in units of each set's region
	}
	var lists [][]*rat
	var at []int
	for i, p := range e.Pairs {
		gains := p.Gains
		if rope == one {
			gains = inUnits(p.Gains, p.ropes)
		}
		if len(gains) > 0 && wanted(p) {
			lists, at = append(lists, gains), append(at, i)
		}
	}
	posteriors := stats.BayesSignedRanks(lists, rope, draws, seed)
	for k := range posteriors {
		out[at[k]] = &posteriors[k]
	}
	return out
}

// Between finds the comparison of two methods by their places in the table. at is its index in Pairs, -1 for
// none; reversed says that b is its first method.
func (e *Evidence) Between(a, b int) (at int, reversed bool) {
	for i, p := range e.Pairs {
		if p.A == a && p.B == b || p.A == b && p.B == a {
			return i, p.A == b
		}
	}
	return -1, false
}
