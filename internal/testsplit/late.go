package testsplit

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/cputime"
	"github.com/kernelboosting/bench/internal/testenv"
)

// lateLimit is how much work a fit may do after the end of its context.
const lateLimit = 100 * time.Millisecond

// Late checks that a fit which takes long returns the context's error soon after the end of its
// context, whenever that comes: after at most 100 ms of work, the best of five attempts, since
// caches and clocks of a busy machine slow work down too. It leaves no goroutine behind.
//
// Ends and lateness are processor time of the thread that fits. What else the machine does, and
// how long the thread waits for its turn, therefore plays no part. The fit has to work on the
// goroutine that calls it, and to ask the context for its error.
func Late(t *testing.T, fit func(ctx context.Context) error, ends ...time.Duration) {
	t.Helper()
	if testenv.Race {
		t.Skip("the race detector slows the fit down by an order of magnitude")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := runtime.NumGoroutine()
	for _, end := range ends {
		least := time.Duration(math.MaxInt64)
		for attempt := 0; attempt < 5 && least > lateLimit; attempt++ {
			late, err := lateness(t.Context(), end, fit)
			least = min(least, late)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("a fit whose context ended after %v of work returned %v", end, err)
			}
		}
		if least > lateLimit {
			t.Errorf("a fit whose context ended after %v of work went on for another %v", end, least)
		}
		t.Logf("end at %v: %v late", end, least)
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}

// lateness returns the work that fit does after the end of its context.
func lateness(parent context.Context, end time.Duration, fit func(ctx context.Context) error) (time.Duration, error) {
	ctx := newWorkContext(parent, end)
	err := fit(ctx)
	return ctx.late(), err
}

// A workContext ends once the thread that made it has worked for so long, which it finds out when
// it is asked.
type workContext struct {
	context.Context
	end  float64 // of the thread's processor time
	once sync.Once
	done chan struct{}
}

func newWorkContext(parent context.Context, work time.Duration) *workContext {
	return &workContext{Context: parent, end: cputime.Thread() + work.Seconds(), done: make(chan struct{})}
}

func (c *workContext) late() time.Duration {
	return time.Duration((cputime.Thread() - c.end) * float64(time.Second))
}

// Err is [context.DeadlineExceeded] once the work is done.
func (c *workContext) Err() error {
	if c.late() < 0 {
		return c.Context.Err()
	}
	c.once.Do(func() { close(c.done) })
	return context.DeadlineExceeded
}

// Done is closed when Err first returns an error.
func (c *workContext) Done() <-chan struct{} { return c.done }
