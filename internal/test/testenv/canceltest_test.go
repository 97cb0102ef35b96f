package testenv

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
)

// work keeps the processor busy until its thread has used the processor time d, or until ctx ends.
func work(ctx context.Context, d time.Duration) error {
	for end := ThreadCPUTime() + d.Seconds(); ThreadCPUTime() < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// TestLateness: work that does not look at its context is late. Work that looks at it is not late, even if it then
// waits without using the processor.
func TestLateness(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const long = 300 * time.Millisecond
	late, err := lateness(t.Context(), 10*time.Millisecond, func(context.Context) error {
		return work(context.Background(), long)
	})
	if err != nil || late <= 2*lateLimit {
		t.Errorf("%v of work without a look at the context: %v late, %v", long, late, err)
	}
	late, err = lateness(t.Context(), 10*time.Millisecond, func(ctx context.Context) error {
		err := work(ctx, time.Minute)
		<-ctx.Done()
		time.Sleep(long)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) || late >= lateLimit {
		t.Errorf("waiting for %v: %v late, %v", long, late, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := lateness(gone, time.Minute, func(ctx context.Context) error {
		return work(ctx, time.Minute)
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("under a parent that ended: %v", err)
	}
}

// TestYardstick: the limit grows in proportion to the time of the yardstick, and is never below lateLimit.
func TestYardstick(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	buffer := newBuffer()
	for range 3 {
		t.Logf("the yardstick takes %v", yardstick(buffer))
	}
	for _, c := range []struct{ before, after, want time.Duration }{
		{quietYardstick / 2, quietYardstick / 3, lateLimit},
		{quietYardstick, quietYardstick, lateLimit},
		{quietYardstick, 3 * quietYardstick, 3 * lateLimit},
		{5 * quietYardstick, quietYardstick, 5 * lateLimit},
	} {
		must.Be(t, limitBetween(c.before, c.after), c.want, c.before, c.after)
	}
}
