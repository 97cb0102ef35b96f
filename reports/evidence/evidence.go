// Package evidence says what finished runs show about pairs of methods. Every report that calls a method better uses
// this package, so that one question has one answer.
//
// Over data sets the mean differences of two methods, one for each set of the main group, are tested by Wilcoxon's
// signed-rank test. Its hypothesis is about the typical difference (the pseudo-median), and so are the verdicts. The
// mean is described and never asserted: a test of signs and ranks says nothing of it. All comparisons over data sets
// of a page are one family. Their p-values are adjusted together by flips of the signs of whole data sets (package
// stats), so that the probability of any false difference is at most the level, if differences are symmetric over
// sets. Equivalences are a second family: two one-sided tests against the edges of the region of practical
// equivalence.
//
// On a data set the differences, one a split, are tested by the t-test that is corrected for overlapping splits. The
// tests on single sets are a family of their own, adjusted by Holm's procedure.
//
// A family is chosen before the data are seen. If a method of one's own is named (frame.Table.Own), the family is each
// method of one's own with each other method (Demsar 2006, section 3.2.2): what is new was not chosen by results. If
// another method is named, the family is that method with each other one. If none is named, it is each method with
// each. So it is, too, if a method that is not one's own has the best or the worst mean, since many name a method
// because of its place on the leaderboard. A method of one's own is also compared with the mean of the others, by one
// test that belongs to no family.
//
// The package writes no sentence, but for the name of the family, and lays nothing out.
package evidence

import (
	"fmt"
	"math"
	"math/big"
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
	Pairs []Pair
	Every bool // the family is each method with each; it has all pairs then
	// Field is the comparison of a named method of one's own with the mean of the others; nil without one.
	Field *Pair
	Sets  int // number of tests on single sets
	Over  int // number of comparisons over sets that are testable
	// Critical is the unadjusted p that is significant where it is the least of the family; 0 if no comparison over
	// sets can be significant.
	Critical float64
	Enough   int // data sets with which any comparison of so many could be significant, whatever the others are

	// Registered are the registered comparisons of methods of the table, see Register.
	Registered []Registration

	registered bool     // the family is that of a registration
	own        []string // the methods whose comparisons with all others are the family; nil if the named one is none
	family     *stats.Family
	columns    []stats.SignedRanks // of the family
	versus     []stats.Versus
	whole      int
}

// seed is that of all draws.
const seed = 1

// Compare compares the methods of a table. It is an error if an option has no meaning or the method is not in the
// table.
func Compare(t *frame.Table, o Options) (*Evidence, error) { return compare(t, o, false) }

// compare is Compare, of each method with each if every says so.
func compare(t *frame.Table, o Options, every bool) (*Evidence, error) {
	if err := frame.CheckLevel(o.Level); err != nil {
		return nil, err
	}
	if err := o.Region.check(); err != nil {
		return nil, err
	}
	us := slices.Index(t.Methods, o.Method)
	if o.Method != "" && us < 0 {
		return nil, fmt.Errorf("the method %s is not in the table, which has %v", o.Method, t.Methods)
	}
	e := &Evidence{Options: o, Methods: t.Methods, whole: len(t.Whole()), Every: every || us < 0}
	var own []int
	if slices.Contains(t.Own, o.Method) {
		e.own = t.Own
		for _, name := range t.Own {
			own = append(own, e.place(name))
		}
	}
	var all []Pair
	for _, of := range FamilyOf(len(t.Methods), us, own, e.Every) {
		all = append(all, Pair{A: of[0], B: of[1]})
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
	if !e.Every && e.own == nil && (e.leads(len(t.Methods)) || e.leads(e.whole)) {
		return compare(t, o, true)
	}
	e.adjustOver()
	if err := e.adjustVersions(t); err != nil {
		return nil, err
	}
	e.adjustSets()
	for i := range e.Pairs {
		e.Pairs[i].judge(e.Level)
	}
	if e.own != nil {
		e.Field = e.field(t, us)
	}
	return e, nil
}

// FamilyOf are the comparisons of so many methods that p-values are adjusted for, by their places: of the named method
// with each other one; if the named one is one's own, of each of these with each other method; and of each method with
// each if none is named (-1), or if the named one leads or is the last one.
func FamilyOf(methods, named int, own []int, end bool) (out [][2]int) {
	every := named < 0 || own == nil && end
	for a := range methods {
		for b := range methods {
			ours := every || slices.Contains(own, a) || slices.Contains(own, b)
			if b != named && a != b && (a == named || ours && a < b) {
				out = append(out, [2]int{a, b})
			}
		}
	}
	return out
}

// leads reports whether the named method has the best or the worst mean of itself and of the first so many methods.
func (e *Evidence) leads(of int) bool {
	var means []float64
	for _, p := range e.Pairs {
		if p.B < of && p.Mean != nil {
			means = append(means, float64(p.Mean.Sign()))
		}
	}
	return OneSided(means)
}

// OneSided reports whether no two mean differences have different signs.
func OneSided(means []float64) bool {
	return len(means) == 0 || slices.Min(means) >= 0 || slices.Max(means) <= 0
}

// field compares a method of the user's with the mean of the field: of the whole methods that are not the user's. It
// takes the counted sets, and on each of them the splits that the method and all methods of the field have finished. It
// returns nil if the field has fewer than two methods, or if no set has a common split.
func (e *Evidence) field(t *frame.Table, us int) *Pair {
	var others []int
	for m, name := range t.Whole() {
		if !slices.Contains(e.own, name) {
			others = append(others, m)
		}
	}
	if len(others) < 2 {
		return nil
	}
	p := Pair{A: us, B: -1, Adjusted: math.NaN(), Equivalence: math.NaN(), Verdict: Untestable, level: 1 - e.Level}
	for _, set := range t.CountedSets() {
		var ours, theirs []*big.Rat
		for _, run := range set.Entries[us].Runs {
			var values []*big.Rat
			for _, m := range others {
				if value := set.Entries[m].At(run.Split); value != nil {
					values = append(values, value)
				}
			}
			if len(values) == len(others) {
				ours, theirs = append(ours, run.Value), append(theirs, stats.Mean(values))
			}
		}
		if len(ours) > 0 {
			a, b := stats.Mean(ours), stats.Mean(theirs)
			p.add(set.Name, t.OverSets(t.Gain(a, b), a, b), t.OverSets(e.Region.on(t.Metric, a, b), a, b), e.Region)
		}
	}
	if len(p.Gains) == 0 {
		return nil
	}
	p.summarise()
	out := &Evidence{Options: e.Options, Pairs: []Pair{p}}
	out.adjustOver()
	out.Pairs[0].judge(e.Level)
	return &out.Pairs[0]
}

func (e *Evidence) place(method string) int { return slices.Index(e.Methods, method) }

// at is the place of the comparison of two methods, in either order; -1 for none.
func (e *Evidence) at(a, b int) int {
	return slices.IndexFunc(e.Pairs, func(p Pair) bool { return p.A == a && p.B == b || p.A == b && p.B == a })
}

// Ends are the places of the whole methods with the best and the worst mean over the counted sets, the first of
// equals. If no set counts, both are 0.
func Ends(t *frame.Table) (first, last int) {
	means := t.Means()
	if len(means) == 0 {
		return 0, 0
	}
	columns := stats.ColumnMeans(means)
	return slices.Index(columns, slices.MaxFunc(columns, (*big.Rat).Cmp)),
		slices.Index(columns, slices.MinFunc(columns, (*big.Rat).Cmp))
}

// Leaders are the whole methods that have the best mean over the counted sets.
func Leaders(t *frame.Table) (names []string) {
	if means := t.Means(); len(means) > 0 {
		for i, best := range stats.Largest(stats.ColumnMeans(means)) {
			if best {
				names = append(names, t.Methods[i])
			}
		}
	}
	return names
}

// adjustOver adjusts the comparisons over data sets: differences, and equivalences in a family of their own.
func (e *Evidence) adjustOver() {
	var above, below []stats.SignedRanks
	var of []*Pair
	sets := e.counted()
	for i := range e.Pairs {
		p := &e.Pairs[i]
		if len(p.Gains) == 0 {
			continue
		}
		e.versus = append(e.versus, stats.Versus{A: p.A, B: p.B, At: len(of)})
		of, e.columns = append(of, p), append(e.columns, stats.NewSignedRanks(p.spread(sets, p.Gains)))
		if e.Region.Exists() {
			above = append(above, stats.NewSignedRanks(p.spread(sets, p.within(1))))
			below = append(below, stats.NewSignedRanks(p.spread(sets, p.within(-1))))
			last := len(above) - 1
			p.beyond = above[last].Sign() < 0 || below[last].Sign() < 0
		}
	}
	e.Enough = Enough(len(of), e.Level)
	e.family = stats.NewFamily(e.columns, seed)
	e.Critical = e.family.Critical(e.Level)
	adjusted := e.family.Adjusted()
	// An equivalence needs room to both edges (Schuirmann 1987): the one-sided test with the larger p-value decides.
	equivalences := stats.NewFamily(stats.Binding(above, below), seed).AdjustedAbove()
	for i, p := range of {
		if math.IsNaN(p.Signed.P) {
			p.Signed.P = e.columns[i].TwoSided()
		}
		// No result of so few sets could be significant. Where sets are enough, and only equal means leave no room
		// for a difference, an equivalence can be found.
		if e.columns[i].Least() > e.Critical && len(p.Gains) < e.Enough {
			continue
		}
		e.Over++
		if p.Adjusted = adjusted[i]; e.Region.Exists() {
			p.Equivalence = equivalences[i]
		}
	}
}

func (e *Evidence) counted() []string {
	var out []string
	for _, p := range e.Pairs {
		frame.AppendUnique(&out, p.Over...)
	}
	return out
}

func (e *Evidence) adjustSets() {
	var differences, equivalences []float64
	var of []*SetPair
	for _, p := range e.Pairs {
		for k := range p.Sets {
			if s := &p.Sets[k]; s.Tested() {
				of, differences = append(of, s), append(differences, s.P)
				equivalences = append(equivalences, s.Test.Equivalence(s.Rope))
			}
		}
	}
	e.Sets = len(of)
	differences, equivalences = stats.Holm(differences), stats.Holm(equivalences)
	for i, s := range of {
		s.Adjusted, s.Equivalence = differences[i], equivalences[i]
	}
}

// Best are p-values of the hypothesis that a method is the best of the whole methods, for each of them (Hsu 1984).
// The methods with a value of at least the level hold the best one with probability 1 - level. It is nil where the
// family is not each method with each, or no comparison could be significant.
func (e *Evidence) Best() []float64 {
	if !e.Every || e.Over == 0 {
		return nil
	}
	return e.family.Best(e.whole, slices.DeleteFunc(slices.Clone(e.versus), func(v stats.Versus) bool {
		return max(v.A, v.B) >= e.whole
	}))
}

// Found is the number of methods that a method is significantly better and worse than, of the first so many of the
// table, whatever the size of the differences.
func (e *Evidence) Found(method, of int) (better, worse int) {
	for _, p := range e.Pairs {
		switch {
		case p.A != method && p.B != method || max(p.A, p.B) >= of || !(p.OfPage() < e.Level):
		case (p.A == method) == (p.direction() > 0):
			better++
		default:
			worse++
		}
	}
	return better, worse
}

// Ranks are the intervals of the ranks of the whole methods by their typical differences, each from the number of
// methods found significantly better to that of methods found significantly worse. They hold together with
// probability 1 - level. An interval is zero where the family lacks comparisons of the method.
func (e *Evidence) Ranks() [][2]int {
	out := make([][2]int, e.whole)
	for m := range out {
		if e.Every || slices.Contains(e.own, e.Methods[m]) {
			better, worse := e.Found(m, e.whole)
			out[m] = [2]int{1 + worse, e.whole - better}
		}
	}
	return out
}

// Typical returns for each pair the posterior of the typical difference over data sets: below, within or above the
// region. It uses the Bayesian signed-rank test with the given number of draws. The result is nil for a pair that is
// not testable or whose region has no width on some set. Without a region all results are nil.
func (e *Evidence) Typical(pairs []Pair, draws int) []*stats.Probabilities {
	out := make([]*stats.Probabilities, len(pairs))
	if !e.Region.Exists() {
		return out
	}
	rope, wide := zero, e.Region.Width.Sign() > 0
	if wide {
		rope = one // differences are in units of each set's region
	}
	var lists [][]*rat
	var at []int
	for i, p := range pairs {
		if len(p.Gains) == 0 || p.Verdict == Untestable ||
			wide && slices.ContainsFunc(p.ropes, func(width *rat) bool { return width.Sign() == 0 }) {
			continue
		}
		gains := slices.Clone(p.Gains)
		for s := range gains {
			if wide {
				gains[s] = new(rat).Quo(gains[s], p.ropes[s])
			}
		}
		lists, at = append(lists, gains), append(at, i)
	}
	posteriors := stats.BayesSignedRanks(lists, rope, draws, seed)
	for k := range posteriors {
		out[at[k]] = &posteriors[k]
	}
	return out
}

// Compared is the number of comparisons over data sets, which p-values are adjusted for. A pair without a common set
// that counts is none.
func (e *Evidence) Compared() int { return len(e.versus) }

// Family names the comparisons over data sets that p-values are adjusted for, and what makes it the right family.
func (e *Evidence) Family() string {
	over := frame.Count(e.Compared(), "comparison")
	switch {
	case e.registered:
		return frame.Count(e.Compared(), "registered comparison")
	case e.Compared() < 2:
		return over
	case e.own != nil:
		return fmt.Sprintf("%s of %s, which did not come with the program or a file of results", over,
			frame.Listed(e.own))
	case !e.Every:
		return fmt.Sprintf("%s with %s, which is right if %[2]s was named before the results were seen", over, e.Method)
	case e.Method != "":
		return over + " of each method with each, as on the leaderboard"
	}
	return over + " of each method with each"
}

// Between is the comparison of two methods by their places in the table, from the side of the first; false if there is
// none.
func (e *Evidence) Between(a, b int) (Pair, bool) {
	i := e.at(a, b)
	switch {
	case i < 0:
		return Pair{}, false
	case e.Pairs[i].A == a:
		return e.Pairs[i], true
	}
	return e.Pairs[i].Reversed(), true
}

// spread puts values, one for each set of the comparison, at the places of these sets among all sets.
func (p *Pair) spread(sets []string, values []*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(sets))
	for i, name := range p.Over {
		out[slices.Index(sets, name)] = values[i]
	}
	return out
}
