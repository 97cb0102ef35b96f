package runner

import (
	"sync"

	"github.com/kernelboosting/bench/registry"
)

// A memo keeps numbers that fits of this process computed, for later fits that need the same number (see
// registry.Env.Memo). A cell that takes a number is also charged the processor time that computing it took, so that a
// cell's time does not depend on earlier cells. The zero value is ready. If two cells need a number at once, both compute
// it.
type memo struct {
	mu    sync.Mutex
	known map[registry.MemoKey]remembered
}

// A remembered number takes 56 bytes with its key, and a run of all methods has some ten thousand.
type remembered struct{ value, seconds float64 }

// of returns the function registry.Env.Memo of a cell. Times are added to the cell's clock.
func (m *memo) of(clock *cpuClock) func(registry.MemoKey, func() (float64, error)) (float64, error) {
	return func(key registry.MemoKey, compute func() (float64, error)) (float64, error) {
		m.mu.Lock()
		r, ok := m.known[key]
		m.mu.Unlock()
		if ok {
			clock.elsewhere(r.seconds, 0)
			return r.value, nil
		}
		start := threadCPU()
		value, err := compute()
		used, known := threadCPU().since(start)
		if err != nil || !known {
			return value, err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.known == nil {
			m.known = map[registry.MemoKey]remembered{}
		}
		m.known[key] = remembered{value, used}
		return value, nil
	}
}
