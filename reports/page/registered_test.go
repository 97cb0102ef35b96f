package page

import (
	"fmt"
	"testing"
	"time"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestRegisteredGroup: a comparison that is registered for a group of sets counts in the tab of the group, and not on
// the whole page. Each sentence over sets says what it is. Bars of diagrams are of all pairs together.
func TestRegisteredGroup(t *testing.T) {
	var rows []store.Row
	var group []string
	c := result.Comparison{Created: time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), Metric: "accuracy", Level: 0.05,
		Equivalence: "1", Splits: []int{1, 2}, Method: result.ComparedMethod{ID: "A"},
		Against: []result.ComparedMethod{{ID: "B"}}}
	for s := range 8 {
		name := fmt.Sprintf("s%02d", s)
		if s > 0 {
			group, c.Datasets = append(group, name), append(c.Datasets, result.Named{ID: name, Hash: "f"})
		}
		for split := 1; split <= 2; split++ {
			for m, correct := range []int{80, 70, 78 + s%3, 76 + s%4, 74 + 2*s%7} {
				rows = append(rows, sample.OK(name, string(rune('A'+m)), split, correct+split, 100))
			}
		}
	}
	in, o := sample.Of(2, rows...), Options{Method: "A", Groups: Groups{Sets: map[string][]string{"seven": group}}}
	before := built(t, in, o)
	in.Comparisons = []result.Comparison{must.Get(c.Written())(t)}
	p := built(t, in, o)
	must.Hold(t, p.Verdict.Sentence, "(exploratory; ", "it is over 7 data sets and splits 1-2, and this page has "+
		"others")
	must.Be(t, len(p.Tabs), 1)
	must.Hold(t, p.Tabs[0].Sentence, "A is significantly better than B (registered; ", "(exploratory; ")
	must.Be(t, p.Tabs[0].Board.Lines[len(p.Tabs[0].Board.Lines)-1].Word, "significantly worse (registered)")
	must.Be(t, fmt.Sprint(p.Diagrams), fmt.Sprint(before.Diagrams))
}
