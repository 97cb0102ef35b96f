package runner

import (
	"testing"
	"time"
)

// TestReadyIn: making ready for a cell does not take much longer than the cell may.
func TestReadyIn(t *testing.T) {
	for _, c := range []struct{ timeout, ready, want time.Duration }{
		{0, 0, readyWithin}, {time.Second, 0, 11 * time.Second}, {time.Hour, 0, readyWithin}, {time.Second, time.Second, time.Second},
	} {
		if got := (&Workers{Timeout: c.timeout, Ready: c.ready}).readyIn(); got != c.want {
			t.Errorf("%v: %v, want %v", c, got, c.want)
		}
	}
}
