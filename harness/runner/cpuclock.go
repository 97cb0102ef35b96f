package runner

import (
	"runtime"
	"sync"
)

// cpuClock adds up the CPU time of a cell's goroutines. The zero value is ready.
type cpuClock struct {
	mu      sync.Mutex
	used    float64
	unknown bool
	peak    int64 // the largest resident size of another process that works for the cell, in bytes
}

// elsewhere adds the processor time of another process that works for the cell.
func (c *cpuClock) elsewhere(seconds float64, peak int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used += seconds
	c.peak = max(c.peak, peak)
}

// peakElsewhere returns the largest resident size that elsewhere was given.
func (c *cpuClock) peakElsewhere() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peak
}

// measure runs work on an operating system thread of its own, so that the processor time of the thread is the
// time of work. A panic of work passes through; its time is counted.
func (c *cpuClock) measure(work func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadCPU()
	defer func() {
		used, known := threadCPU().since(start)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.used += used
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
	used := c.used
	return &used
}
