package frame

import (
	"math"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/harness/metric"
)

// Ascending returns values so that a larger one is better, whatever the metric's direction. Nil
// stays nil.
func (t *Table) Ascending(values []*big.Rat) []*big.Rat {
	if t.Metric.Better == metric.Higher {
		return values
	}
	out := make([]*big.Rat, len(values))
	for i, v := range values {
		if v != nil {
			out[i] = new(big.Rat).Neg(v)
		}
	}
	return out
}

// Means returns the counted sets' means, a row a set and a column a method, so that a larger one is
// better.
func (t *Table) Means() [][]*big.Rat {
	var out [][]*big.Rat
	for _, s := range t.Sets {
		if s.Counted {
			var means []*big.Rat
			for _, c := range s.Entries {
				means = append(means, c.Mean)
			}
			out = append(out, t.Ascending(means))
		}
	}
	return out
}

// CommonSplits returns the splits that are finished on every counted set, in increasing order.
func (t *Table) CommonSplits() []int {
	var common []int
	first := true
	for _, s := range t.Sets {
		switch {
		case !s.Counted:
		case first:
			common, first = s.Entries[0].Splits(), false
		default:
			splits := s.Entries[0].Splits()
			common = slices.DeleteFunc(common, func(split int) bool { return !slices.Contains(splits, split) })
		}
	}
	return common
}

// ValuesAt returns the counted sets' values at a split of CommonSplits, in the form of Means.
func (t *Table) ValuesAt(split int) [][]*big.Rat {
	var out [][]*big.Rat
	for _, s := range t.Sets {
		if !s.Counted {
			continue
		}
		var values []*big.Rat
		for _, c := range s.Entries {
			i := slices.IndexFunc(c.Runs, func(r Run) bool { return r.Split == split })
			values = append(values, c.Runs[i].Value)
		}
		out = append(out, t.Ascending(values))
	}
	return out
}

// Absent is the text of a value that does not exist.
const Absent = "-"

// Text writes a value that may be absent.
func Text(x *big.Rat, decimals int) string {
	if x == nil {
		return Absent
	}
	return x.FloatString(decimals)
}

// Float is the nearest float64 of a value for records, nil for none.
func Float(x *big.Rat) any {
	if x == nil {
		return nil
	}
	f, _ := x.Float64()
	return f
}

// Rat is a float64 as an exact value, nil for NaN.
func Rat(x float64) *big.Rat {
	if math.IsNaN(x) {
		return nil
	}
	return new(big.Rat).SetFloat64(x)
}
