package environment

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
)

// TestSlowness: yardsticks are kept, also for the next process. One that was counted short does not last, and neither
// does one of a busy machine. It is measured again when asked, or on another processor.
func TestSlowness(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("BENCH_YARDSTICK", "")
	first := Slowness()
	if !(first > 0) {
		t.Fatalf("the slowness is %v", first)
	}
	must.Be(t, Slowness(), first, "the slowness that was kept")
	file := filepath.Join(must.Get(os.UserCacheDir())(t), "bench", "yardstick.json")
	keep := func(cpu string, seconds float64) {
		t.Helper()
		text := fmt.Sprintf(`{"CPU":%q,"Cores":%d,"Seconds":[%g]}`, cpu, Current().Cores, seconds)
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	keep(Current().CPU, 1000*referenceYardstick)
	must.Be(t, Slowness(), 1000., "the slowness that is kept")
	for range 3 {
		Measure()
	}
	if got := Measured().Yardstick; !(got.Seconds < 1) {
		t.Errorf("a measurement of a busy machine counts after three others: %+v", got)
	}
	keep(Current().CPU, 1e-9)
	Measure()
	for range 3 {
		if got := Measure().Yardstick.Seconds; got < 1e-6 {
			t.Errorf("a measurement that was counted short counts after two others: %v", got)
		}
	}
	keep("another", 1e-9)
	if got := Measured().Yardstick.Seconds; got < 1e-6 {
		t.Errorf("the yardstick of another processor counts: %v", got)
	}
}

// TestForcedYardstick: a test can pretend a machine of any speed. Nothing is kept of it.
func TestForcedYardstick(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("BENCH_YARDSTICK", "0.25")
	must.Be(t, Slowness(), 0.25)
	must.Be(t, Measure().Yardstick.Seconds, 0.25*referenceYardstick)
	must.Be(t, len(must.Get(os.ReadDir(dir))(t)), 0, "files in the cache")
	for _, text := range []string{"0", "-1", "NaN", "Inf", "4x"} {
		t.Setenv("BENCH_YARDSTICK", text)
		if _, err := Forced(); err == nil {
			t.Errorf("%s is taken for a factor", text)
		}
	}
}
