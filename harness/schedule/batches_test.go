package schedule

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/internal/test/must"
)

// pairs gives out two cells at a time, and leaves the rest out after three parts.
type pairs struct {
	t     *testing.T
	parts int
	ended []string
}

func (p *pairs) Ended(c *plan.Cell, r result.Run) { p.ended = append(p.ended, c.Spec.Key) }

func (p *pairs) Next(waiting []*plan.Cell) ([]*plan.Cell, result.Why) {
	if len(p.ended) != 2*p.parts {
		p.t.Errorf("after %d parts %d cells have ended; each part has two", p.parts, len(p.ended))
	}
	if p.parts == 3 {
		return nil, result.Why{Kind: result.Decided, Text: "enough"}
	}
	p.parts++
	return waiting[:2], result.Why{}
}

type finishes struct{}

func (finishes) Run(_ context.Context, c runner.CellSpec) (result.Run, error) {
	run := c.NewRun()
	run.Status = result.OK
	return run, nil
}

// TestBatches: a part is asked for once all results of the part before are known, whatever the number of jobs, and the
// cells that no part has are left out with the reason.
func TestBatches(t *testing.T) {
	for _, jobs := range []int{1, 3} {
		var cells []*plan.Cell
		for i := range 9 {
			c := &plan.Cell{Cell: runner.Cell{Method: "M", Dataset: "a", Split: i + 1}}
			c.Spec = runner.CellSpec{Cell: c.Cell, Key: fmt.Sprint(i)}
			cells = append(cells, c)
		}
		p := &pairs{t: t}
		out := must.Get(Run(t.Context(), finishes{}, nil, cells, Options{Jobs: jobs, Batches: p},
			func(result.Run) error { return nil }))(t)
		if out.OK != 6 || len(out.Excluded) != 3 || out.Interrupted || out.NotStarted != 0 {
			t.Errorf("%d jobs: %+v; six cells are ok and three are left out", jobs, out)
		}
		for _, e := range out.Excluded {
			if e.Why.Kind != result.Decided || e.Split < 7 {
				t.Errorf("%d jobs: %+v is left out", jobs, e)
			}
		}
		slices.Sort(p.ended)
		must.Be(t, p.ended, []string{"0", "1", "2", "3", "4", "5"}, jobs)
	}
}
