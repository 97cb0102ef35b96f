package frame

import (
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
)

// Fits counts the distinct fits among cells that ended ok, by the bits of their test scores: on a set whose
// rows are divided once ([Dataset].Draws) splits may repeat a fit. It returns false if a hash is not known.
func Fits(cells []store.Row) (distinct int, known bool) {
	seen := map[string]bool{}
	for _, r := range cells {
		if r.Status != result.OK {
			continue
		}
		if r.ScoresHash == "" {
			return 0, false
		}
		seen[r.ScoresHash] = true
	}
	return len(seen), true
}
