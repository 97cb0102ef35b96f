package compare

import (
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/frame"
)

// takeStop takes the verdicts over from a run that ended because they were decided, where the page asks the same
// question: they are about all planned splits, and the tests of the page about those so far. A page with other methods,
// sets, another level or region decides by its tests, and a note says what the run decided.
func (p *Page) takeStop() {
	for _, s := range p.Sets {
		stop, ok := p.Table.Stop(s.Name, p.method)
		if !ok || stop.Method != p.method {
			continue
		}
		if p.stop = &stop; !p.asks(stop) {
			return
		}
		p.asksStop = true
		for i := range p.pairs {
			q := &p.pairs[i]
			q.Verdict = evidence.Verdict(stop.Findings[slices.Index(stop.Against(), p.other(q))].Verdict)
		}
		return
	}
}

// asks reports whether the page asks what a run decided. The run may have left out sets on which cells failed.
func (p *Page) asks(stop result.Stop) bool {
	if len(stop.Findings) != len(p.pairs) || stop.Level != p.o.Level || stop.Equivalence != p.region.String() {
		return false
	}
	for i := range p.pairs {
		q := &p.pairs[i]
		differs := func(set string) bool {
			return slices.Contains(stop.Sets, set) != slices.Contains(q.Over, set) &&
				!p.FailedOn(set, p.method) && !p.FailedOn(set, p.other(q))
		}
		if !slices.Contains(stop.Against(), p.other(q)) ||
			slices.ContainsFunc(slices.Concat(q.Over, stop.Sets), differs) {
			return false
		}
	}
	return true
}

// stopNotes say that the run of the method ended early for another question than that of the page.
func (p *Page) stopNotes() []string {
	if p.stop == nil || p.asksStop {
		return nil
	}
	return []string{fmt.Sprintf("%s was run until its comparison with %s over %s was decided. This page asks another "+
		"question, of the splits so far.", p.method, frame.Listed(p.stop.Against()),
		frame.Count(len(p.stop.Sets), "data set"))}
}
