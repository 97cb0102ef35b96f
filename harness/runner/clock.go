package runner

import (
	"context"
	"time"
)

// A clock tells the time and waits. Tests use a clock of their own.
type clock struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
}

var systemClock = clock{now: time.Now, after: time.After}

// countdown waits until the process has run for d, and returns true. It returns false as soon as done is closed. Time in
// which the process was stopped (a suspended machine, a SIGSTOP) does not count. To notice such time, countdown waits in
// steps; a step that takes much longer than planned counts as four steps.
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
