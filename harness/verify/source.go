package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/kernelboosting/bench/harness/plan"
	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
)

// A Source holds results that were computed elsewhere.
type Source struct {
	Name  string       // where the results come from, for people
	Cells []store.Cell // the cells of the results
	// Protocols holds the texts of the user's own protocols, by name.
	Protocols map[string]store.StoredProtocol
	// Run returns the result with a key.
	Run func(ctx context.Context, key string) (result.Run, error)
}

// OfBundle returns the results of a bundle as a Source. The key of an ok result follows from its inputs; the file has
// the key of a failure.
func OfBundle(name string, runs []result.Run) Source {
	byKey := map[string]result.Run{}
	src := Source{Name: name, Protocols: map[string]store.StoredProtocol{}, Run: func(_ context.Context,
		key string) (result.Run, error) {
		return byKey[key], nil
	}}
	for _, r := range runs {
		c := store.Cell{
			Protocol: r.Protocol, Dataset: r.Dataset, Method: r.Method, Split: r.Split, Status: r.Status,
			Seconds: r.Seconds(),
			Inputs:  store.InputsOf(r),
		}
		if c.Key = plan.KeyOfRun(r); r.Status != result.OK {
			c.Key = r.Key // a failed cell has no stored seeds, so its key cannot be computed
		}
		src.Cells = append(src.Cells, c)
		byKey[c.Key] = r
		if r.ProtocolText != "" {
			src.Protocols[r.Protocol] = store.StoredProtocol{Name: r.Protocol, Hash: r.ProtocolHash,
				Text: r.ProtocolText, Splits: r.ProtocolSplits}
		}
	}
	return src
}

// OfDatabase returns the results of a database as a Source: the current attempt of every cell, with failures,
// scores and models. It is an error if a key does not follow from the stored inputs.
func OfDatabase(ctx context.Context, name string, db *store.DB) (Source, error) {
	src := Source{Name: name}
	var err error
	if src.Cells, err = db.Cells(ctx); err != nil {
		return src, err
	}
	if src.Protocols, err = db.Protocols(ctx); err != nil {
		return src, err
	}
	for name := range src.Protocols {
		if slices.Contains(protocol.Names(), name) {
			delete(src.Protocols, name)
		}
	}
	src.Run = func(ctx context.Context, key string) (result.Run, error) {
		r, found, err := db.Result(ctx, key)
		if err == nil && (!found || r.Status == result.OK && plan.KeyOfRun(r) != key) {
			err = fmt.Errorf("%s: the key of %s does not follow from its inputs", db.Path(), r.Name())
		}
		if err != nil {
			return r, err
		}
		kept, _, err := db.Artifacts(ctx, r.Protocol, r.Dataset, r.Method, r.Split)
		r.Scores, r.Outputs, r.Model = kept.Scores, kept.Outputs, kept.Model
		if p, own := src.Protocols[r.Protocol]; own && p.Hash == r.ProtocolHash {
			r.ProtocolText, r.ProtocolPath, r.ProtocolSplits = p.Text, p.Path, p.Splits
		}
		return r, err
	}
	return src, nil
}

// OfAttempts returns the wanted attempts of a database as a Source, in the order in which they began.
func OfAttempts(ctx context.Context, name string, db *store.DB, wanted func(store.Attempted) bool) (Source, error) {
	src, err := OfDatabase(ctx, name, db)
	if err != nil {
		return src, err
	}
	all, err := db.Attempts(ctx)
	slices.SortStableFunc(all, func(a, b store.Attempted) int { return cmp.Compare(a.StartedAt, b.StartedAt) })
	src.Cells = nil
	src.Run = func(ctx context.Context, key string) (result.Run, error) {
		r, _, err := db.Result(ctx, key) // only the current attempt of a cell has scores and a model
		return r, err
	}
	for _, t := range all {
		if wanted(t) {
			src.Cells = append(src.Cells, t.Cell)
		}
	}
	return src, err
}

// Pairs hands over the two results of each cell that both sources have, and returns the number of cells that only one
// side has. Of several attempts at a cell the last one counts.
func Pairs(ctx context.Context, sides [2]Source, take func(a, b result.Run)) (alone [2]int, err error) {
	name := func(c store.Cell) runner.Cell {
		return runner.Cell{Protocol: c.Protocol, Dataset: c.Dataset, Split: c.Split, Method: c.Method}
	}
	keys := [2]map[runner.Cell]string{{}, {}}
	for i, side := range sides {
		for _, c := range side.Cells {
			keys[i][name(c)] = c.Key
		}
	}
	for _, c := range sides[0].Cells {
		ours, left := keys[0][name(c)]
		if !left {
			continue
		}
		delete(keys[0], name(c))
		theirs, both := keys[1][name(c)]
		if !both {
			alone[0]++
			continue
		}
		delete(keys[1], name(c))
		a, err := sides[0].Run(ctx, ours)
		if err != nil {
			return alone, err
		}
		b, err := sides[1].Run(ctx, theirs)
		if err != nil {
			return alone, err
		}
		take(a, b)
	}
	alone[1] = len(keys[1])
	return alone, nil
}
