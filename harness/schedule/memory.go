package schedule

import (
	"cmp"
	"math"
	"slices"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
)

// memory counts what running cells take, by their predictions. A data set counts once, as long as the runner keeps it.
// The runner keeps a set until no planned cell needs the set. It drops the set earlier if another cell needs the memory
// while no cell of the set is running.
type memory struct {
	free  int64                                  // of the limit, with the sets that the runner keeps counted as used
	sets  map[catalogue.Description]*residentSet // by description, as the runner identifies them
	taken map[*plan.Cell]int64                   // by cells that run, without their sets
}

// residentSet is a data set that cells of the plan need.
type residentSet struct {
	cell    *plan.Cell // any cell of the set
	left    int        // the number of cells that have not ended
	running int
	loaded  bool // its bytes are not free
}

func newMemory(limit int64, cells []*plan.Cell) *memory {
	if limit == 0 {
		limit = math.MaxInt64
	}
	m := &memory{free: limit, sets: map[catalogue.Description]*residentSet{}, taken: map[*plan.Cell]int64{}}
	for _, c := range cells {
		s := m.sets[c.Spec.Set]
		if s == nil {
			s = &residentSet{cell: c}
			m.sets[c.Spec.Set] = s
		}
		s.left++
	}
	return m
}

// reserve takes the memory of a cell, bytes without its set, if may agrees. Memory of sets that no running cell has is
// free. reserve returns one cell of each set that the runner has to forget.
func (m *memory) reserve(
	c *plan.Cell, bytes int64, may func(need, free int64) bool,
) (forget []*plan.Cell, ok bool) {
	set := m.sets[c.Spec.Set]
	need, free := bytes, m.free
	if !set.loaded {
		need += c.SetBytes
	}
	var idle []*residentSet
	for _, s := range m.sets {
		if s != set && s.loaded && s.running == 0 {
			idle = append(idle, s)
			free += s.cell.SetBytes
		}
	}
	if !may(need, free) {
		return nil, false
	}
	slices.SortFunc(idle, func(a, b *residentSet) int { return cmp.Compare(a.cell.Dataset, b.cell.Dataset) })
	for _, s := range idle {
		if need > m.free {
			forget = append(forget, m.unload(s))
		}
	}
	m.free -= need
	m.taken[c] = bytes
	set.loaded = true
	set.running++
	return forget, true
}

// unload stops counting a set. It returns a cell of the set, by which the runner finds the set.
func (m *memory) unload(s *residentSet) *plan.Cell {
	s.loaded = false
	m.free += s.cell.SetBytes
	return s.cell
}

// release gives back the memory of a cell that has ended. If this was the last cell of its set, release returns a
// cell of the set, so that the runner forgets the set.
func (m *memory) release(c *plan.Cell) (forget []*plan.Cell) {
	m.free += m.taken[c]
	delete(m.taken, c)
	m.sets[c.Spec.Set].running--
	return m.drop(c)
}

// drop counts a cell that will not run here. It returns what release returns.
func (m *memory) drop(c *plan.Cell) (forget []*plan.Cell) {
	set := m.sets[c.Spec.Set]
	if set.left--; set.left == 0 && set.loaded {
		return []*plan.Cell{m.unload(set)}
	}
	return nil
}
