package page

import (
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// A single split has no deviation, and a row whose comparison is not testable is among those that are neither better
// nor worse.
func TestOneSplit(t *testing.T) {
	in := sample.Of(1, sample.OK("s0", "A", 1, 80, 100), sample.OK("s0", "B", 1, 70, 100))
	p := built(t, in, Options{Method: "A"})
	must.Be(t, p.Sets[0].Rows[0].Dev+p.data.Cells["0,0"].Texts[1], "")
	must.Be(t, p.Board.Lines[1].Class, "open")
}

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
