package plan

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/kernelboosting/bench/datasets/files"
	"github.com/kernelboosting/bench/harness/store"
)

// A Group is cells of one method on one data set with the same outcome.
type Group struct {
	Protocol, Dataset, Method string
	Cells                     int
	Why                       string
}

// Stand divides stored cells by whether this program would plan them with the same inputs today.
type Stand struct {
	Cells  []*Cell // cells with the same inputs; their Seconds are the measured ones
	Old    []Group // cells that this program plans with other inputs
	NoData []Group // cells whose data is not here
}

// Standing plans stored cells of h's protocol again and finds those whose planned key is the stored key. withData
// requires that their data is present. Without withData, data is read only for a set whose size the catalogue
// lacks.
func (h *Experiment) Standing(ctx context.Context, stored []store.Cell, withData bool) (Stand, error) {
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

// again plans cells of one method on one set in the way a run would today.
func (h *Experiment) again(ctx context.Context, stored []store.Cell, withData bool) ([]*Cell, error) {
	entry, err := h.Catalogue.Lookup(stored[0].Dataset)
	if err != nil {
		return nil, err
	}
	spec, err := h.Registry.Lookup(stored[0].Method)
	if err != nil {
		return nil, errors.New("this program has no method of that name")
	}
	if unfit := entry.Unfit(spec); unfit != "" {
		return nil, errors.New(unfit)
	}
	if withData {
		if state, err := h.Data.State(entry); state == files.Missing || state == files.Wrong {
			return nil, err
		}
	}
	set, err := h.set(ctx, entry)
	if err != nil {
		return nil, err
	}
	splits := make([]int, len(stored))
	for i, c := range stored {
		splits[i] = c.Split
	}
	return h.cells(set, spec, splits, NewForecast(nil))
}
