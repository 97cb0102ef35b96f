package harness

import (
	"context"
	"sync"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/runner"
)

// memory admits cells by their estimates. The data set of a cell counts once, as long as
// the runner keeps it: until no planned cell needs it any more, or until another cell
// needs the place and none of its own is running.
type memory struct {
	limit  int64 // 0 for none
	forget func(runner.CellSpec)

	mu   sync.Mutex
	free *sync.Cond
	used int64
	sets map[datasets.Description]*residentSet // as the runner tells them apart
}

// residentSet is a data set that cells of the plan need.
type residentSet struct {
	cell    *PlannedCell // one of them
	left    int          // cells that have not ended
	running int
	loaded  bool // counted in used
}

// newMemory counts the cells of each set. A runner that keeps data sets has a method
// Forget.
func newMemory(limit int64, cells []*PlannedCell, run runner.Runner) *memory {
	m := &memory{limit: limit, sets: map[datasets.Description]*residentSet{}, forget: func(runner.CellSpec) {}}
	m.free = sync.NewCond(&m.mu)
	if keeper, ok := run.(interface{ Forget(runner.CellSpec) }); ok {
		m.forget = keeper.Forget
	}
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

// acquire waits for the memory of a cell; it returns false if ctx is done first.
func (m *memory) acquire(ctx context.Context, c *PlannedCell) bool {
	defer context.AfterFunc(ctx, func() {
		m.mu.Lock()
		m.free.Broadcast()
		m.mu.Unlock()
	})()
	m.mu.Lock()
	defer m.mu.Unlock()
	set := m.sets[c.Spec.Set]
	for {
		need := c.Memory
		if !set.loaded {
			need += c.SetBytes
		}
		if m.limit == 0 || m.used+need <= m.limit || m.evict(set, m.used+need-m.limit) {
			m.used += need
			set.loaded = true
			set.running++
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		m.free.Wait()
	}
}

// evict lets go of sets that no running cell uses, but for the one that is kept, until
// there is room; m.mu is held.
func (m *memory) evict(keep *residentSet, bytes int64) bool {
	for _, s := range m.sets {
		if bytes <= 0 {
			break
		}
		if s != keep && s.loaded && s.running == 0 {
			bytes -= s.cell.SetBytes
			m.unload(s)
		}
	}
	return bytes <= 0
}

// unload lets go of a set; m.mu is held.
func (m *memory) unload(s *residentSet) {
	s.loaded = false
	m.used -= s.cell.SetBytes
	m.forget(s.cell.Spec)
}

// release gives back what acquire took for a cell that has ended.
func (m *memory) release(c *PlannedCell) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set := m.sets[c.Spec.Set]
	m.used -= c.Memory
	set.running--
	set.left--
	if set.left == 0 {
		m.unload(set)
	}
	m.free.Broadcast()
}

// drop forgets a cell that is not going to run.
func (m *memory) drop(c *PlannedCell) {
	m.mu.Lock()
	defer m.mu.Unlock()
	set := m.sets[c.Spec.Set]
	if set.left--; set.left == 0 && set.loaded {
		m.unload(set)
	}
}
