// How much processor time work takes after its context has ended.

package testenv

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"
)

// lateLimit is the most processor time that work may take after its context has ended, on a machine where the yardstick
// takes quietYardstick.
const lateLimit = 100 * time.Millisecond

// quietYardstick is the processor time of the yardstick, a fixed piece of work, on a quiet core of an AMD EPYC of 2024
// (go test -run TestYardstick -v).
const quietYardstick = 9 * time.Millisecond

// CheckCancellation checks that work returns the error of its context soon after the context has ended. Each of ends is
// a processor time after which the context ends. At least one of them must be shorter than the work. For each of them
// the best of five attempts counts, in which the work may go on for at most lateLimit.
//
// A busy machine slows work down, through its caches, its memory and its clocks. So the yardstick is timed before and
// after each attempt. If it takes longer than quietYardstick, the limit of the attempt grows in the same proportion.
//
// All times are processor times of the thread that works. Other programs on the machine, and the time for which the
// thread waits for a core, therefore do not matter. The work must run on the goroutine that calls it, and must ask the
// context for its error. When it returns, no goroutine of it may be left. The test is skipped under the race detector,
// which makes work about ten times slower.
func CheckCancellation(t *testing.T, work func(ctx context.Context) error, ends ...time.Duration) {
	t.Helper()
	if Race {
		t.Skip("the race detector slows work down by an order of magnitude")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	buffer := newBuffer()
	others := runtime.NumGoroutine()
	noticed := 0
	for _, end := range ends {
		tooLate := true
		for attempt := 0; attempt < 5 && tooLate; attempt++ {
			before := yardstick(buffer)
			late, err := lateness(t.Context(), end, work)
			limit := limitBetween(before, yardstick(buffer))
			tooLate = late > limit
			t.Logf("end at %v: %v late, at most %v", end, late, limit)
			switch {
			case errors.Is(err, context.DeadlineExceeded):
				noticed++
			case err != nil:
				t.Fatalf("work whose context ended after %v returned %v", end, err)
			}
		}
		if tooLate {
			t.Errorf("work whose context ended after %v went on for too long, five times", end)
		}
	}
	if noticed == 0 {
		t.Fatalf("the work was done before its context ended, which was after %v; give it more work", ends)
	}
	for deadline := time.Now().Add(10 * time.Minute); runtime.NumGoroutine() > others; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines run after the work, and %d ran before it", runtime.NumGoroutine(), others)
		}
	}
}

// limitBetween returns the limit of an attempt from the times of the yardstick before and after it.
func limitBetween(before, after time.Duration) time.Duration {
	slower := float64(max(before, after)) / float64(quietYardstick)
	return time.Duration(float64(lateLimit) * max(1, slower))
}

// newBuffer returns the memory that yardstick works through: 32 MiB, which is more than caches hold. The first call of
// yardstick makes the system provide the pages.
func newBuffer() []float64 {
	buffer := make([]float64, 4<<20)
	yardstick(buffer)
	return buffer
}

// yardstick clears, writes and reads the buffer, and returns the processor time that this takes.
func yardstick(buffer []float64) time.Duration {
	start := ThreadCPUTime()
	clear(buffer)
	sum := 0.0
	for i := range buffer {
		buffer[i] = float64(i)
	}
	for _, x := range buffer {
		sum += x
	}
	runtime.KeepAlive(sum)
	return time.Duration((ThreadCPUTime() - start) * float64(time.Second))
}

// lateness runs work and returns the processor time that it took after the end of its context. It is negative if the
// work was done before.
func lateness(parent context.Context, end time.Duration, work func(ctx context.Context) error) (time.Duration, error) {
	ctx := newWorkContext(parent, end)
	err := work(ctx)
	return ctx.late(), err
}

// A workContext ends once the thread that made it has used a given processor time. It looks at the time only when Err
// is called.
type workContext struct {
	context.Context
	end  float64 // of the thread's processor time
	once sync.Once
	done chan struct{}
}

func newWorkContext(parent context.Context, work time.Duration) *workContext {
	return &workContext{Context: parent, end: ThreadCPUTime() + work.Seconds(), done: make(chan struct{})}
}

func (c *workContext) late() time.Duration {
	return time.Duration((ThreadCPUTime() - c.end) * float64(time.Second))
}

// Err is [context.DeadlineExceeded] once the processor time is used up.
func (c *workContext) Err() error {
	if c.late() < 0 {
		return c.Context.Err()
	}
	c.once.Do(func() { close(c.done) })
	return context.DeadlineExceeded
}

// Done is closed when Err first returns [context.DeadlineExceeded].
func (c *workContext) Done() <-chan struct{} { return c.done }
