package plan

import (
	"testing"

	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// TestMemoryOfPlugins: the memory of a method that declares none, of which a process takes 200 MiB and 8 n^2 bytes for
// n rows, is predicted within a factor of 2 from two sets, and beside these sets the guess of the plan counts. A method
// that declares its memory takes what it declares.
func TestMemoryOfPlugins(t *testing.T) {
	const mib = 1 << 20
	cell := func(n int) *Cell {
		c := &Cell{Cell: runner.Cell{Method: "New", Dataset: string(rune('a' + n/1000))},
			Unsized: true, Memory: 50 * mib, SetBytes: 40 * int64(n)}
		c.Spec.Shape = registry.Shape{N: n, D: 5}
		return c
	}
	truth := func(n int) int64 { return 200*mib + 8*int64(n)*int64(n) }
	f := NewForecast([]store.Timing{{Method: "New", Dataset: "a", PeakBytes: truth(500), TrainRows: 500, Features: 5}})
	within := func(n int, low, high float64) {
		t.Helper()
		c := cell(n)
		if got := float64(f.Memory(c) + c.SetBytes); got < low*float64(truth(n)) || got > high*float64(truth(n)) {
			t.Errorf("%d rows: %.0f MiB are predicted, and %d taken", n, got/mib, truth(n)/mib)
		}
	}
	within(500, 1, 1)
	within(1000, 0.8, 1.2)
	f.RecordPeak(cell(3000), truth(3000))
	f.RecordPeak(cell(6000), truth(6000))
	f.RecordPeak(cell(6000), 2*truth(6000)) // its process had served a larger cell
	within(6000, 1, 1)
	within(9000, 0.6, 1.5)
	within(2000, 0.6, 1.5)
	large, other := cell(4000), cell(4000)
	large.Memory = 1 << 40
	if other.Method = "Other"; f.Memory(large) != 1<<40 || f.Memory(other) != 50*mib {
		t.Errorf("%d and %d bytes, guessed are 2^40 and 50 MiB", f.Memory(large), f.Memory(other))
	}
	if large.Unsized, large.Memory = false, 7; f.Memory(large) != 7 {
		t.Errorf("%d bytes, declared are 7", f.Memory(large))
	}
}
