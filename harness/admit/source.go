package admit

import (
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
	Name  string       // what the results are said to come from
	Cells []store.Cell // those that stand for their cells
	// Protocols are the texts of the protocols that are a user's own, by name.
	Protocols map[string]store.StoredProtocol
	// Run returns the result with a key.
	Run func(ctx context.Context, key string) (result.Run, error)
}

// OfBundle is what a file of package bundle holds. The key of each result follows from its inputs, and that of a failure
// is in the file.
func OfBundle(name string, runs []result.Run) Source {
	byKey := map[string]result.Run{}
	src := Source{Name: name, Protocols: map[string]store.StoredProtocol{}, Run: func(_ context.Context, key string) (result.Run, error) { return byKey[key], nil }}
	for _, r := range runs {
		c := store.Cell{
			Protocol: r.Protocol, Dataset: r.Dataset, Method: r.Method, Split: r.Split, Status: r.Status, Seconds: r.Seconds(),
			Inputs: store.Inputs{ProtocolHash: r.ProtocolHash, MethodVersion: r.MethodVersion, Fingerprint: r.Fingerprint, GridHash: r.GridHash},
		}
		if c.Key = keyOf(r); r.Status != result.OK {
			c.Key = r.Key // what failed has no seeds to make a key of
		}
		src.Cells = append(src.Cells, c)
		byKey[c.Key] = r
		if r.ProtocolText != "" {
			src.Protocols[r.Protocol] = store.StoredProtocol{Name: r.Protocol, Hash: r.ProtocolHash, Text: r.ProtocolText, Splits: r.ProtocolSplits}
		}
	}
	return src
}

// OfDatabase is what a database holds: every result that stands for its cell, failures, scores and models included.
// A key that does not follow from the inputs beside it is an error.
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
		if err == nil && (!found || r.Status == result.OK && keyOf(r) != key) {
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

// OfAttempts is what a database holds of the attempts that are wanted: of each cell the last one.
func OfAttempts(ctx context.Context, name string, db *store.DB, wanted func(store.Attempted) bool) (Source, error) {
	src, err := OfDatabase(ctx, name, db)
	if err != nil {
		return src, err
	}
	all, err := db.Attempts(ctx)
	src.Cells = nil
	src.Run = func(ctx context.Context, key string) (result.Run, error) {
		r, _, err := db.Result(ctx, key) // scores and models are kept of the attempt that stands for its cell
		return r, err
	}
	for _, t := range all {
		if !wanted(t) {
			continue
		}
		c, last := t.Cell, len(src.Cells)-1
		if last >= 0 && src.Cells[last].Protocol == c.Protocol && src.Cells[last].Dataset == c.Dataset && src.Cells[last].Method == c.Method && src.Cells[last].Split == c.Split {
			src.Cells[last] = c // attempts at a cell ascend by time
		} else {
			src.Cells = append(src.Cells, c)
		}
	}
	return src, err
}

// Pairs hands over the two results of each cell that both sources have, and returns how many cells each has alone.
func Pairs(ctx context.Context, sides [2]Source, take func(a, b result.Run)) (alone [2]int, err error) {
	name := func(c store.Cell) runner.Cell {
		return runner.Cell{Protocol: c.Protocol, Dataset: c.Dataset, Split: c.Split, Method: c.Method}
	}
	keys := map[runner.Cell]string{}
	for _, c := range sides[1].Cells {
		keys[name(c)] = c.Key
	}
	for _, c := range sides[0].Cells {
		key, both := keys[name(c)]
		if !both {
			alone[0]++
			continue
		}
		delete(keys, name(c))
		a, err := sides[0].Run(ctx, c.Key)
		if err != nil {
			return alone, err
		}
		b, err := sides[1].Run(ctx, key)
		if err != nil {
			return alone, err
		}
		take(a, b)
	}
	alone[1] = len(keys)
	return alone, nil
}

// keyOf is the key that follows from the inputs of a result.
func keyOf(r result.Run) string {
	return plan.KeyOf(runner.Cell{Protocol: r.Protocol, Dataset: r.Dataset, Split: r.Split, Method: r.Method},
		runner.Inputs{ProtocolHash: r.ProtocolHash, Fingerprint: r.Fingerprint, MethodVersion: r.MethodVersion, GridHash: r.GridHash, Seed: plan.FirstSeed(plan.SeedsOf(r))})
}
