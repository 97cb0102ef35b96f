package compare

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// A Place is the place of a method among methods that have every counted set: the number of methods with a larger mean
// over sets, plus one.
type Place struct {
	Method    string
	Place, Of int  // Of counts the method itself
	Low, High int  // a prediction interval of the place that the method will have with all splits
	Sets      int  // number of sets that the place is over
	Splits    int  // how many splits the method has of the set of which it has the fewest
	Whole     bool // the method has every split of these sets, so that the place is no prediction
}

// placeLevel is the least probability that an interval of places holds the place with all splits.
const placeLevel = 0.9

// fewestReplayed is the least number of other methods from which an interval of placeLevel follows.
const fewestReplayed = 9

// PlaceOf predicts the place that a method will have with all splits from those that it has. values are its values by
// set and split, in the unit of the table; its cells of the table count, too. PlaceOf returns false if the method has
// no counted set, or if fewer than fewestReplayed other methods have every one.
//
// The estimate compares like with like. On each set, the mean of the method's splits less the mean of the field over
// the same splits is its gain, and gains are averaged over sets. The interval replays the other methods: each has a
// gain over these splits and one over all splits, and their difference is the error of such an estimate. If the method
// is exchangeable with the n others, its own error is at most the k-th smallest of theirs, k = ceil((n+1) placeLevel),
// with a probability of at least placeLevel (split conformal prediction: Lei et al. 2018, section 2.2).
func PlaceOf(t *frame.Table, method string, values map[string]map[int]*big.Rat) (Place, bool) {
	p := Place{Method: method, Whole: true}
	var fields []int // places of the others in the table
	for i, m := range t.Whole() {
		if m != method {
			fields = append(fields, i)
		}
	}
	p.Of = len(fields) + 1
	var now []*big.Rat                      // by set: the method's gain
	then := make([][]*big.Rat, len(fields)) // by other method and set: gains over all splits
	replayed := make([][]*big.Rat, len(fields))
	for _, s := range t.CountedSets() {
		own := ownValues(t, s, method, values[s.Name])
		if len(own) == 0 {
			continue
		}
		if p.Sets++; p.Sets == 1 || len(own) < p.Splits {
			p.Splits = len(own)
		}
		p.Whole = p.Whole && len(own) == len(s.Splits)
		means, some := make([]*big.Rat, len(fields)), make([]*big.Rat, len(fields))
		for i, m := range fields {
			means[i] = stats.Mean(valuesAt(s.Entries[m].Runs, func(int) bool { return true }))
			some[i] = stats.Mean(valuesAt(s.Entries[m].Runs, func(split int) bool { return own[split] != nil }))
		}
		for i := range fields {
			then[i] = append(then[i], t.Gain(means[i], stats.Mean(means)))
			replayed[i] = append(replayed[i], t.Gain(some[i], stats.Mean(some)))
		}
		now = append(now, t.Gain(stats.Mean(slices.Collect(maps.Values(own))), stats.Mean(some)))
	}
	if p.Sets == 0 || len(fields) < fewestReplayed {
		return p, false
	}
	gain := stats.Mean(now)
	var gains, errors []*big.Rat
	for i := range fields {
		gains = append(gains, stats.Mean(then[i]))
		errors = append(errors, new(big.Rat).Abs(new(big.Rat).Sub(gains[i], stats.Mean(replayed[i]))))
	}
	slices.SortFunc(errors, (*big.Rat).Cmp)
	most := errors[int(math.Ceil(float64(p.Of)*placeLevel))-1]
	p.Place = 1 + ahead(gains, gain)
	p.Low = 1 + ahead(gains, new(big.Rat).Add(gain, most))
	p.High = 1 + ahead(gains, new(big.Rat).Sub(gain, most))
	return p, true
}

// ahead counts the gains above one.
func ahead(gains []*big.Rat, one *big.Rat) (n int) {
	for _, g := range gains {
		if g.Cmp(one) > 0 {
			n++
		}
	}
	return n
}

// ownValues are the values of a method on the compared splits of a set.
func ownValues(t *frame.Table, s frame.Set, method string, further map[int]*big.Rat) map[int]*big.Rat {
	out := map[int]*big.Rat{}
	if i := slices.Index(t.Methods, method); i >= 0 {
		for _, r := range s.Entries[i].Runs {
			out[r.Split] = r.Value
		}
	}
	maps.Copy(out, further)
	maps.DeleteFunc(out, func(split int, _ *big.Rat) bool { return !slices.Contains(s.Splits, split) })
	return out
}

// valuesAt are the values of the runs whose splits are chosen.
func valuesAt(runs []frame.Run, chosen func(split int) bool) (out []*big.Rat) {
	for _, r := range runs {
		if chosen(r.Split) {
			out = append(out, r.Value)
		}
	}
	return out
}

// String says the place and, where it is a prediction, how far it is known.
func (p Place) String() string {
	over := fmt.Sprintf("place %d of %d by the mean over %s", p.Place, p.Of, frame.Count(p.Sets, "data set"))
	if p.Whole {
		return p.Method + ": " + over
	}
	return fmt.Sprintf("%s, provisional: %s, from %s of a set or more; %d to %d with all splits (%.0f %% interval, by "+
		"how the other methods moved)", p.Method, over, frame.Count(p.Splits, "split"), p.Low, p.High, 100*placeLevel)
}
