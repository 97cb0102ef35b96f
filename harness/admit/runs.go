// Package admit takes results that were computed elsewhere: those of a bundle (runs.go), whose keys must be the ones
// that would be planned here, and test scores of a method that this program does not have (scores.go), which are counted here.
//
// The package stores nothing, and opens no file.
package admit

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// An Import is what of a file's results enters a store.
type Import struct {
	Runs   []result.Run // complete, with their keys
	Stored int          // whose key is stored already, whatever became of it
	Old    []plan.Group // this program plans them otherwise, or they are not of their grid's size
}

// Runs takes from results of a file (see package bundle) those of h's protocol whose key is the one
// that this program would plan today, and whose key is not in known. They are completed by the plan
// and marked as imported from name. The data need not be here.
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

// completed puts a result of a file together with its plan, and reports whether they fit.
func completed(r result.Run, c *plan.Cell) (result.Run, bool) {
	planned := c.Spec.NewRun()
	if len(r.Grid) != len(planned.Grid) || r.Task != planned.Task || r.TrainRows != planned.TrainRows || r.Features != planned.Features || !slices.Equal(plan.SeedsOf(r), c.Spec.Seeds) {
		return r, false
	}
	r.Key, r.Grid, r.GridPoints = planned.Key, planned.Grid, planned.GridPoints
	r.ProtocolText, r.ProtocolPath, r.ProtocolSplits, r.SetFile = planned.ProtocolText, planned.ProtocolPath, planned.ProtocolSplits, planned.SetFile
	return r, true
}
