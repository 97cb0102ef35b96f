package remote

import (
	"context"
	"strings"
	"testing"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
)

// TestLargeMessages: batches and results that are larger than a message come whole, and nothing is left of them.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	testenv.NotUnderRace(t) // megabytes go through one goroutine after the other
	p := newPool(t, Options{})
	serve(t, p, p.URL, options(func(ctx context.Context, c runner.CellSpec) (result.Run, error) {
		run, err := answers(ctx, c)
		run.Scores = make([]float64, largest/8) // of about 18 bytes each as JSON: three parts
		for i := range run.Scores {
			run.Scores[i] = float64(i) / 3
		}
		return run, err
	}))
	until(t, p, slots(1))
	run, err := anywhere(t.Context(), p, cell("M", 1))
	if err != nil || len(run.Scores) != largest/8 || run.Scores[1000] != 1000.0/3 {
		t.Error(len(run.Scores), err)
	}
	large := cell("M", 2)
	large.Protocol.TOML = strings.Repeat("x", largest+10)
	must.Be(t, must.Get(anywhere(t.Context(), p, large))(t).ProtocolText, large.Protocol.TOML)
	must.Be(t, len(p.batches), 0)
	must.Be(t, p.room.TryAcquire(mostRead), true, "the coordinator still reads a result")
}
