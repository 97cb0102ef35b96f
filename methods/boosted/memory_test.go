//go:build !race

package boosted

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/testsplit"
	"github.com/kernelboosting/bench/registry"
)

// TestMemoryEstimate: the largest live heap of a fit is at most a quarter above what is declared.
func TestMemoryEstimate(t *testing.T) {
	data := testsplit.Waves(9, 20000, 50)
	for spec, params := range map[string]string{"LGBM": `{"n_estimators":5}`, "XGB": `{"n_estimators":5,"max_depth":12}`} {
		t.Run(spec, func(t *testing.T) {
			declared, peak := memoryOf(t, spec, data, params)
			if t.Logf("%d bytes declared, %d live", declared, peak); float64(peak) > 1.25*float64(declared) {
				t.Errorf("%d bytes declared, %d live", declared, peak)
			}
		})
	}
}

func memoryOf(t *testing.T, name string, data registry.Data, params string) (declared, peak int64) {
	t.Helper()
	specs := map[string]registry.Spec{"LGBM": LGBM(), "XGB": XGB()}
	spec := specs[name]
	declared, err := spec.MemoryEstimate(data.Shape(), []byte(params))
	if err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(5)) // little garbage counts as live
	runtime.GC()
	live := func() int64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	var most atomic.Int64
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				most.Store(max(most.Load(), live()))
			}
		}
	}()
	_, err = spec.Fit(t.Context(), registry.Env{Seed: 1}, data, []byte(params))
	close(done)
	<-watched
	if err != nil {
		t.Fatal(err)
	}
	return declared, most.Load() - before
}
