package runner

import (
	"math"
	"runtime"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestCollectNear: garbage is collected where a limit is near, and no time is spent on that where it is far or absent.
func TestCollectNear(t *testing.T) {
	large := make([]byte, 64<<20)
	defer runtime.KeepAlive(large)
	must.Be(t, collectNear(math.MaxInt64), false, "garbage is collected although the limit is far")
	must.Be(t, collectNear(1<<40), false, "garbage is collected although the limit is far")
	must.Be(t, collectNear(32<<20), true, "garbage is not looked for although the heap has half of the limit")
}
