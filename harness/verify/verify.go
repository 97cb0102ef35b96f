// Package verify says which results are believed. It runs cells once more and compares the results with the stored
// ones, and takes results that another program computed, if their cells can end with them.
//
//	verify.go       any cells, for `bench verify`
//	differences.go  where two results of a cell differ, down to the bits of the test scores
//	state.go        a cell of each foreign method, alone in a new process: do earlier cells change its result?
//	workers.go      a part of what each worker on another machine computed, drawn at random
//	imported.go     the results of a bundle or of a database; the key of each must be the one that this program plans
//	source.go       bundles and databases, as what Runs reads
//	scores.go       test scores of a method that this program does not have; they are counted here
//	printed.go      values that a source prints
//	new.go          results as a database of their own
//
// Package schedule runs these cells, as in every run. Only New stores anything, and no file is opened but its database.
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
	"github.com/kernelboosting/bench/harness/store"
)

// Sample draws cells at random: a share of them, but at least one, or a number of them, at most all.
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

// A Verified is a cell that was run once more.
type Verified struct {
	Cell        runner.Cell
	Differences []Difference // empty if the result is the stored one
}

// Cells runs cells once more, in the way of schedule.Run, and compares each with its stored result in db. It
// stores nothing. It calls compared for each cell that ends, one call at a time.
func Cells(ctx context.Context, run runner.Runner, stop <-chan struct{}, cells []*plan.Cell, opt schedule.Options,
	db *store.DB, compared func(Verified)) (schedule.Outcome, error) {
	var mu sync.Mutex
	return schedule.Run(ctx, run, stop, cells, opt, func(computed result.Run) error {
		stored, found, err := db.Result(context.WithoutCancel(ctx), computed.Key)
		if err != nil {
			return err
		}
		v := Verified{Cell: runner.CellOf(computed)}
		if v.Differences = Differences(stored, computed); !found {
			v.Differences = []Difference{{What: "cell", Stored: "gone", Computed: endOf(computed)}}
		}
		mu.Lock()
		defer mu.Unlock()
		compared(v)
		return nil
	})
}
