package runner

import (
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestReadyIn: making ready for a cell does not take much longer than the cell may.
func TestReadyIn(t *testing.T) {
	for _, c := range []struct{ timeout, ready, want time.Duration }{
		{0, 0, readyWithin}, {time.Second, 0, 11 * time.Second}, {time.Hour, 0, readyWithin}, {time.Second, time.Second,
			time.Second},
	} {
		must.Be(t, (&Workers{Timeout: c.timeout, Ready: c.ready}).readyIn(), c.want, c)
	}
}
