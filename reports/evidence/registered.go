package evidence

import (
	"math"

	"github.com/kernelboosting/bench/harness/result"
)

// A Registration is a registered comparison of methods of the table.
type Registration struct {
	result.Comparison
	Lacks   string   // why it does not count here, in words; "" if it counts
	Columns []string // of its method and of the others, "" where the table has none
}

// Register makes a family of its own of the comparisons over data sets of the first of some columns with the others: a
// comparison that was registered before its first result was not chosen by results, so that it is adjusted for those
// of its registration alone. All comparisons stay in the family of the page, whose other p-values are as before. Each
// of the comparisons must be there.
func (e *Evidence) Register(columns []string) {
	own := &Evidence{Options: e.Options, Methods: e.Methods, whole: e.whole, registered: true}
	own.Method = columns[0]
	var of []int
	for _, other := range columns[1:] {
		i := e.at(e.place(columns[0]), e.place(other))
		of, own.Pairs = append(of, i), append(own.Pairs, e.Pairs[i])
	}
	for k := range own.Pairs {
		p := &own.Pairs[k]
		p.ofPage, p.Registered = p.Adjusted, own
		p.Adjusted, p.Equivalence, p.Verdict = math.NaN(), math.NaN(), Untestable
		p.Versions.P = math.NaN() // the version was named before its results, and not chosen by them
	}
	own.adjustOver()
	for k := range own.Pairs {
		own.Pairs[k].judge(e.Level)
		e.Pairs[of[k]] = own.Pairs[k]
	}
}

// OfPage is the adjusted p of a pair in the family of the page, also of a registered one: ranks and bars of diagrams
// are statements on all pairs together.
func (p *Pair) OfPage() float64 {
	if p.Registered != nil {
		return p.ofPage
	}
	return p.Adjusted
}

// Of is the family that a pair is adjusted in: that of its registration, or of the page.
func (e *Evidence) Of(p *Pair) *Evidence {
	if p.Registered != nil {
		return p.Registered
	}
	return e
}
