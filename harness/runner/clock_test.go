package runner

import (
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestCountdown counts the time in which the process ran, not that in which it was
// stopped.
func TestCountdown(t *testing.T) {
	now := time.Unix(0, 0)
	waits := 0
	stopped := map[int]time.Duration{3: time.Hour, 7: time.Minute} // after these waits
	c := clock{
		now: func() time.Time { return now },
		after: func(d time.Duration) <-chan time.Time {
			waits++
			now = now.Add(d + stopped[waits])
			ch := make(chan time.Time, 1)
			ch <- now
			return ch
		},
	}
	if !c.countdown(nil, 4*time.Second) {
		t.Fatal("the countdown did not end")
	}
	ran := now.Sub(time.Unix(0, 0)) - time.Hour - time.Minute
	if ran < 2500*time.Millisecond || ran > 4*time.Second {
		t.Errorf("a limit of 4 s ended after the process had run for %v", ran)
	}
	done := make(chan struct{})
	close(done)
	must.Be(t, (clock{now: time.Now, after: func(time.Duration) <-chan time.Time { return nil }}).countdown(done,
		time.Hour), false, "a countdown whose work is done says that the time is over")
}
