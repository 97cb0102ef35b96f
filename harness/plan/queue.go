package plan

import (
	"cmp"
	"slices"
	"strings"
)

// A Queue gives cells in the order in which a run starts them. First come the cells that MarkFirst marked. Then come
// the early cells, the cheapest first: one cell for each method and set of which no cell is stored. So a whole table
// exists soon. Then come all other cells, the heaviest first by the forecast of that moment, so that no job waits for a
// heavy cell at the end.
type Queue struct {
	forecast *Forecast
	early    []*Cell
	groups   []*cellGroup
}

// A cellGroup is the cells of one method on one set. All of them have the same prediction.
type cellGroup struct {
	cells   []*Cell
	seconds float64 // the prediction for one of the cells
}

// NewQueue takes cells in any order. It gives the cells of one method on one set in the order in which it
// took them.
func NewQueue(cells []*Cell, f *Forecast) *Queue {
	q := &Queue{forecast: f}
	var others []*Cell
	for _, c := range cells {
		if c.Early || c.First {
			q.early = append(q.early, c)
		} else {
			others = append(others, c)
		}
	}
	for _, group := range grouped(others, func(c *Cell) [2]string { return [2]string{c.Method, c.Dataset} }) {
		q.groups = append(q.groups, &cellGroup{cells: group})
	}
	q.Refresh()
	slices.SortStableFunc(q.early, func(a, b *Cell) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(f.Seconds(a), f.Seconds(b)),
			strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method))
	})
	return q
}

// rank is 0 for a first cell and 1 for another.
func rank(c *Cell) int {
	if c.First {
		return 0
	}
	return 1
}

// Refresh takes new predictions from the forecast.
func (q *Queue) Refresh() {
	for _, g := range q.groups {
		if len(g.cells) > 0 {
			g.seconds = q.forecast.Seconds(g.cells[0])
		}
	}
}

// Next takes the next cell out of the queue. It returns nil if the queue is empty.
func (q *Queue) Next() *Cell { return q.NextThat(func(*Cell) bool { return true }) }

// NextThat takes out the next cell for which is returns true. It calls is for the early cells in turn, then
// for one cell of each method and set.
func (q *Queue) NextThat(is func(*Cell) bool) *Cell {
	if i := slices.IndexFunc(q.early, is); i >= 0 {
		c := q.early[i]
		q.early = slices.Delete(q.early, i, i+1)
		return c
	}
	var heaviest *cellGroup
	for _, g := range q.groups {
		if len(g.cells) > 0 && (heaviest == nil || g.seconds > heaviest.seconds || g.seconds == heaviest.seconds &&
			before(g.cells[0], heaviest.cells[0])) && is(g.cells[0]) {
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

func before(a, b *Cell) bool {
	return cmp.Or(strings.Compare(a.Dataset, b.Dataset), strings.Compare(a.Method, b.Method)) < 0
}

// Ahead returns cells without taking them out, the early ones first: at most most cells, whose predicted times sum
// to at most seconds.
func (q *Queue) Ahead(seconds float64, most int) []*Cell {
	var out []*Cell
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

// lists returns the cells that are left: a list of the early cells, then one list for each method and set.
func (q *Queue) lists() [][]*Cell {
	out := [][]*Cell{q.early}
	for _, g := range q.groups {
		out = append(out, g.cells)
	}
	return out
}

// Rest returns the cells that are left.
func (q *Queue) Rest() []*Cell {
	return slices.Concat(q.lists()...)
}

// Empty reports whether Next has no cell to give.
func (q *Queue) Empty() bool {
	return len(q.early) == 0 && !slices.ContainsFunc(q.groups, func(g *cellGroup) bool { return len(g.cells) > 0 })
}

// PutBack puts a cell from Next at the front of the queue.
func (q *Queue) PutBack(c *Cell) { q.early = slices.Insert(q.early, 0, c) }

// ByDataset groups cells by data set, the cheapest set first. Within a group the order stays.
func ByDataset(cells []*Cell) [][]*Cell {
	groups := grouped(cells, func(c *Cell) string { return c.Dataset })
	slices.SortStableFunc(groups, func(a, b []*Cell) int { return cmp.Compare(seconds(a), seconds(b)) })
	return groups
}

func seconds(cells []*Cell) float64 {
	sum := 0.0
	for _, c := range cells {
		sum += c.Seconds
	}
	return sum
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
