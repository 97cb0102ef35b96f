package testsplit

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/testenv"
)

// Late checks that a fit which takes long returns the context's error within 100 ms
// of its end, whenever that comes, and leaves no goroutine behind. Machines are busy,
// so the best of five attempts counts.
func Late(t *testing.T, fit func(ctx context.Context) error, ends ...time.Duration) {
	t.Helper()
	if testenv.Race {
		t.Skip("the race detector slows the fit down by an order of magnitude")
	}
	before := runtime.NumGoroutine()
	for _, end := range ends {
		late := time.Duration(math.MaxInt64)
		for attempt := 0; attempt < 5 && late > 100*time.Millisecond; attempt++ {
			ctx, cancel := context.WithTimeout(t.Context(), end)
			start := time.Now()
			err := fit(ctx)
			late = min(late, time.Since(start)-end)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("a fit whose context ended after %v returned %v after %v", end, err, time.Since(start))
			}
		}
		if late > 100*time.Millisecond {
			t.Errorf("a fit noticed the end of its context at %v after %v", end, late)
		}
		t.Logf("end at %v: %v late", end, late)
	}
	for deadline := time.Now().Add(time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
		}
	}
}
