package harness

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/kernelboosting/bench/datasets"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// A Group is cells of one method on one data set that share a fate.
type Group struct {
	Protocol, Dataset, Method string
	Cells                     int
	Why                       string
}

// Stand is what of some stored cells this program would compute from the same inputs.
type Stand struct {
	Cells  []*PlannedCell // with the seconds that were measured
	Old    []Group        // this program plans them otherwise
	NoData []Group        // their data is not here
}

// Standing plans stored cells of h's protocol again and tells those apart whose key is still the one
// that is stored. Their data is needed where withData says so: without, it is looked at only for a
// set whose size the catalogue lacks.
func (h *Harness) Standing(ctx context.Context, stored []store.Cell, withData bool) (Stand, error) {
	var out Stand
	for _, group := range bySetAndMethod(stored) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		first := group[0]
		left := func(to *[]Group, cells int, why string) {
			if cells > 0 {
				*to = append(*to, Group{first.Protocol, first.Dataset, first.Method, cells, why})
			}
		}
		planned, err := h.again(ctx, group, withData)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			left(&out.NoData, len(group), err.Error())
			continue
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil:
			left(&out.Old, len(group), err.Error())
			continue
		}
		old := map[string]int{}
		var reasons []string
		for i, c := range planned {
			if c.Spec.Key == group[i].Key {
				c.Seconds = group[i].Seconds
				out.Cells = append(out.Cells, c)
				continue
			}
			why := strings.Join(changedInputs(group[i].Inputs, c.Spec.Inputs), "; ")
			if old[why]++; old[why] == 1 {
				reasons = append(reasons, why)
			}
		}
		for _, why := range reasons {
			left(&out.Old, old[why], why)
		}
	}
	return out, nil
}

// bySetAndMethod groups cells that stand beside each other.
func bySetAndMethod(cells []store.Cell) [][]store.Cell {
	at := map[[2]string]int{}
	var groups [][]store.Cell
	for _, c := range cells {
		key := [2]string{c.Dataset, c.Method}
		i, seen := at[key]
		if !seen {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// again plans cells of one method on one set as a run would today.
func (h *Harness) again(ctx context.Context, stored []store.Cell, withData bool) ([]*PlannedCell, error) {
	entry, err := h.Catalogue.Lookup(stored[0].Dataset)
	if err != nil {
		return nil, err
	}
	spec, err := h.Registry.Lookup(stored[0].Method)
	if err != nil {
		return nil, errors.New("this program has no method of that name")
	}
	if len(suited([]registry.Spec{spec}, entry.Task)) == 0 {
		return nil, errors.New("the method does not solve the set's task")
	}
	if withData {
		if state, err := h.Data.State(entry); state == datasets.Missing || state == datasets.Wrong {
			return nil, err
		}
	}
	set, err := h.planSet(ctx, entry)
	if err != nil {
		return nil, err
	}
	splits := make([]int, len(stored))
	for i, c := range stored {
		splits[i] = c.Split
	}
	return h.planMethod(set, spec, splits, NewForecast(nil))
}

// Sample draws cells at random: a share of them, at least one, or a number, at most all.
func Sample(cells []*PlannedCell, share float64, number int, seed uint64) []*PlannedCell {
	if number == 0 {
		number = int(math.Ceil(share * float64(len(cells))))
	}
	order := rand.New(rand.NewPCG(seed, 0)).Perm(len(cells))
	out := make([]*PlannedCell, min(number, len(cells)))
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

// Verify runs cells once more, as Run does, and compares each with what db holds of it. Nothing is
// stored. The cells are told to compared as they end, one at a time.
func Verify(ctx context.Context, run runner.Runner, stop <-chan struct{}, cells []*PlannedCell, opt Options, db Results, compared func(Verified)) (Outcome, error) {
	var mu sync.Mutex
	return Run(ctx, run, stop, cells, opt, func(computed result.Run) error {
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
