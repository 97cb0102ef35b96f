package runner

import (
	"sync"

	"github.com/kernelboosting/bench/registry"
)

// A memo keeps numbers that fits of this process computed, for later fits that need the same (see registry.Env.Memo). It keeps
// the processor time of each, which counts as the time of every cell that takes the number: what a cell costs does not depend on
// the cells before it. The zero value is ready. A number that two cells compute at once is computed twice.
type memo struct {
	mu    sync.Mutex
	known map[registry.MemoKey]remembered
}

// A remembered number takes 56 bytes with its key, and a run of all methods has some ten thousand.
type remembered struct{ value, seconds float64 }

// of returns the memo as a cell sees it whose clock is given.
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
