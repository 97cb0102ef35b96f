package schedule

import (
	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
)

// memory admits cells by their estimates. The data set of a cell counts once, as long as the runner
// keeps it: until no planned cell needs it any more, or until another cell needs the place and none of
// its own is running.
type memory struct {
	limit int64 // 0 for none
	used  int64
	sets  map[catalogue.Description]*residentSet // as the runner tells them apart
}

// residentSet is a data set that cells of the plan need.
type residentSet struct {
	cell    *plan.Cell // one of them
	left    int        // cells that have not ended
	running int
	loaded  bool // counted in used
}

// newMemory counts the cells of each set.
func newMemory(limit int64, cells []*plan.Cell) *memory {
	m := &memory{limit: limit, sets: map[catalogue.Description]*residentSet{}}
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

// admit takes the memory of a cell if there is room, and returns the sets that make way for it.
func (m *memory) admit(c *plan.Cell) (forget []*plan.Cell, ok bool) {
	set := m.sets[c.Spec.Set]
	need := c.Memory
	if !set.loaded {
		need += c.SetBytes
	}
	if over := m.used + need - m.limit; m.limit > 0 && over > 0 {
		for _, s := range m.sets {
			if over > 0 && s != set && s.loaded && s.running == 0 {
				over -= s.cell.SetBytes
				forget = append(forget, m.unload(s))
			}
		}
		if over > 0 {
			return forget, false
		}
	}
	m.used += need
	set.loaded = true
	set.running++
	return forget, true
}

// unload no longer counts a set, and returns one of its cells, which names the set to the runner.
func (m *memory) unload(s *residentSet) *plan.Cell {
	s.loaded = false
	m.used -= s.cell.SetBytes
	return s.cell
}

// release gives back what admit took for a cell that has ended, and returns its set if that was the last cell of the set.
func (m *memory) release(c *plan.Cell) (forget []*plan.Cell) {
	m.used -= c.Memory
	m.sets[c.Spec.Set].running--
	return m.drop(c)
}

// drop counts a cell that will not run, as release does.
func (m *memory) drop(c *plan.Cell) (forget []*plan.Cell) {
	set := m.sets[c.Spec.Set]
	if set.left--; set.left == 0 && set.loaded {
		return []*plan.Cell{m.unload(set)}
	}
	return nil
}
