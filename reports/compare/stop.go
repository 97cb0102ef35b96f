package compare

import (
	"slices"

	"github.com/kernelboosting/bench/reports/evidence"
)

// takeStop takes the verdicts over from a run that ended because they were decided, where the page asks the same
// question: they are about all planned splits, and the tests of the page about those so far. A page with other methods,
// sets, another level or region decides by its tests.
func (p *Page) takeStop() {
	for i := range p.pairs {
		for _, s := range p.pairs[i].Sets {
			stop, ok := p.Table.Stop(s.Set.Name, p.method)
			if !ok || len(stop.Findings) != len(p.pairs) || stop.Level != p.o.Level || !p.asks(stop.Equivalence) {
				continue
			}
			for k := range p.pairs {
				q := &p.pairs[k]
				at := slices.Index(stop.Against(), p.other(q))
				if at < 0 || !equalSets(q.Over, stop.Sets) {
					return
				}
			}
			for k := range p.pairs {
				q := &p.pairs[k]
				q.Verdict = evidence.Verdict(stop.Findings[slices.Index(stop.Against(), p.other(q))].Verdict)
			}
			p.stop = &stop
			return
		}
	}
}

// asks reports whether the page has the region of a run with this --equivalence.
func (p *Page) asks(equivalence string) bool {
	region := evidence.UsualRegion(p.Metric)
	if equivalence != "" {
		var err error
		if region, err = evidence.ParseRegion(equivalence); err != nil {
			return false
		}
	}
	switch {
	case region.Exists() != p.region.Exists():
		return false
	case !region.Exists():
		return true
	}
	return region.Relative == p.region.Relative && region.Width.Cmp(p.region.Width) == 0
}

func equalSets(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
