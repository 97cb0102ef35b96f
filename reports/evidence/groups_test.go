package evidence_test

import (
	"math/big"
	"testing"

	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/internal/test/must"
	"github.com/kernelboosting/bench/reports/evidence"
	"github.com/kernelboosting/bench/reports/internal/sample"
)

// TestTheOtherSide: the typical difference of a pair has the other sign from the other side.
func TestTheOtherSide(t *testing.T) {
	table := must.Get(sample.Paper().Frame(t).Table(""))(t)
	e := must.Get(evidence.Compare(&table, evidence.Options{Level: 0.05}))(t)
	for _, p := range e.Pairs {
		b, there := e.Between(p.B, p.A)
		low, high := p.TypicalInterval(), b.TypicalInterval()
		if !there || b.Typical().Cmp(new(big.Rat).Neg(p.Typical())) != 0 || low.Low != -high.High ||
			low.High != -high.Low {
			t.Errorf("from the other side %v in %v, and here %v in %v", b.Typical(), high, p.Typical(), low)
		}
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
		ratio, about := 1.0/2, ""
		if grouped {
			ratio, about = 12.0/38, "about "
		}
		got := must.Get(evidence.Compare(&table, evidence.Options{Level: 0.05}))(t).Pairs[0].Sets[0]
		must.Be(t, got.Test.Ratio, ratio, "groups", grouped)
		must.Be(t, got.Set.About(), about, "groups", grouped)
	}
}
