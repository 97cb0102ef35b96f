package environment

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestSlowness: the yardstick is measured once and kept, also for the next process, and measured again on another
// processor.
func TestSlowness(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	first := Slowness()
	if !(first > 0) {
		t.Fatalf("the slowness is %v", first)
	}
	must.Be(t, Slowness(), first, "the slowness that was kept")
	if y := Measured().Yardstick; !(0 < y.Low && y.Low <= y.Seconds && y.Seconds <= y.High) {
		t.Errorf("the median %v and the quartiles %v and %v", y.Seconds, y.Low, y.High)
	}
	cache := must.Get(os.UserCacheDir())(t)
	file := filepath.Join(cache, "bench", "yardstick.json")
	other := `{"CPU":"another","Cores":1,"Yardstick":{"seconds":1000,"low":1000,"high":1000}}`
	must.Do(t, os.WriteFile(file, []byte(other), 0o600))
	if got := Slowness(); got > 1000 {
		t.Errorf("the slowness of another processor counts: %v", got)
	}
}
