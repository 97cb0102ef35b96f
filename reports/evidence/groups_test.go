package evidence_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestPartOfWhatIsKnown: the evidence of a part is the same, whether or not differences on single sets are taken from
// the evidence of the whole table, and the typical difference of a pair has the other sign from the other side.
func TestPartOfWhatIsKnown(t *testing.T) {
	table := must.Get(sample.Paper().Frame(t).Table(""))(t)
	o := evidence.Options{Level: 0.05, Region: evidence.UsualRegion(table.Metric)}
	whole := must.Get(evidence.Compare(&table, o))(t)
	var sets []string
	for _, s := range table.Sets[3:] {
		sets = append(sets, s.Name)
	}
	part := table.Part([]string{"GFC", "LGBM", "GBRFF2", "BMKR"}, sets)
	describe := func(e *evidence.Evidence) (out []string) {
		for _, p := range e.Pairs {
			text := fmt.Sprint(e.Methods[p.A], e.Methods[p.B], p.Over, p.Gains, p.Mean, p.Adjusted, p.Equivalence,
				p.Verdict, p.Ahead, p.Within, p.Behind, p.Typical(), p.TypicalInterval(0.95))
			for _, s := range p.Sets {
				text += fmt.Sprint(s.Set.Name, s.Set.Counted, s.Splits, s.Gain, s.Test, s.P, s.Adjusted, s.Equivalence,
					s.Verdict)
			}
			out = append(out, text)
			b, there := e.Between(p.B, p.A)
			low, high := p.TypicalInterval(0.95), b.TypicalInterval(0.95)
			if !there || b.Typical().Cmp(p.Typical().Neg(p.Typical())) != 0 || low.Low != -high.High ||
				low.High != -high.Low {
				t.Errorf("from the other side %v in %v, and here %v in %v", b.Typical(), high, p.Typical(), low)
			}
		}
		return out
	}
	want := describe(must.Get(evidence.Compare(&part, o))(t))
	o.Known = whole
	if got := describe(must.Get(evidence.Compare(&part, o))(t)); !slices.Equal(got, want) || len(want) != 6 {
		t.Errorf("with what is known\n%q\nwant\n%q", got, want)
	}
}

// TestGroupsAreCounted: the ratio of the test on a set with groups is that of the groups of all splits, 2+3+2+3+2 of
// those tested and 8+7+8+7+8 of those learned from, and not that of the rows, 1/2.
func TestGroupsAreCounted(t *testing.T) {
	for _, grouped := range []bool{true, false} {
		var rows []store.Row
		for split := 1; split <= 5; split++ {
			for k, method := range []string{"A", "B"} {
				r := sample.OK("clinic", method, split, 50+k*split, 100)
				if tested := int64(2 + (split+1)%2); grouped {
					r.Score.TestGroups, r.Score.TrainGroups = new(tested), new(10-tested)
				}
				rows = append(rows, r)
			}
		}
		table := must.Get(sample.Of(5, rows...).Frame(t).Table(""))(t)
		ratio, about := "1/2", ""
		if grouped {
			ratio, about = "6/19", "about "
		}
		got := must.Get(evidence.Compare(&table, evidence.Options{Level: 0.05}))(t).Pairs[0].Sets[0]
		if got.Test.Ratio.RatString() != ratio || got.Set.About() != about {
			t.Errorf("groups %v: the ratio is %v, and sizes are %q", grouped, got.Test.Ratio, got.Set.About())
		}
	}
}
