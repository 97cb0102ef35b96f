package schedule

import (
	"cmp"
	"slices"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/plan"
)

// memory admits cells by their predicted memory. A data set counts once, as long as the runner keeps it. The
// runner keeps a set until no planned cell needs the set. It drops the set earlier if another cell needs the
// memory while no cell of the set is running.
type memory struct {
	limit int64 // 0 for none
	used  int64
	sets  map[catalogue.Description]*residentSet // by description, as the runner identifies them
	taken map[*plan.Cell]int64                   // by cells that run, without their sets
}

// residentSet is a data set that cells of the plan need.
type residentSet struct {
	cell    *plan.Cell // any cell of the set
	left    int        // the number of cells that have not ended
	running int
	loaded  bool // its bytes are counted in used
}

func newMemory(limit int64, cells []*plan.Cell) *memory {
	m := &memory{limit: limit, sets: map[catalogue.Description]*residentSet{}, taken: map[*plan.Cell]int64{}}
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

// admit takes the memory of a cell, bytes beside its set, if there is room, or if there is room without sets that no
// running cell has. It returns one cell of each set that the runner has to forget.
func (m *memory) admit(c *plan.Cell, bytes int64) (forget []*plan.Cell, ok bool) {
	set := m.sets[c.Spec.Set]
	need := bytes
	if !set.loaded {
		need += c.SetBytes
	}
	if over := m.used + need - m.limit; m.limit > 0 && over > 0 {
		idle, free := []*residentSet{}, int64(0)
		for _, s := range m.sets {
			if s != set && s.loaded && s.running == 0 {
				idle = append(idle, s)
				free += s.cell.SetBytes
			}
		}
		if over > free {
			return nil, false
		}
		slices.SortFunc(idle, func(a, b *residentSet) int { return cmp.Compare(a.cell.Dataset, b.cell.Dataset) })
		for _, s := range idle {
			if over > 0 {
				over -= s.cell.SetBytes
				forget = append(forget, m.unload(s))
			}
		}
	}
	m.used += need
	m.taken[c] = bytes
	set.loaded = true
	set.running++
	return forget, true
}

// unload stops counting a set. It returns a cell of the set, by which the runner finds the set.
func (m *memory) unload(s *residentSet) *plan.Cell {
	s.loaded = false
	m.used -= s.cell.SetBytes
	return s.cell
}

// release gives back the memory of a cell that has ended. If this was the last cell of its set, release returns a
// cell of the set, so that the runner forgets the set.
func (m *memory) release(c *plan.Cell) (forget []*plan.Cell) {
	m.used -= m.taken[c]
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
