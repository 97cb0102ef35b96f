package harness

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// An Import is what of a file's results enters a store.
type Import struct {
	Runs   []result.Run // complete, with their keys
	Stored int          // whose key is stored already, whatever became of it
	Old    []Group      // this program plans them otherwise, or they are not of their grid's size
}

// Admit takes from results of a file (see package bundle) those of h's protocol whose key is the one
// that this program would plan today, and whose key is not in known. They are completed by the plan
// and marked as imported from name. The data need not be here.
func (h *Harness) Admit(ctx context.Context, runs []result.Run, name string, known map[string]store.Known) (Import, error) {
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
		c.Key = keyOf(runner.Cell{Protocol: r.Protocol, Dataset: r.Dataset, Split: r.Split, Method: r.Method},
			runner.Inputs{ProtocolHash: r.ProtocolHash, Fingerprint: r.Fingerprint, MethodVersion: r.MethodVersion, GridHash: r.GridHash, Seed: firstSeed(seedsOf(r))})
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
			out.Old = append(out.Old, Group{c.Protocol, c.Dataset, c.Method, 1, "its counts are not those of its grid, its folds and its seeds"})
		default:
			r.Imported = name
			out.Runs = append(out.Runs, r)
		}
	}
	return out, nil
}

// completed puts a result of a file together with its plan, and reports whether they fit.
func completed(r result.Run, c *PlannedCell) (result.Run, bool) {
	plan := c.Spec.NewRun()
	if len(r.Grid) != len(plan.Grid) || r.Task != plan.Task || r.TrainRows != plan.TrainRows || r.Features != plan.Features || !slices.Equal(seedsOf(r), c.Spec.Seeds) {
		return r, false
	}
	r.Key, r.Grid, r.GridPoints = plan.Key, plan.Grid, plan.GridPoints
	r.ProtocolText, r.ProtocolPath, r.ProtocolSplits, r.SetFile = plan.ProtocolText, plan.ProtocolPath, plan.ProtocolSplits, plan.SetFile
	return r, true
}
