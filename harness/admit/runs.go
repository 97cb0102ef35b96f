// Package admit takes results that another program computed. There are three kinds of them:
//
//	runs.go      the results of a bundle; the key of each must be the key that this program would plan
//	scores.go    test scores of a method that this program does not have; they are counted here
//	included.go  the results that come with the program, as a database
//
// Only Included stores anything; no file is opened but its database.
package admit

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// An Import says which results of a file may be stored.
type Import struct {
	Runs   []result.Run // complete, with their keys
	Stored int          // results whose key is stored already, with whatever status
	Old    []plan.Group // cells that this program plans with another key, or whose counts do not fit their grid
}

// Runs takes results of a file (see package bundle) that belong to h's protocol. It takes those whose key is
// the key that this program would plan today and is not among known. The plan completes them, and they are
// marked as imported from name. The data need not be here.
func Runs(ctx context.Context, h *plan.Experiment, runs []result.Run, name string, known map[string]store.Known) (Import, error) {
	var out Import
	var cells []store.Cell
	byKey := map[string]result.Run{}
	for _, r := range runs {
		if r.Protocol != h.Protocol.Name {
			continue
		}
		c := store.Cell{
			Protocol: r.Protocol, Dataset: r.Dataset, Method: r.Method, Split: r.Split, Status: r.Status, Seconds: r.Seconds(),
			Inputs: store.Inputs{ProtocolHash: r.ProtocolHash, MethodVersion: r.MethodVersion, Fingerprint: r.Fingerprint, GridHash: r.GridHash},
		}
		c.Key = plan.KeyOf(runner.Cell{Protocol: r.Protocol, Dataset: r.Dataset, Split: r.Split, Method: r.Method},
			runner.Inputs{ProtocolHash: r.ProtocolHash, Fingerprint: r.Fingerprint, MethodVersion: r.MethodVersion, GridHash: r.GridHash, Seed: plan.FirstSeed(plan.SeedsOf(r))})
		cells = append(cells, c)
		byKey[c.Key] = r
	}
	stand, err := h.Standing(ctx, cells, false)
	if err != nil {
		return out, err
	}
	out.Old = append(stand.Old, stand.NoData...)
	for _, c := range stand.Cells {
		r, complete := completed(byKey[c.Spec.Key], c)
		switch _, stored := known[c.Spec.Key]; {
		case stored:
			out.Stored++
		case !complete:
			out.Old = append(out.Old, plan.Group{Protocol: c.Protocol, Dataset: c.Dataset, Method: c.Method, Cells: 1, Why: "its counts are not those of its grid, its folds and its seeds"})
		default:
			r.Imported = name
			out.Runs = append(out.Runs, r)
		}
	}
	return out, nil
}

// completed adds to a result of a file what its plan knows, and reports whether the two fit together.
func completed(r result.Run, c *plan.Cell) (result.Run, bool) {
	planned := c.Spec.NewRun()
	if len(r.Grid) != len(planned.Grid) || r.Task != planned.Task || r.TrainRows != planned.TrainRows || r.Features != planned.Features || !slices.Equal(plan.SeedsOf(r), c.Spec.Seeds) {
		return r, false
	}
	r.Key, r.Grid, r.GridWritten = planned.Key, planned.Grid, planned.GridWritten
	r.ProtocolText, r.ProtocolPath, r.ProtocolSplits, r.SetFile = planned.ProtocolText, planned.ProtocolPath, planned.ProtocolSplits, planned.SetFile
	return r, true
}
