package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/datasets/catalogue"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

// A Group is cells of one method on one data set with the same outcome.
type Group struct {
	Protocol, Dataset, Method string
	Cells                     int
	Why                       string
}

// Stand divides stored cells by whether this program would plan them with the same inputs today.
type Stand struct {
	Cells   []*Cell // cells with the same inputs; their Seconds are the measured ones
	Old     []Group // cells that this program plans with other inputs
	NoData  []Group // cells whose data is not here
	Unknown []Group // cells whose data set or method this program does not have, so that it cannot plan them
}

// Standing plans stored cells of e's protocol again and finds those whose planned key is the stored key. withData
// requires that their data is present. Without withData, data is read only for a set whose size the catalogue
// lacks.
func (e *Experiment) Standing(ctx context.Context, stored []store.Cell, withData bool) (Stand, error) {
	var out Stand
	for _, group := range grouped(stored, func(c store.Cell) [2]string { return [2]string{c.Dataset, c.Method} }) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		first := group[0]
		left := func(to *[]Group, cells int, why string) {
			if cells > 0 {
				*to = append(*to, Group{first.Protocol, first.Dataset, first.Method, cells, why})
			}
		}
		planned, err := e.again(ctx, group, withData)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			left(&out.NoData, len(group), err.Error())
			continue
		case errors.Is(err, errUnknown):
			left(&out.Unknown, len(group), err.Error())
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

// errUnknown is what a set or a method that this program does not have wraps.
var errUnknown = errors.New("not known here")

// again plans cells of one method on one set in the way a run would today.
func (e *Experiment) again(ctx context.Context, stored []store.Cell, withData bool) ([]*Cell, error) {
	entry, noSet := e.Catalogue.Lookup(stored[0].Dataset)
	spec, noMethod := e.Registry.Lookup(stored[0].Method)
	switch {
	case noSet != nil && noMethod != nil:
		return nil, fmt.Errorf("data set and method are %w", errUnknown)
	case noSet != nil:
		return nil, fmt.Errorf("the data set is %w", errUnknown)
	case noMethod != nil:
		return nil, fmt.Errorf("the method is %w", errUnknown)
	}
	if unfit := entry.Unfit(spec); unfit != "" {
		return nil, errors.New(unfit)
	}
	if withData {
		if state, err := e.Data.State(entry); state == catalogue.Missing || state == catalogue.Wrong {
			return nil, err
		}
	}
	splits := make([]int, len(stored))
	for i, c := range stored {
		splits[i] = c.Split
	}
	set, err := e.set(ctx, entry, splits)
	if err != nil {
		return nil, err
	}
	return e.cells(set, spec, splits, NewForecast(nil))
}

// changedInputs names the inputs in which a stored and a planned cell with different keys differ. If no other
// input differs, the seed must: an attempt that failed has no stored seed.
func changedInputs(old store.Inputs, now runner.Inputs) []string {
	var changed []string
	was, _ := registry.Libraries(old.MethodVersion)
	is, _ := registry.Libraries(now.MethodVersion)
	for _, part := range []struct{ name, before, now string }{
		{"protocol", old.ProtocolHash, now.ProtocolHash},
		{"data", old.Fingerprint, now.Fingerprint},
		{"method version", was, is},
		{"grid", old.GridHash, now.GridHash},
	} {
		if part.before != part.now {
			changed = append(changed, fmt.Sprintf("%s was %.8s, is %.8s", part.name, part.before, part.now))
		}
	}
	changed = append(changed, registry.OtherLibraries(old.MethodVersion, now.MethodVersion)...)
	if changed == nil {
		return []string{"the method's seed goes with the split now"}
	}
	return changed
}

// KeyOf hashes everything that a cell's result depends on.
func KeyOf(c runner.Cell, in runner.Inputs) string {
	return protocol.HashJSON(struct {
		runner.Cell
		runner.Inputs
	}{c, in})
}

// KeyOfRun is the key that follows from what a run says of its inputs.
func KeyOfRun(r result.Run) string {
	return KeyOf(runner.CellOf(r), runner.Inputs{ProtocolHash: r.ProtocolHash, Fingerprint: r.Fingerprint,
		MethodVersion: r.MethodVersion, GridHash: r.GridHash, Seed: firstSeed(r.Seeds())})
}

// firstSeed returns the text that a key hashes for a list of seeds: "" for an empty list.
func firstSeed(seeds []uint32) string {
	if len(seeds) == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(seeds[0]), 10)
}
