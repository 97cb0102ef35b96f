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

	"github.com/kernelboosting/bench/internal/system/cputime"
	"github.com/kernelboosting/bench/internal/test/canceltest"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry"
)

// An Option is a further check for Run, of what a method declares, on data that suits the method.
type Option struct {
	name  string
	check func(t *testing.T, spec registry.Spec)
}

// Check makes the check alone.
func (o Option) Check(t *testing.T, spec registry.Spec) {
	t.Helper()
	o.check(t, spec)
}

// Memory checks the declared memory by fits of d with shared work: of the settings, of which one
// that leaves everything out has the defaults, or of the defaults. The largest live heap is at most a quarter
// above what is declared for the setting that declares most, and that is at most a quarter above
// all that was ever allocated. The first model scores the rows of d, as the harness has it do.
func Memory(d registry.Data, settings ...string) Option {
	return Option{"memory", func(t *testing.T, spec registry.Spec) {
		if len(settings) == 0 {
			settings = []string{"{}"}
		}
		declared, raws := int64(0), make([]json.RawMessage, len(settings))
		for i, s := range settings {
			raws[i] = json.RawMessage(s)
			bytes, err := spec.MemoryEstimate(d.Shape(), raws[i])
			if err != nil {
				t.Fatal(err)
			}
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

// memoryWithin is memoryOf, measured again while the peak is above a bound: on a busy machine a collector that gets no processor
// meets what was garbage long ago as if it were live.
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
	defer debug.SetGCPercent(debug.SetGCPercent(5)) // it looks often
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

func allocatedBytes() int64 { return gauge("/gc/heap/allocs:bytes") }

func gauge(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// Cost checks the declared cost: the processor time of a fit of d with the defaults is what is declared within a factor. Where it is
// more, since caches and clocks of a busy machine slow work down, the least of three fits counts, as it always does in make thorough. It is for processors of some years around 2020; a factor
// below 5 would ask too much of them.
func Cost(d registry.Data, factor float64) Option { return CostAt(d, nil, factor) }

// CostAt is Cost with the parameters of a setting, for a method whose defaults may end before all
// the work that it declares is done.
func CostAt(d registry.Data, setting json.RawMessage, factor float64) Option {
	return Option{"cost", func(t *testing.T, spec registry.Spec) {
		declared, err := spec.CostEstimate(d.Shape(), setting)
		if err != nil {
			t.Fatal(err)
		}
		took := math.Inf(1)
		for try := 0; try < 3 && (testenv.Thorough() || took > factor*declared/1e9); try++ {
			took = min(took, cputime.Of(func() {
				if _, err := spec.Fit(t.Context(), registry.Env{Seed: seed}, d, setting); err != nil {
					t.Error(err)
				}
			}))
		}
		ratio := declared / 1e9 / took
		t.Logf("%.3g s declared, %.3g s taken", declared/1e9, took)
		if ratio > factor || ratio < 1/factor {
			t.Errorf("%.3g s of processor time are declared and %.3g s taken: not within a factor of %g", declared/1e9, took, factor)
		}
	}}
}

// Late checks that fits of d, which take longer than the last of ends, return the context's error
// soon after the end of their context, whenever that comes, and leave no goroutine behind. What is
// fitted is the second half of the method's grid if it declares a path, else its defaults. Ends and
// lateness are processor time of the thread that fits, so a fit has to work on the goroutine that
// calls it, and to ask the context for its error.
func Late(d registry.Data, ends ...time.Duration) Option {
	return Option{"late", func(t *testing.T, spec registry.Spec) {
		settings := []json.RawMessage{spec.Defaults()}
		if spec.HasPath() {
			points, err := spec.Settings(d.Shape(), spec.DefaultGrid(), nil)
			if err != nil {
				t.Fatal(err)
			}
			settings = points[len(points)/2:]
		}
		canceltest.Check(t, func(ctx context.Context) error {
			return spec.FitAll(ctx, registry.Env{Seed: seed}, d, settings, func(int, registry.Model) error { return nil })
		}, ends...)
	}}
}
