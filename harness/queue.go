package harness

import (
	"cmp"
	"slices"
	"strings"
)

// A queue gives cells in the order in which a run starts them. First come the early ones, the
// cheapest first: one cell of each method on each set that has none yet, so that a whole table
// stands after a small part of the time. Then come the others, the heaviest first by what is known
// when they are started, so that no job waits for a heavy cell at the end.
type queue struct {
	forecast *Forecast
	early    []*PlannedCell
	groups   []*cellGroup
}

// A cellGroup is the cells of one method on one set, which are predicted alike.
type cellGroup struct {
	cells   []*PlannedCell
	seconds float64 // of one of them
}

// newQueue takes cells in any order; those of a pair are given in the order that they have.
func newQueue(cells []*PlannedCell, f *Forecast) *queue {
	type pair struct{ method, dataset string }
	q := &queue{forecast: f}
	at := map[pair]*cellGroup{}
	for _, c := range cells {
		if c.Early {
			q.early = append(q.early, c)
			continue
		}
		p := pair{c.Method, c.Dataset}
		if at[p] == nil {
			at[p] = &cellGroup{}
			q.groups = append(q.groups, at[p])
		}
		at[p].cells = append(at[p].cells, c)
	}
	q.refresh()
	slices.SortStableFunc(q.early, func(a, b *PlannedCell) int {
		return cmp.Or(cmp.Compare(f.Seconds(a), f.Seconds(b)), strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method))
	})
	return q
}

// refresh asks the forecast again.
func (q *queue) refresh() {
	for _, g := range q.groups {
		if len(g.cells) > 0 {
			g.seconds = q.forecast.Seconds(g.cells[0])
		}
	}
}

// next takes the next cell out of the queue; it is nil when there is none.
func (q *queue) next() *PlannedCell {
	if len(q.early) > 0 {
		c := q.early[0]
		q.early = q.early[1:]
		return c
	}
	var heaviest *cellGroup
	for _, g := range q.groups {
		if len(g.cells) > 0 && (heaviest == nil || g.seconds > heaviest.seconds || g.seconds == heaviest.seconds && before(g.cells[0], heaviest.cells[0])) {
			heaviest = g
		}
	}
	if heaviest == nil {
		return nil
	}
	c := heaviest.cells[0]
	heaviest.cells = heaviest.cells[1:]
	return c
}

func before(a, b *PlannedCell) bool {
	return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method)) < 0
}

// ahead returns cells that are soon to come, as many as fit into seconds by the forecast, at most so many.
func (q *queue) ahead(seconds float64, most int) []*PlannedCell {
	var out []*PlannedCell
	for _, cells := range q.lists() {
		for _, c := range cells {
			if seconds -= q.forecast.Seconds(c); seconds < 0 || len(out) == most {
				return out
			}
			out = append(out, c)
		}
	}
	return out
}

// lists are the cells that are left: the early ones, then those of each pair.
func (q *queue) lists() [][]*PlannedCell {
	out := [][]*PlannedCell{q.early}
	for _, g := range q.groups {
		out = append(out, g.cells)
	}
	return out
}

// rest returns the cells that are left.
func (q *queue) rest() []*PlannedCell {
	return slices.Concat(q.lists()...)
}

// empty reports whether next has nothing to give.
func (q *queue) empty() bool {
	return len(q.early) == 0 && !slices.ContainsFunc(q.groups, func(g *cellGroup) bool { return len(g.cells) > 0 })
}

// putBack undoes next.
func (q *queue) putBack(c *PlannedCell) { q.early = slices.Insert(q.early, 0, c) }
