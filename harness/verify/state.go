package verify

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// An Ended collects the cells of foreign methods that ended ok in a run, in the order of their ends. Add is safe for
// concurrent use.
type Ended struct {
	mu    sync.Mutex
	cells []endedCell
}

type endedCell struct {
	*plan.Cell
	seconds float64
}

// Add notes a cell that has ended. It ignores cells that State does not check: canaries, cells that did not end ok, and
// cells of the project's own or of nondeterministic methods.
func (e *Ended) Add(h *plan.Experiment, c *plan.Cell, run result.Run) {
	spec, err := h.Registry.Lookup(c.Method)
	if err != nil || !runner.Foreign(spec) || spec.Nondeterministic || c.Spec.Canary != nil || run.Status != result.OK {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cells = append(e.cells, endedCell{c, run.Seconds()})
}

// triedCells is how many cells are drawn for the check of a method. The cheapest of them is computed.
const triedCells = 3

// Sample draws, for each method, one cell that was not the method's first to end and is short enough for a check. A method
// with a single ended cell is left out: the process of that cell had computed no earlier cell.
func (e *Ended) Sample() []*plan.Cell {
	e.mu.Lock()
	defer e.mu.Unlock()
	var methods []string
	later := map[string][]endedCell{}
	for _, c := range e.cells {
		if !slices.Contains(methods, c.Method) {
			methods = append(methods, c.Method)
			continue
		}
		if c.seconds <= longestCheck.Seconds() {
			later[c.Method] = append(later[c.Method], c)
		}
	}
	var out []*plan.Cell
	for _, m := range methods {
		cells := later[m]
		rand.Shuffle(len(cells), func(i, j int) { cells[i], cells[j] = cells[j], cells[i] })
		if len(cells) > 0 {
			out = append(out, slices.MinFunc(cells[:min(triedCells, len(cells))], func(a, b endedCell) int { return cmp.Compare(a.seconds, b.seconds) }).Cell)
		}
	}
	return out
}

// State computes cells once more, one after another, and compares them with the results in db. Each cell has a runner of
// its own that starts new processes. All these cells together get the time that all checks of code get. A cell that does
// not end ok this time proves nothing, since other limits hold now. Closing stop ends the checks after the current cell.
// The caller stores the checks.
func State(ctx context.Context, fresh func() (run runner.Runner, end func()), cells []*plan.Cell, stop <-chan struct{}, memory int64, db *store.DB) ([]store.StateCheck, error) {
	limited, cancel := context.WithTimeout(ctx, allChecks)
	defer cancel()
	var out []store.StateCheck
	for _, c := range cells {
		run, end := fresh()
		_, err := Cells(limited, run, stop, []*plan.Cell{c}, schedule.Options{Jobs: 1, Limits: plan.Limits{Memory: memory}}, db, func(v Verified) {
			check := store.StateCheck{Protocol: c.Protocol, ProtocolHash: c.Spec.Inputs.ProtocolHash, Method: c.Method, MethodVersion: c.Spec.Inputs.MethodVersion,
				Dataset: c.Dataset, Fingerprint: c.Spec.Inputs.Fingerprint, Split: c.Split}
			if v.Differences != nil {
				d := v.Differences[0]
				if d.What == endDiffers {
					return
				}
				check.Differs = fmt.Sprintf("%s: %s, now %s", d.What, d.Stored, d.Computed)
			}
			out = append(out, check)
		})
		end()
		if limited.Err() != nil {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}
