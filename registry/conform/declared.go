package conform

import (
	"context"
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// An Option is a further check for Run of what a method declares, on data that suits the method.
type Option struct {
	name  string
	check func(t *testing.T, spec registry.Spec)
}

// Check makes the check alone.
func (o Option) Check(t *testing.T, spec registry.Spec) {
	t.Helper()
	o.check(t, spec)
}

// Memory checks the declared memory by fits of d with shared work. In settings, a missing
// parameter has its default; without settings the defaults are fitted. The largest live heap may exceed the
// largest declared memory by a quarter at most. The largest declared memory may exceed all that was ever allocated by
// a quarter at most. The first model also scores the rows of d, as in the harness.
func Memory(d registry.Data, settings ...string) Option {
	return Option{"memory", func(t *testing.T, spec registry.Spec) {
		if len(settings) == 0 {
			settings = []string{"{}"}
		}
		declared, raws := int64(0), make([]json.RawMessage, len(settings))
		for i, s := range settings {
			raws[i] = json.RawMessage(s)
			bytes := must.Get(spec.MemoryEstimate(d.Shape(), raws[i]))(t)
			declared = max(declared, bytes)
		}
		bound := 1.25 * float64(declared)
		peak, allocated := memoryWithin(t, bound, func() error { return fitAll(t.Context(), spec, d, raws) })
		t.Logf("%d bytes declared, %d live, %d allocated in all", declared, peak, allocated)
		if float64(peak) > bound {
			t.Errorf("%d bytes are declared, %d are live at a time", declared, peak)
		}
		if float64(declared) > 1.25*float64(allocated) {
			t.Errorf("%d bytes are declared, %d allocated in all", declared, allocated)
		}
	}}
}

// fitAll fits the settings and scores with the first model.
func fitAll(ctx context.Context, spec registry.Spec, d registry.Data, settings []json.RawMessage) error {
	first := true
	return spec.FitAll(ctx, registry.Env{Seed: seed}, d, settings, func(_ int, m registry.Model) error {
		if !first {
			return nil
		}
		first = false
		return m.Score(ctx, d.X, make([]float64, len(d.Y)*d.Shape().Outputs()))
	})
}

// memoryTries bounds how often memory is measured before it counts as too much.
const memoryTries = 3

// memoryWithin is memoryOf, repeated while the peak is above bound. On a busy machine the collector may run late, and
// then counts garbage as live.
func memoryWithin(t *testing.T, bound float64, work func() error) (peak, allocated int64) {
	t.Helper()
	peak = math.MaxInt64
	for range memoryTries {
		p, a := memoryOf(t, work)
		if peak, allocated = min(peak, p), a; float64(peak) <= bound {
			break
		}
	}
	return peak, allocated
}

// memoryOf returns the largest heap that the collector found live during work, and all that was allocated, in bytes.
func memoryOf(t *testing.T, work func() error) (peak, allocated int64) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(5)) // the collector runs often
	runtime.GC()
	before, base := allocatedBytes(), liveBytes()
	most := int64(0)
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				most = max(most, liveBytes())
			}
		}
	}()
	err := work()
	last := liveBytes() // of a cycle that ended since the last look
	close(done)
	<-watched
	most = max(most, last)
	if err != nil {
		t.Fatal(err)
	}
	return max(0, most-base), allocatedBytes() - before
}

// liveBytes is the heap that the collector's last cycle found live.
func liveBytes() int64 { return gauge("/gc/heap/live:bytes") }

// allocatedBytes counts small objects, too, which the runtime's metric has once the span of their size is full.
func allocatedBytes() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.TotalAlloc)
}

func gauge(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Late checks that fits of d, which take longer than the last of ends, return the context's error soon after their
// context ends, and leave no goroutine behind. It fits the second half of the method's grid if the method declares a
// path, else the defaults. Ends and lateness are processor time of the thread that fits. So a fit must work on the
// goroutine that calls it, and must ask the context for its error.
func Late(d registry.Data, ends ...time.Duration) Option {
	return Option{"late", func(t *testing.T, spec registry.Spec) {
		settings := []json.RawMessage{spec.Defaults()}
		if spec.HasPath() {
			points := must.Get(spec.Settings(d.Shape(), spec.DefaultGrid(), nil))(t)
			settings = points[len(points)/2:]
		}
		testenv.CheckCancellation(t, func(ctx context.Context) error {
			return spec.FitAll(ctx, registry.Env{Seed: seed}, d, settings, func(int, registry.Model) error {
				return nil
			})
		}, ends...)
	}}
}
