package runner

import (
	"math"
	"runtime"
	"testing"
)

// TestCollectNear: garbage is collected where a limit is near, and no time is spent on that where it is far or absent.
func TestCollectNear(t *testing.T) {
	large := make([]byte, 64<<20)
	defer runtime.KeepAlive(large)
	if collectNear(math.MaxInt64) || collectNear(1<<40) {
		t.Error("garbage is collected although the limit is far")
	}
	if !collectNear(32 << 20) {
		t.Error("garbage is not looked for although the heap has half of the limit")
	}
}
