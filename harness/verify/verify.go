// Package verify runs stored cells once more and compares what comes out with what is stored.
//
//	verify.go       any cells, as `bench verify` asks for them
//	differences.go  where two results of a cell differ, down to the bits of the test scores
//	code.go         a cell of each method whose code changed since its results were stored
//	state.go        a cell of each foreign method, alone in a new process: does what ran before it matter?
//
// Cells run by package schedule, as in any run. Nothing is stored here.
package verify

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
)

// Sample draws cells at random: a share of them, at least one, or a number, at most all.
func Sample(cells []*plan.Cell, share float64, number int, seed uint64) []*plan.Cell {
	if number == 0 {
		number = int(math.Ceil(share * float64(len(cells))))
	}
	order := rand.New(rand.NewPCG(seed, 0)).Perm(len(cells))
	out := make([]*plan.Cell, min(number, len(cells)))
	for i := range out {
		out[i] = cells[order[i]]
	}
	return out
}

// A Verified cell was run once more.
type Verified struct {
	Cell        runner.Cell
	Differences []Difference // none if it came out as it is stored
}

// Results gives stored results by key.
type Results interface {
	Result(ctx context.Context, key string) (result.Run, bool, error)
}

// Cells runs cells once more, as Run does, and compares each with what db holds of it. Nothing is
// stored. The cells are told to compared as they end, one at a time.
func Cells(ctx context.Context, run runner.Runner, stop <-chan struct{}, cells []*plan.Cell, opt schedule.Options, db Results, compared func(Verified)) (schedule.Outcome, error) {
	var mu sync.Mutex
	return schedule.Run(ctx, run, stop, cells, opt, func(computed result.Run) error {
		stored, found, err := db.Result(context.WithoutCancel(ctx), computed.Key)
		if err != nil {
			return err
		}
		v := Verified{Cell: runner.Cell{Protocol: computed.Protocol, Dataset: computed.Dataset, Split: computed.Split, Method: computed.Method}}
		if v.Differences = compare(stored, computed); !found {
			v.Differences = []Difference{{What: "cell", Stored: "gone", Computed: endOf(computed)}}
		}
		mu.Lock()
		defer mu.Unlock()
		compared(v)
		return nil
	})
}
