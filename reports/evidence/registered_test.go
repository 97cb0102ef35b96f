package evidence_test

import (
	"fmt"
	"testing"

	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/internal/test/testenv"
	"github.com/kernelboosting/bench/registry/rng"
	"github.com/kernelboosting/bench/reports/evidence"
)

// TestRegisteredLevel: of two methods that do not differ, a registered comparison says a difference on at most 5 % of
// the pages, whatever else these show, and finds more than the page does where there is a difference. What it leaves
// alone stays: the other pairs, ranks and the confidence set of the best.
func TestRegisteredLevel(t *testing.T) {
	pages := 60
	if testenv.Thorough(t) {
		pages = 1000
	}
	for _, by := range []float64{0, 1.5} {
		w := world{methods: 6, of: spread(first(6, by), normal(2)), typical: ahead(first(6, by)...)}
		stream, registered, exploratory := rng.New(17), 0, 0
		for range pages {
			table, _ := w.page(stream, 12)
			ev := must.Get(evidence.Compare(table, evidence.Options{Level: 0.05}))(t)
			all := func() (out []string) {
				for _, p := range ev.Pairs {
					if of(table, p.A)+of(table, p.B) != 1 {
						out = append(out, fmt.Sprint(p.Adjusted, p.Verdict))
					}
				}
				return append(out, fmt.Sprint(ev.Ranks(), ev.Best(), ev.Family()))
			}
			pair := func() evidence.Pair {
				for _, p := range ev.Pairs {
					if of(table, p.A)+of(table, p.B) == 1 {
						return p
					}
				}
				panic("there is no such pair")
			}
			before := all()
			if pair().Adjusted < ev.Level {
				exploratory++
			}
			ev.Register([]string{"M00", "M01"})
			if p := pair(); p.Verdict.Found() {
				registered++
				must.Be(t, p.Adjusted, p.Signed.P, "of one comparison")
			}
			must.Be(t, all(), before, "what is not registered")
		}
		if by == 0 {
			found{pages: pages, difference: registered}.check(t, "registered")
		} else if registered <= exploratory {
			t.Errorf("a difference is found on %d pages registered, and on %d exploratory", registered, exploratory)
		}
		t.Logf("%v ahead: %d of %d pages registered, %d exploratory", by, registered, pages, exploratory)
	}
}
