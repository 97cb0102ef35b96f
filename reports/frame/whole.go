package frame

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/stats"
)

// compareSplits fills Splits of a set with the splits that most cells finished, of equal numbers the longer
// list. It marks the cells that finished them, removes their further splits, and returns these cells.
func (s *Set) compareSplits() (surplus []Missing) {
	most := 0
	all := doc.Map(s.Entries, Entry.Splits)
	for _, splits := range all {
		n := 0
		for _, other := range all {
			if slices.Equal(other, splits) {
				n++
			}
		}
		if len(splits) > 0 && (n > most || n == most && len(splits) > len(s.Splits)) {
			s.Splits, most = splits, n
		}
	}
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Has = len(s.Splits) > 0 && contains(all[i], s.Splits); !e.Has || len(e.Runs) == len(s.Splits) {
			continue
		}
		out := Missing{Kind: Surplus, Dataset: s.Name, Method: e.Method}
		e.Runs = slices.DeleteFunc(slices.Clone(e.Runs), func(r Run) bool {
			if slices.Contains(s.Splits, r.Split) {
				return false
			}
			out.Splits, e.Beyond = append(out.Splits, r.Split), append(e.Beyond, r)
			return true
		})
		e.summarise()
		surplus = append(surplus, out)
	}
	return surplus
}

// Part returns the cells of some methods on some sets as a table of its own: which sets count and which methods are
// whole is decided for them alone. The compared splits stay those of t.
func (t Table) Part(methods, sets []string) Table {
	var at []int
	for i, m := range t.Methods {
		if slices.Contains(methods, m) {
			at = append(at, i)
		}
	}
	t.Methods = picked(t.Methods, at)
	t.Own = slices.DeleteFunc(slices.Clone(t.Own), func(m string) bool { return !slices.Contains(methods, m) })
	t.Sets = slices.DeleteFunc(slices.Clone(t.Sets), func(s Set) bool { return !slices.Contains(sets, s.Name) })
	for i := range t.Sets {
		t.Sets[i].Entries = picked(t.Sets[i].Entries, at)
	}
	t.Missing = slices.DeleteFunc(slices.Clone(t.Missing), func(m Missing) bool {
		return !slices.Contains(methods, m.Method) || !slices.Contains(sets, m.Dataset)
	})
	t.count()
	t.setCommands()
	return t
}

// Apart returns the table with some sets of the main group apart: they are shown, and count nowhere.
func (t Table) Apart(sets []string) Table {
	t.Sets = slices.Clone(t.Sets)
	for i := range t.Sets {
		if slices.Contains(sets, t.Sets[i].Name) {
			t.Sets[i].Group = GroupApart
		}
	}
	place := func(s Set) int { return slices.Index([]string{GroupMain, GroupApart, GroupGenerated}, s.Group) }
	slices.SortStableFunc(t.Sets, func(a, b Set) int { return place(a) - place(b) })
	t.count()
	return t
}

// count picks the counted sets, and moves the methods that lack one of them to the end.
func (t *Table) count() {
	t.Counted, t.usual = nil, t.usualSplits()
	have := make([][]int, len(t.Methods)) // places of sets of the main group, by method
	for i := range t.Sets {
		s := &t.Sets[i]
		s.Missing, s.Unequal = false, false
		for m, e := range s.Entries {
			s.Missing = s.Missing || e.Mean == nil
			if s.Group == GroupMain && e.Has && !t.TooFew(s, e.Method, len(s.Splits)) {
				have[m] = append(have[m], i)
			}
		}
	}
	counted := countedSets(have)
	var whole, partial []int
	for m := range t.Methods {
		if contains(have[m], counted) {
			whole = append(whole, m)
		} else {
			partial = append(partial, m)
		}
	}
	t.whole = len(whole)
	order := append(whole, partial...)
	t.Methods = picked(t.Methods, order)
	for i := range t.Sets {
		s := &t.Sets[i]
		s.Entries = picked(s.Entries, order)
		if s.Counted = slices.Contains(counted, i); s.Counted {
			t.Counted = append(t.Counted, s.Name)
		}
		for _, e := range s.Entries[:t.whole] {
			s.Unequal = s.Unequal || e.Mean != nil && !e.Has
		}
	}
}

// countedSets returns the counted sets from the lists of sets that each method has: the largest list that two methods
// and a quarter of all methods have, of equally large ones that which most methods have. If there is none, two methods
// are enough. A third method with fewer sets takes none away, but a few do not decide for a field of many. The list of
// a method that is alone counts whole.
func countedSets(have [][]int) (counted []int) {
	have = slices.DeleteFunc(slices.Clone(have), func(sets []int) bool { return len(sets) == 0 })
	if len(have) == 1 {
		return have[0]
	}
	most, enough := 0, 1 // enough is more than the length of any list
	for _, sets := range have {
		enough += len(sets)
	}
	for i, one := range have {
		for _, other := range have[:i] {
			common := slices.DeleteFunc(slices.Clone(one), func(set int) bool { return !slices.Contains(other, set) })
			methods := 0
			for _, sets := range have {
				if contains(sets, common) {
					methods++
				}
			}
			worth := len(common)*(len(have)+1) + methods
			if 4*methods >= len(have) {
				worth += (len(have) + 1) * enough
			}
			if len(common) > 0 && worth > most {
				counted, most = common, worth
			}
		}
	}
	for _, sets := range have {
		if most == 0 && len(sets) > len(counted) {
			counted = sets
		}
	}
	return counted
}

// Few reports whether so few splits of a set are less than half of the usual number, the median over the sets of the
// main group. A set with so few splits is shown apart: its mean is too noisy to count like the others.
func (t *Table) Few(splits int) bool { return 2*splits < t.usual }

// TooFew reports whether so few splits of a method on a set are too few to count. They are not if the method's run
// ended because its comparison was decided: it chose how many splits each set needs.
func (t *Table) TooFew(s *Set, method string, splits int) bool {
	if !t.Few(splits) {
		return false
	}
	_, stopped := t.Stop(s.Name, method)
	return !stopped
}

// Stop says why the run of a method ended before it had all splits of a set; false if nothing decided that, or cells of
// another version are shown.
func (t *Table) Stop(dataset, method string) (result.Stop, bool) {
	if t.Frame == nil { // a table that was made of no database
		return result.Stop{}, false
	}
	stop, ok := t.Frame.stops[cellKey{dataset, method}]
	if !ok {
		return result.Stop{}, false
	}
	other := slices.ContainsFunc(t.rows[cellKey{dataset, method}], func(r store.Row) bool {
		return stop.Method == method && r.MethodVersion != stop.Version
	})
	return stop, !other
}

// usualSplits is the median number of compared splits of sets of the main group, the larger one of two.
func (t *Table) usualSplits() int {
	var numbers []int
	for _, s := range t.Sets {
		if s.Group == GroupMain && len(s.Splits) > 0 {
			numbers = append(numbers, len(s.Splits))
		}
	}
	if numbers == nil {
		return 0
	}
	slices.Sort(numbers)
	return numbers[len(numbers)/2]
}

// contains reports whether a list has every set of another.
func contains(list, sets []int) bool {
	return !slices.ContainsFunc(sets, func(set int) bool { return !slices.Contains(list, set) })
}

// picked returns the elements of a list in an order of places.
func picked[T any](list []T, order []int) []T {
	out := make([]T, len(order))
	for i, place := range order {
		out[i] = list[place]
	}
	return out
}

// Whole returns the methods that have every counted set: the first ones of Methods. Only they have means over
// sets, ranks and marks of the best. If no set counts, all methods are whole.
func (t *Table) Whole() []string { return t.Methods[:t.whole] }

// Best marks the best cells of a set: those with the best mean, if at least two whole methods have a mean over the
// same splits.
func (t *Table) Best(s Set) []bool {
	means := make([]*big.Rat, len(s.Entries)) // nil of partial methods
	compared := 0
	for i, c := range s.Entries[:t.whole] {
		if means[i] = c.Mean; c.Mean != nil {
			compared++
		}
	}
	if s.Unequal || compared < 2 && len(t.Methods) > 1 {
		return make([]bool, len(means))
	}
	return stats.Largest(t.Ascending(means))
}

// Done counts the finished runs of the table, and all that are planned.
func (t *Table) Done() (finished, planned int) {
	for _, s := range t.Sets {
		for _, c := range s.Entries {
			finished += len(c.Runs)
		}
	}
	return finished, len(t.Sets) * len(t.Methods) * len(t.Splits)
}

// CountedSets are the sets that enter means over sets and ranks.
func (t *Table) CountedSets() []Set {
	return slices.DeleteFunc(slices.Clone(t.Sets), func(s Set) bool { return !s.Counted })
}

// Coverage is how many of the counted sets a method has, by its place in Methods.
func (t *Table) Coverage(method int) int {
	n := 0
	for _, s := range t.CountedSets() {
		if s.Entries[method].Has {
			n++
		}
	}
	return n
}

// OfWhole continues a sentence about the best method: the best one of the whole methods, which have all data sets. It
// is "" if all methods of the table are whole.
func (t *Table) OfWhole() string {
	if t.whole == len(t.Methods) {
		return ""
	}
	return " of the methods with all data sets"
}

// A figure shows at most mostLines methods, or else fewLines of them.
const mostLines, fewLines = 20, 12

// Drawn returns the methods of a figure, which are given from the best to the worst: all of them, or of more than 20
// the twelve best and those of one's own. said is "" for all, and else says which they are.
func (t *Table) Drawn(order []int) (shown []int, said string) {
	if len(order) <= mostLines {
		return order, ""
	}
	for i, m := range order {
		if i < fewLines || slices.Contains(t.Own, t.Methods[m]) {
			shown = append(shown, m)
		}
	}
	said = fmt.Sprintf("the %d best of %d methods", fewLines, len(order))
	if len(shown) > fewLines {
		said += " and those of one's own"
	}
	return shown, said
}
