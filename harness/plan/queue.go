package plan

import (
	"cmp"
	"slices"
	"strings"
)

// A Queue gives cells in the order of the forecast's policy.
type Queue struct {
	forecast *Forecast
	groups   []*cellGroup // none is empty; in order since the last Refresh
}

// A cellGroup is the cells of one method on one set with the same Early. All of them have the same prediction, and so
// the same rank.
type cellGroup struct {
	cells  []*Cell
	round  int
	weight float64
}

// NewQueue takes cells in any order. It gives those of one group in the order in which it took them.
func NewQueue(cells []*Cell, f *Forecast) *Queue {
	type kind struct {
		method, dataset string
		early           bool
	}
	q := &Queue{forecast: f}
	for _, group := range grouped(cells, func(c *Cell) kind { return kind{c.Method, c.Dataset, c.Early} }) {
		q.groups = append(q.groups, &cellGroup{cells: group})
	}
	q.Refresh()
	return q
}

// Refresh orders the cells by what the forecast predicts now.
func (q *Queue) Refresh() {
	for _, g := range q.groups {
		g.round, g.weight = q.forecast.Policy.Order(g.cells[0], q.forecast.Seconds(g.cells[0]))
	}
	slices.SortStableFunc(q.groups, func(a, b *cellGroup) int {
		return cmp.Or(cmp.Compare(a.round, b.round), cmp.Compare(a.weight, b.weight),
			cmp.Compare(a.cells[0].Work, b.cells[0].Work), // of unknown time the smallest, which tell most per second
			strings.Compare(a.cells[0].Dataset, b.cells[0].Dataset),
			strings.Compare(a.cells[0].Method, b.cells[0].Method))
	})
}

// Next takes out the next cell for which is returns true, of the first cell of each group. It returns nil if there is
// none.
func (q *Queue) Next(is func(*Cell) bool) *Cell {
	i := slices.IndexFunc(q.groups, func(g *cellGroup) bool { return is(g.cells[0]) })
	if i < 0 {
		return nil
	}
	g := q.groups[i]
	c := g.cells[0]
	if g.cells = g.cells[1:]; len(g.cells) == 0 {
		q.groups = slices.Delete(q.groups, i, i+1)
	}
	return c
}

// Ahead returns the next cells without taking them out: at most most cells, whose predicted times sum to at most
// seconds.
func (q *Queue) Ahead(seconds float64, most int) []*Cell {
	var out []*Cell
	for _, g := range q.groups {
		for _, c := range g.cells {
			if seconds -= q.forecast.Seconds(c); seconds < 0 || len(out) == most {
				return out
			}
			out = append(out, c)
		}
	}
	return out
}

// Rest returns the cells that are left, in their order.
func (q *Queue) Rest() (cells []*Cell) {
	for _, g := range q.groups {
		cells = append(cells, g.cells...)
	}
	return cells
}

// Empty reports whether Next has no cell to give.
func (q *Queue) Empty() bool { return len(q.groups) == 0 }

// PutBack puts a cell from Next at the front of the queue, until Refresh gives it its place.
func (q *Queue) PutBack(c *Cell) {
	q.groups = slices.Insert(q.groups, 0, &cellGroup{cells: []*Cell{c}})
}

// grouped groups items with the same key, in the order in which their keys first occur.
func grouped[T any, K comparable](items []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, item := range items {
		i, known := at[key(item)]
		if !known {
			i = len(groups)
			at[key(item)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}
