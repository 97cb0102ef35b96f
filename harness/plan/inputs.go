package plan

import (
	"fmt"
	"strconv"

	"github.com/kernelboosting/bench/harness/protocol"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/runner"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/registry"
)

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

// SeedsOf returns the seeds of a run; nil if the run has only the protocol's seed.
func SeedsOf(r result.Run) []uint32 {
	var seeds []uint32
	for _, t := range r.SeedTests {
		seeds = append(seeds, t.Seed)
	}
	return seeds
}

// FirstSeed returns the text that a key hashes for a list of seeds: "" for an empty list.
func FirstSeed(seeds []uint32) string {
	if seeds == nil {
		return ""
	}
	return strconv.FormatUint(uint64(seeds[0]), 10)
}
