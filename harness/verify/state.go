package verify

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/schedule"
	"github.com/kernelboosting/bench/harness/store"
)

// These limits are the longest time of a cell that is computed again, and the time that all checks of [State] may take
// together.
const (
	longestCheck = 20 * time.Second
	Longest      = 30 * time.Second
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
	random  bool // the method says that it is not deterministic
}

// Add notes a cell that has ended. It ignores cells that State does not check: canaries, cells that did not end ok, and
// cells of the project's own methods.
func (e *Ended) Add(h *plan.Experiment, c *plan.Cell, run result.Run) {
	spec, err := h.Registry.Lookup(c.Method)
	if err != nil || !spec.Foreign() || c.Spec.Canary != nil || run.Status != result.OK {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cells = append(e.cells, endedCell{c, run.Seconds(), spec.Nondeterministic})
}

// A Sampled is a cell that State computes again.
type Sampled struct {
	*plan.Cell
	// Before is another cell of the same set, for a method that is not deterministic; else nil. It shares rows with
	// Cell: what it trains on, Cell is tested on.
	Before  *plan.Cell
	Seconds float64 // that the check takes, as the cells took in the run
}

// triedCells is how many cells are drawn for the check of a method. The cheapest of them is computed.
const triedCells = 3

// Sample draws the cells to compute again, among those that are short enough for a check. For a deterministic method
// it is one that was not the method's first to end; a method with a single ended cell is left out, since the process
// of that cell had computed no earlier cell. For another method it is one of each set with two ended cells. The
// cheapest checks of these come first.
func (e *Ended) Sample() []Sampled {
	e.mu.Lock()
	defer e.mu.Unlock()
	var groups [][2]string // methods, and the sets of those that are not deterministic
	cells := map[[2]string][]endedCell{}
	for _, c := range e.cells {
		of := [2]string{c.Method}
		if c.random {
			of[1] = c.Dataset
		}
		if _, known := cells[of]; !known {
			groups = append(groups, of)
			cells[of] = nil
			if !c.random {
				continue
			}
		}
		if c.seconds <= longestCheck.Seconds() {
			cells[of] = append(cells[of], c)
		}
	}
	var once, repeated []Sampled
	for _, of := range groups {
		drawn := cells[of]
		rand.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
		switch {
		case len(drawn) > 0 && !drawn[0].random:
			tried := drawn[:min(triedCells, len(drawn))]
			least := slices.MinFunc(tried, func(a, b endedCell) int { return cmp.Compare(a.seconds, b.seconds) })
			once = append(once, Sampled{Cell: least.Cell, Seconds: least.seconds})
		case len(drawn) > 1:
			took := Repeats * (2*drawn[0].seconds + drawn[1].seconds)
			repeated = append(repeated, Sampled{drawn[0].Cell, drawn[1].Cell, took})
		}
	}
	slices.SortStableFunc(repeated, func(a, b Sampled) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return append(once, repeated...)
}

// Processes returns a runner that starts new processes, and what ends it. alone asks for a new process for each cell.
type Processes func(alone bool) (run runner.Runner, end func())

// State computes cells once more, one after another, and compares them with the results in db; those with a Before it
// computes repeatedly. All these cells together get a time, in a run [Longest]. A cell that does not end ok
// this time proves nothing, since other limits hold now. Closing stop ends the checks after the current cell. The
// caller stores the checks. unchecked are the cells whose check came to no end.
func State(
	ctx context.Context, within time.Duration, fresh Processes, cells []Sampled, stop <-chan struct{}, memory int64,
	db *store.DB,
) (
	checks []store.StateCheck, unchecked []Sampled, err error,
) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for i, c := range cells {
		var differs string
		var done bool
		if c.Before == nil {
			differs, done, err = once(limited, fresh, c.Cell, stop, memory, db)
		} else {
			differs, done, err = repeatedly(limited, fresh, c, stop)
		}
		switch {
		case limited.Err() != nil:
			return checks, append(unchecked, cells[i:]...), nil
		case err != nil:
			return checks, unchecked, err
		case !done:
			unchecked = append(unchecked, c)
		default:
			checks = append(checks, store.StateCheck{
				Protocol: c.Protocol, ProtocolHash: c.Spec.Inputs.ProtocolHash,
				Method: c.Method, MethodVersion: c.Spec.Inputs.MethodVersion,
				Dataset: c.Dataset, Fingerprint: c.Spec.Inputs.Fingerprint, Split: c.Split, Differs: differs,
			})
		}
	}
	return checks, unchecked, nil
}

// once computes a cell alone and compares it with its result in db.
func once(ctx context.Context, fresh Processes, c *plan.Cell, stop <-chan struct{}, memory int64, db *store.DB) (
	differs string, done bool, err error,
) {
	run, end := fresh(true)
	defer end()
	opt := schedule.Options{Jobs: 1, Limits: plan.Limits{Memory: memory}}
	_, err = Cells(ctx, run, stop, []*plan.Cell{c}, opt, db, func(v Verified) {
		done = true
		if v.Differences == nil {
			return
		}
		d := v.Differences[0]
		done = d.What != endDiffers
		differs = fmt.Sprintf("%s: %s, now %s", d.What, d.Stored, d.Computed)
	})
	return differs, done, err
}

// repeatedly computes a cell alone and after another cell, in turn, and compares the two groups of results.
func repeatedly(ctx context.Context, fresh Processes, c Sampled, stop <-chan struct{}) (
	differs string, done bool, err error,
) {
	var runs [2][]result.Run // alone, after
	var predictions [2][]prediction
	for n := 1; n <= Repeats; n++ {
		for k, before := range [][]*plan.Cell{nil, {c.Before}} {
			run, err := last(ctx, fresh, k == 0, append(before, c.Cell), stop)
			if err != nil || run.Status != result.OK || run.TestRows*run.Outputs != len(run.Scores) ||
				run.Outputs == 0 {
				return "", false, err
			}
			runs[k], predictions[k] = append(runs[k], run), append(predictions[k], predictionOf(run))
		}
		if (n == firstLook || n == Repeats) && !apart(predictions[0], predictions[1]) {
			return "", true, nil
		}
	}
	return fmt.Sprintf("computed %d times alone it has %s, and %d times after split %d %s; p = %.1g",
		Repeats, meanOf(runs[0]), Repeats, c.Before.Split, meanOf(runs[1]), pApart), true, nil
}

// last computes cells one after another with one runner, and returns the last result. It has no status if stop is
// closed.
func last(ctx context.Context, fresh Processes, alone bool, cells []*plan.Cell, stop <-chan struct{}) (
	out result.Run, err error,
) {
	run, end := fresh(alone)
	defer end()
	for _, c := range cells {
		select {
		case <-stop:
			return result.Run{}, nil
		default:
		}
		spec := c.Spec
		spec.Keep = runner.KeepScores
		if out, err = run.Run(ctx, spec); err != nil {
			return out, err
		}
	}
	return out, nil
}

// meanOf says how good the tests of runs were on average.
func meanOf(runs []result.Run) string {
	var sum float64
	for _, r := range runs {
		if r.Score.RMSE != nil {
			sum += *r.Score.RMSE
		} else {
			sum += float64(*r.Score.Correct)
		}
	}
	mean := sum / float64(len(runs))
	if runs[0].Score.RMSE != nil {
		return fmt.Sprintf("a mean RMSE of %.4g", mean)
	}
	return fmt.Sprintf("%.1f of %d rows right on average", mean, runs[0].Score.N)
}
