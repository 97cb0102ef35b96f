package tree

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/kernelboosting/bench/registry"
)

// TestEstimatesAgainstTimes prints predicted and measured processor times of single
// fits; it runs only if BENCH_SPEED is set.
func TestEstimatesAgainstTimes(t *testing.T) {
	if os.Getenv("BENCH_SPEED") == "" {
		t.Skip("set BENCH_SPEED=1 to measure")
	}
	used := func() time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
			t.Fatal(err)
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	for _, spec := range []registry.Spec{LGBM(), XGB(), Forest()} {
		raws := []string{`{"max_depth":1,"num_leaves":2}`, `{"max_depth":5,"num_leaves":32}`, `{"max_depth":10,"num_leaves":1024}`}
		switch spec.Name {
		case "XGB":
			raws = []string{`{"max_depth":1}`, `{"max_depth":5}`, `{"max_depth":5,"learning_rate":0.01}`}
		case "RF":
			raws = []string{`{}`}
		}
		for _, c := range []struct {
			task    registry.Task
			n, d, k int
		}{{registry.Binary, 120, 13, 2}, {registry.Binary, 500, 30, 2}, {registry.Binary, 3000, 57, 2}, {registry.Binary, 30000, 8, 2},
			{registry.Multiclass, 500, 10, 5}, {registry.Regression, 5000, 60, 0}} {
			d := synthetic(c.task, c.n, c.d, c.k)
			line := fmt.Sprintf("%-4s %-10s %6d x %2d", spec.Name, c.task, c.n, c.d)
			for _, raw := range raws {
				predicted, err := spec.CostEstimate(d.Shape(), json.RawMessage(raw))
				if err != nil {
					t.Fatal(err)
				}
				start := used()
				fitted(t, spec, d, raw)
				took := float64(used() - start)
				line += fmt.Sprintf("   %8.2f ms, predicted %8.2f (%4.1f)", took/1e6, predicted/1e6, predicted/took)
			}
			t.Log(line)
		}
	}
}
