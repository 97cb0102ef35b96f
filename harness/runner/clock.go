package runner

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/kernelboosting/bench/registry"
)

// A clock tells the time and waits. Tests use a clock of their own.
type clock struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
}

var systemClock = clock{now: time.Now, after: time.After}

// countdown waits until the process has run for d, and returns true. It returns false as soon as done is closed. Time
// in which the process was stopped (a suspended machine, a SIGSTOP) does not count. To notice such time, countdown
// waits in steps; a step that takes much longer than planned counts as four steps.
func (c clock) countdown(done <-chan struct{}, d time.Duration) bool {
	step := min(max(d/20, 5*time.Millisecond), 250*time.Millisecond)
	last := c.now()
	for left := d; left > 0; {
		wait := min(step, left)
		select {
		case <-c.after(wait):
		case <-done:
			return false
		}
		now := c.now()
		left -= min(now.Sub(last), wait+3*step)
		last = now
	}
	return true
}

// passed returns a channel that is closed when the process has run for d, unless done is closed before; never for d =
// 0.
func (c clock) passed(done <-chan struct{}, d time.Duration) <-chan struct{} {
	out := make(chan struct{})
	if d > 0 {
		go func() {
			if c.countdown(done, d) {
				close(out)
			}
		}()
	}
	return out
}

// limited returns a context that ends when the process has run for d; 0 is no limit.
func (c clock) limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	// So short a limit could pass before the goroutine below begins to count.
	if 0 < d && d < time.Millisecond {
		return context.WithTimeout(ctx, d)
	}
	ctx, cancel := context.WithCancel(ctx)
	if d > 0 {
		go func() {
			if c.countdown(ctx.Done(), d) {
				cancel()
			}
		}()
	}
	return ctx, cancel
}

// cpuClock adds up the CPU time of a cell's goroutines. The zero value is ready.
type cpuClock struct {
	mu      sync.Mutex
	used    float64
	unknown bool
}

// elsewhere adds the processor time of another process that works for the cell.
func (c *cpuClock) elsewhere(seconds float64, _ int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used += seconds
}

// measure runs work on an operating system thread of its own, so that the processor time of the thread is the
// time of work. A panic of work passes through; its time is counted.
func (c *cpuClock) measure(work func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, known := threadCPU()
	defer func() {
		end, _ := threadCPU()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.used += (end - start).Seconds()
		c.unknown = c.unknown || !known
	}()
	work()
}

// seconds returns the total time, or nil where the system has no clock for each thread.
func (c *cpuClock) seconds() *float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unknown {
		return nil
	}
	return new(c.used)
}

// A memo keeps numbers that fits of this process computed, for later fits that need the same number (see
// registry.Env.Memo). A cell that takes a number is also charged the processor time that computing it took, so that a
// cell's time does not depend on earlier cells. The zero value is ready. If two cells need a number at once, both
// compute it.
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
		start, known := threadCPU()
		value, err := compute()
		end, _ := threadCPU()
		if err != nil || !known {
			return value, err
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.known == nil {
			m.known = map[registry.MemoKey]remembered{}
		}
		m.known[key] = remembered{value, (end - start).Seconds()}
		return value, nil
	}
}
