// How soon work notices the end of its context, by processor time.

package testenv

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/system/processes"
)

// lateLimit is how much work may be done after the end of the context, on a machine where the yardstick takes
// quietYardstick.
const lateLimit = 100 * time.Millisecond

// quietYardstick is what the yardstick takes on a quiet core of an AMD EPYC of 2024 (go test -run TestYardstick -v).
const quietYardstick = 9 * time.Millisecond

// Check checks that work which takes long returns the context's error soon after the end of its context, whenever that
// comes: after at most 100 ms of a quiet machine's work, in the best of five attempts. The caches, the memory and the
// clocks of a busy machine slow work down too, so before and after each attempt a yardstick is timed, and the attempt
// may be later by as much as the yardstick is longer. Work may be over by itself until then, as on a fast machine, but
// one of the ends has to come before. It leaves no goroutine behind. Under the race detector, which slows work down by
// an order of magnitude, it skips the test.
//
// Ends and lateness are processor time of the thread that works. What else the machine does, and
// how long the thread waits for its turn, therefore plays no part. The work has to be done on the
// goroutine that calls it, and to ask the context for its error.
func Check(t *testing.T, work func(ctx context.Context) error, ends ...time.Duration) {
	t.Helper()
	if Race {
		t.Skip("the race detector slows work down by an order of magnitude")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	rod := newRod()
	before := runtime.NumGoroutine()
	noticed := 0
	for _, end := range ends {
		tooLate := true
		for attempt := 0; attempt < 5 && tooLate; attempt++ {
			before := yardstick(rod)
			late, err := lateness(t.Context(), end, work)
			limit := limitBetween(before, yardstick(rod))
			tooLate = late > limit
			t.Logf("end at %v: %v late, at most %v", end, late, limit)
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				noticed++
			case err != nil:
				t.Fatalf("work whose context ended after %v of work returned %v", end, err)
			}
		}
		if tooLate {
			t.Errorf("work whose context ended after %v of work went on for too long, five times", end)
		}
	}
	if noticed == 0 {
		t.Fatalf("the work was over before any of %v; give it more", ends)
	}
	for deadline := time.Now().Add(10 * time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}

// limitBetween returns how late an attempt may be between two yardsticks.
func limitBetween(before, after time.Duration) time.Duration {
	slower := float64(max(before, after)) / float64(quietYardstick)
	return time.Duration(float64(lateLimit) * max(1, slower))
}

// newRod returns the memory that yardsticks work through, 32 MiB, which is more than caches hold. The first yardstick
// takes its pages from the system.
func newRod() []float64 {
	rod := make([]float64, 4<<20)
	yardstick(rod)
	return rod
}

// yardstick returns the processor time of clearing, writing and reading the rod.
func yardstick(rod []float64) time.Duration {
	start := processes.ThreadCPUTime()
	clear(rod)
	sum := 0.0
	for i := range rod {
		rod[i] = float64(i)
	}
	for _, x := range rod {
		sum += x
	}
	runtime.KeepAlive(sum)
	return time.Duration((processes.ThreadCPUTime() - start) * float64(time.Second))
}

// lateness returns the work that is done after the end of its context.
func lateness(parent context.Context, end time.Duration, work func(ctx context.Context) error) (time.Duration, error) {
	ctx := newWorkContext(parent, end)
	err := work(ctx)
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
	return &workContext{Context: parent, end: processes.ThreadCPUTime() + work.Seconds(), done: make(chan struct{})}
}

func (c *workContext) late() time.Duration {
	return time.Duration((processes.ThreadCPUTime() - c.end) * float64(time.Second))
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
