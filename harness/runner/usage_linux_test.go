package runner

import (
	"math"
	"runtime"
	"testing"

	"github.com/kernelboosting/bench/internal/system/cputime"
)

// TestShortCellsHaveTheirTime: work shorter than a tick of the system counts as what it took. By getrusage most of it would be 0.
func TestShortCellsHaveTheirTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sum := 0.0
	for range 50 {
		from, start := cputime.Thread(), threadCPU()
		for i := range 100_000 {
			sum += math.Sqrt(float64(i))
		}
		took, known := threadCPU().since(start)
		if whole := cputime.Thread() - from; !known || took < whole/2 || took > whole {
			t.Fatalf("work of %v s counts as %v s (known: %v)", whole, took, known)
		}
	}
	if sum == 0 {
		t.Error("there was no work")
	}
}
