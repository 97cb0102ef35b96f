package page

import (
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestFocus: sets on which the named method has no result do not count, as on the leaderboard with --focus, and are
// shown apart with the results of the other methods.
func TestFocus(t *testing.T) {
	var rows []store.Row
	for s, set := range []string{"s0", "s1", "s2"} {
		for m, correct := range []int{80, 70, 60} {
			if s < 2 || m > 0 {
				rows = append(rows, sample.OK(set, string(rune('A'+m)), 1, correct, 100))
			}
		}
	}
	in := sample.Of(1, rows...)
	p := built(t, in, Options{Method: "A"})
	must.Be(t, p.Board.Sets, []string{"s0", "s1"})
	must.Be(t, len(p.Board.Lines), 3)
	must.Be(t, len(p.Sets), 3)
	must.Be(t, len(built(t, in, Options{}).Board.Sets), 3)
}
