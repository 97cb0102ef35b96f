package grid

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// regret is what the choice of a grid point by the folds cost a method on a set. Values are means over the splits
// with tests of every grid point.
type regret struct {
	splits int
	chosen *big.Rat // the test of the points that the folds chose
	best   *big.Rat // the test of the point that these tests find best, for each split by itself
	one    *big.Rat // the test of the one point that is best over all splits; nil where grids differ
	point  string   // that point
}

// regrets has a row for every set and method with tests of all grid points.
func regrets(f frame.Frame, t *frame.Table) (doc.Table, doc.Records) {
	out := doc.Table{Heading: "Regret of the choice", Caption: fmt.Sprintf("Mean test %s of the points chosen by the folds, and of those that are best by the test itself", t.Metric.Title),
		Label: "regret", Corner: "Data set, method",
		Head: []doc.Column{{Name: "splits"}, {Name: "chosen"}, {Name: "best", Long: "best of each split"}, {Name: "regret", Kind: doc.Signed},
			{Name: "one", Long: "best over all splits"}, {Name: "regret", Kind: doc.Signed}, {Name: "which", Kind: doc.Words}},
		Legend: []string{"Chosen: the grid point with the best folds, refitted; what a user gets.",
			"Best: in each split the point with the best test; one: the point with the best mean test over the splits. Both know the answer beforehand: papers that report the best of a grid on the test rows report these."}}
	records := doc.Records{Name: "regret", Columns: []string{"protocol", "metric", "dataset", "method", "splits", "chosen", "best", "regret", "one", "one_regret", "one_point", "version"}}
	for _, s := range t.Sets {
		for _, m := range t.Methods {
			r, ok := regretOf(t, t.Cells(s.Name, m), f.Grids)
			if !ok {
				continue
			}
			cost, ofOne := t.Gain(r.best, r.chosen), t.Gain(r.one, r.chosen)
			out.Add(s.Name+", "+m, doc.Texts(strconv.Itoa(r.splits), frame.Text(r.chosen, t.Decimals()), frame.Text(r.best, t.Decimals()), frame.Signed(cost, t.Decimals()),
				frame.Text(r.one, t.Decimals()), frame.Signed(ofOne, t.Decimals()), r.point)...)
			records.Add(t.Protocol, t.Metric.Name, s.Name, m, r.splits, frame.Float(r.chosen), frame.Float(r.best), frame.Float(cost),
				frame.Float(r.one), frame.Float(ofOne), r.point, t.Version(s.Name, m))
		}
	}
	return out, records
}

func regretOf(t *frame.Table, cells []store.Row, grids map[string][]json.RawMessage) (regret, bool) {
	var chosen, best []*big.Rat
	byPoint := map[int][]*big.Rat{}
	hash, oneGrid := "", true
	for _, r := range cells {
		if r.Status != result.OK || r.Selected == nil || *r.Selected >= len(r.GridTests) {
			continue
		}
		var top *big.Rat
		for g, score := range r.GridTests {
			v := t.ValueOf(score)
			if v == nil {
				continue
			}
			byPoint[g] = append(byPoint[g], v)
			if top == nil || t.Metric.Compare(v, top) > 0 {
				top = v
			}
		}
		v := t.ValueOf(r.GridTests[*r.Selected])
		if v == nil || top == nil {
			continue
		}
		chosen, best = append(chosen, v), append(best, top)
		oneGrid = oneGrid && (hash == "" || hash == r.GridHash)
		hash = r.GridHash
	}
	if len(chosen) == 0 {
		return regret{}, false
	}
	out := regret{splits: len(chosen), chosen: stats.Mean(chosen), best: stats.Mean(best)}
	for g := 0; oneGrid && g < len(grids[hash]); g++ {
		if len(byPoint[g]) != len(chosen) {
			continue
		}
		if mean := stats.Mean(byPoint[g]); out.one == nil || t.Metric.Compare(mean, out.one) > 0 {
			out.one, out.point = mean, string(grids[hash][g])
		}
	}
	return out, true
}
