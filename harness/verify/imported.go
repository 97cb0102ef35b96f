package verify

import (
	"context"
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// An Import says what became of the results of a source.
type Import struct {
	Taken  int // cells that are new here
	Stored int // cells that are stored already
	// cells that were stored with the folds of fewer grid points than the source has; their results are replaced,
	// under the name of the file that they came from
	Completed int
	// cells that this program plans with another key; their results are taken as superseded attempts
	Old       []plan.Group
	Unknown   []plan.Group // cells whose data set or method is not here; their results are taken under their names
	Refused   []plan.Group // results that their cells cannot end with; they are not taken
	Conflicts []Conflict   // cells that are stored with other counts; the stored result stays
}

// Add adds what became of the results of another source.
func (in *Import) Add(more Import) {
	in.Taken, in.Stored, in.Completed = in.Taken+more.Taken, in.Stored+more.Stored, in.Completed+more.Completed
	in.Old, in.Unknown = append(in.Old, more.Old...), append(in.Unknown, more.Unknown...)
	in.Refused, in.Conflicts = append(in.Refused, more.Refused...), append(in.Conflicts, more.Conflicts...)
}

// A Conflict is a cell whose two results have one key and differ.
type Conflict struct {
	Cell        store.Cell
	Differences []Difference // Stored is the value stored here, Computed that of the source
}

// Runs hands to put those results of a source that belong to h's protocol and are not stored, each marked as imported
// from the source. A result is marked as superseded if this program would plan its cell with another key today. A
// result of a set or a method that is not here counts under its names. A result that is stored with other counts is a
// conflict. A stored result that lacks folds of the source is replaced, unless it is a conflict. known holds the stored
// keys, and Runs adds new keys to it. stored holds the results with these keys. The data need not be here.
func Runs(ctx context.Context, h *plan.Experiment, src Source, known map[string]store.Known, stored *store.DB,
	put func(result.Run) error) (Import, error) {
	t := taking{src: src, protocol: h.Protocol, known: known, stored: stored, put: put}
	cells, planned, stand, err := plannedOf(ctx, h, src.Cells)
	if err != nil {
		return t.out, err
	}
	unknown := map[[2]string]bool{}
	for _, g := range stand.Unknown {
		unknown[[2]string{g.Dataset, g.Method}] = true
	}
	for _, c := range cells {
		today := planned[c.Key]
		if err := t.take(ctx, c, today, today == nil && !unknown[[2]string{c.Dataset, c.Method}]); err != nil {
			return t.out, err
		}
	}
	t.out.Old, t.out.Unknown = append(stand.Old, stand.NoData...), stand.Unknown
	return t.out, nil
}

// plannedOf returns the cells of h's protocol, and those that are planned with their keys today, by their keys.
func plannedOf(ctx context.Context, h *plan.Experiment, all []store.Cell) (
	cells []store.Cell, planned map[string]*plan.Cell, stand plan.Stand, err error) {
	cells = slices.DeleteFunc(slices.Clone(all), func(c store.Cell) bool { return c.Protocol != h.Protocol.Name })
	stand, err = h.Standing(ctx, cells, false)
	planned = map[string]*plan.Cell{}
	for _, c := range stand.Cells {
		planned[c.Spec.Key] = c
	}
	return cells, planned, stand, err
}

// Possible returns what store.DB.Possible is for stored cells of some protocols: it refuses what Runs refuses, but for
// times.
func Possible(ctx context.Context, of []*plan.Experiment, cells []store.Cell) (func(result.Run) error, error) {
	known := map[string]func(result.Run) error{} // by the cell's key
	for _, h := range of {
		_, planned, _, err := plannedOf(ctx, h, cells)
		if err != nil {
			return nil, err
		}
		for key, c := range planned {
			known[key] = func(r result.Run) error { return fits(h.Protocol, r, c) }
		}
	}
	return func(r result.Run) error {
		if f := known[r.Key]; f != nil {
			return f(r)
		}
		return nil
	}, nil
}

// Unplanned does what Runs does for a protocol that this program cannot load: all results are taken as superseded
// attempts.
func Unplanned(ctx context.Context, protocol, why string, src Source, known map[string]store.Known, stored *store.DB,
	put func(result.Run) error) (Import, error) {
	t := taking{src: src, known: known, stored: stored, put: put}
	for _, c := range src.Cells {
		if c.Protocol != protocol {
			continue
		}
		if err := t.take(ctx, c, nil, true); err != nil {
			return t.out, err
		}
		t.out.Old = append(t.out.Old, plan.Group{Protocol: protocol, Dataset: c.Dataset, Method: c.Method, Cells: 1,
			Why: why})
	}
	return t.out, nil
}

type taking struct {
	src      Source
	protocol *protocol.Protocol // nil if this program cannot load it
	known    map[string]store.Known
	stored   *store.DB
	put      func(result.Run) error
	out      Import
}

// take hands a result over, or notes why it does not. today is the cell as this program plans it, nil if it plans the
// cell with another key or not at all.
func (t *taking) take(ctx context.Context, c store.Cell, today *plan.Cell, superseded bool) error {
	have, there := t.known[c.Key]
	if there && have.Status != result.OK && c.Status != result.OK {
		t.out.Stored++
		return nil
	}
	r, err := t.src.Run(ctx, c.Key)
	if err != nil {
		return err
	}
	r.Key, r.Imported, r.Superseded = c.Key, t.src.Name, superseded
	if err = fits(t.protocol, r, today); err == nil {
		err = r.CheckClock()
	}
	if err != nil {
		t.refuse(c, err.Error())
		return nil
	}
	if today != nil {
		units := r.CostUnits // that were declared when it was computed
		r.Planned = today.Spec.NewRun().Planned
		r.CostUnits = units
	}
	if there && have.Status == result.OK {
		if c.Status != result.OK {
			t.out.Stored++
			return nil
		}
		mine, found, err := t.stored.Result(ctx, c.Key)
		if err != nil {
			return err
		}
		if diff := Differences(mine, r); found && diff != nil {
			t.out.Stored++
			t.out.Conflicts = append(t.out.Conflicts, Conflict{c, diff})
			return nil
		}
		r.Replace = found && len(mine.Folds) < len(r.Folds)
		if r.Replace {
			r.Imported = mine.Imported
			t.out.Completed++
		} else if t.out.Stored++; have.Current || r.Superseded {
			return nil
		}
	} else {
		t.out.Taken++
	}
	t.known[c.Key] = store.Known{Status: r.Status, Current: !r.Superseded, ScoresHash: r.ScoresHash}
	return t.put(r)
}

func (t *taking) refuse(c store.Cell, why string) {
	t.out.Refused = append(t.out.Refused, plan.Group{Protocol: c.Protocol, Dataset: c.Dataset, Method: c.Method,
		Cells: 1, Why: why})
}

// fits refuses a result that its cell cannot end with, as far as its plan and its protocol are known.
func fits(p *protocol.Protocol, r result.Run, today *plan.Cell) error {
	switch {
	case today != nil:
		spec := today.Spec
		spec.Keep = runner.KeepModels // a source may hold more than a run here would keep
		return spec.FitsData(p, r)
	case p != nil && r.ProtocolHash == p.Hash():
		return p.Fits(r)
	}
	return r.Check()
}
