package evidence

import (
	"math"

	"github.com/kernelboosting/bench/harness/registered"
)

// A Registration is a registered comparison of methods of the table.
type Registration struct {
	registered.Comparison
	Lacks string // why it does not count here, in words; "" if it counts
}

// Register makes a family of its own of the comparisons over data sets of one method with others, by their columns: a
// comparison that was registered before its first result was not chosen by results, so that it is adjusted for those
// of its registration alone. All comparisons stay in the family of the page, whose other p-values are as before. Each
// of the comparisons must be there.
func (e *Evidence) Register(method string, others []string) {
	own := &Evidence{Options: e.Options, Methods: e.Methods, whole: e.whole, registered: true}
	own.Method = method
	var of []int
	for _, other := range others {
		i := e.at(e.place(method), e.place(other))
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
