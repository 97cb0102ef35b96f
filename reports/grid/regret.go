package grid

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"github.com/kernelboosting/bench/harness/metric"
	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/harness/store"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// regret is what the choice of a grid point by the folds cost a method on a set. Values are means over the splits
// with tests of every grid point.
type regret struct {
	set, method string
	splits      int
	chosen      *big.Rat // the test of the points that the folds chose
	best        *big.Rat // the test of the point that these tests find best, for each split by itself
	one         *big.Rat // the test of the one point that is best over all splits; nil where grids differ
	point       string   // that point
}

// regrets has a row for every set and method with tests of all grid points.
func regrets(t frame.Table, grids map[string][]json.RawMessage) []regret {
	var out []regret
	for _, s := range t.Sets {
		for _, m := range t.Methods {
			if r, ok := regretOf(t, t.Cells(s.Name, m), grids); ok {
				r.set, r.method = s.Name, m
				out = append(out, r)
			}
		}
	}
	return out
}

func regretOf(t frame.Table, cells []store.Row, grids map[string][]json.RawMessage) (regret, bool) {
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
	out := regret{splits: len(chosen), chosen: stats.NewSpread(chosen).Mean, best: stats.NewSpread(best).Mean}
	for g := 0; oneGrid && g < len(grids[hash]); g++ {
		if len(byPoint[g]) != len(chosen) {
			continue
		}
		if mean := stats.NewSpread(byPoint[g]).Mean; out.one == nil || t.Metric.Compare(mean, out.one) > 0 {
			out.one, out.point = mean, string(grids[hash][g])
		}
	}
	return out, true
}

// cost is how much better another value is than the value that the folds chose.
func cost(t frame.Table, chosen, other *big.Rat) *big.Rat {
	if other == nil {
		return nil
	}
	d := new(big.Rat).Sub(other, chosen)
	if t.Metric.Better == metric.Lower {
		d.Neg(d)
	}
	return d
}

func regretTable(t frame.Table, all []regret) doc.Table {
	out := doc.Table{Heading: "Regret of the choice", Caption: fmt.Sprintf("Mean test %s of the points chosen by the folds, and of those that are best by the test itself", t.Metric.Title),
		Label: "regret", Corner: "Data set, method",
		Head: []doc.Column{{Name: "splits"}, {Name: "chosen"}, {Name: "best", Long: "best of each split"}, {Name: "regret", Kind: doc.Signed},
			{Name: "one", Long: "best over all splits"}, {Name: "regret", Kind: doc.Signed}, {Name: "which", Kind: doc.Words}},
		Legend: []string{"Chosen: the grid point with the best folds, refitted; what a user gets.",
			"Best: in each split the point with the best test; one: the point with the best mean test over the splits. Both know the answer beforehand: papers that report the best of a grid on the test rows report these."}}
	decimals := 4
	if t.Metric.Percent {
		decimals = 2
	}
	var rows []doc.Row
	for _, r := range all {
		one := doc.Entry{Text: frame.Absent}
		if d := cost(t, r.chosen, r.one); d != nil {
			one = doc.Entry{Text: frame.Signed(d, decimals)}
		}
		rows = append(rows, doc.Row{Name: r.set + ", " + r.method, Entries: []doc.Entry{{Text: strconv.Itoa(r.splits)}, {Text: frame.Text(r.chosen, decimals)},
			{Text: frame.Text(r.best, decimals)}, {Text: frame.Signed(cost(t, r.chosen, r.best), decimals)}, {Text: frame.Text(r.one, decimals)}, one, {Text: r.point}}})
	}
	out.Sections = [][]doc.Row{rows}
	return out
}

func regretRecords(t frame.Table, all []regret) doc.Records {
	out := doc.Records{Name: "regret", Columns: []string{"protocol", "metric", "dataset", "method", "splits", "chosen", "best", "regret", "one", "one_regret", "one_point", "version"}}
	for _, r := range all {
		out.Add(t.Protocol, t.Metric.Name, r.set, r.method, r.splits, frame.Float(r.chosen), frame.Float(r.best), frame.Float(cost(t, r.chosen, r.best)),
			frame.Float(r.one), frame.Float(cost(t, r.chosen, r.one)), r.point, t.Version(r.set, r.method))
	}
	return out
}
