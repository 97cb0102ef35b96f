package harness

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/registry"
	"gonum.org/v1/gonum/mat"
)

// TestFaultyScores: what is no score is a failure of the cell, in one line of bounded
// length, and never a label.
func TestFaultyScores(t *testing.T) {
	give := func(m registry.Model, err error) registry.FitFunc[testParams] {
		return func(context.Context, registry.Env, registry.Data, testParams) (registry.Model, error) { return m, err }
	}
	long := strings.Repeat("no luck\n", 1<<20)
	for name, c := range map[string]struct {
		fit    registry.FitFunc[testParams]
		reason string
	}{
		"writes nothing": {give(registry.ScoreFunc(func(context.Context, *mat.Dense, []float64) error {
			return nil
		}), nil), "score 0 of row 0 was never written"},
		"writes half": {give(registry.ScoreFunc(func(_ context.Context, _ *mat.Dense, out []float64) error {
			for i := range len(out) / 2 {
				out[i] = 1
			}
			return nil
		}), nil), "was never written"},
		"infinite":   {give(constantModel(math.Inf(1)), nil), "is +Inf"},
		"-infinite":  {give(constantModel(math.Inf(-1)), nil), "is -Inf"},
		"long error": {give(nil, errors.New(long)), "no luck\nno luck\nno luck"},
		"long panic": {func(context.Context, registry.Env, registry.Data, testParams) (registry.Model, error) {
			panic(long)
		}, "panic: no luck"},
		"leaves": {func(context.Context, registry.Env, registry.Data, testParams) (registry.Model, error) {
			runtime.Goexit()
			return nil, nil
		}, "runtime.Goexit"},
	} {
		h, db := newTestHarness(t, defineTest("faulty", c.fit)), openTestDB(t)
		_, out := runAll(t, h, db, plan.Request{Datasets: []string{"balance"}, Splits: []int{1}},
			schedule.Options{Jobs: 1}, nil)
		results, err := db.Rows(context.Background(), "test", false)
		if err != nil || out.Failed != 1 || len(results) != 1 {
			t.Fatalf("%s: %d results, outcome %+v, %v", name, len(results), out, err)
		}
		r := results[0]
		if r.Status != result.Failed || !strings.Contains(r.Error, c.reason) || !strings.HasPrefix(name, "long") &&
			strings.Contains(r.Error, "\n") {
			t.Errorf("%s: %s %.100q, want %q", name, r.Status, r.Error, c.reason)
		}
		if len(r.Error) > 2100 {
			t.Errorf("%s: the stored reason has %d bytes", name, len(r.Error))
		}
		if strings.HasPrefix(name, "long") && !strings.Contains(r.Error, "the whole message has 8388") {
			t.Errorf("%s: the end of the reason %q does not say how much was cut", name, r.Error[len(r.Error)-60:])
		}
	}
}
