package table

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kernelboosting/bench/harness/result"
	"github.com/kernelboosting/bench/reports/doc"
	"github.com/kernelboosting/bench/reports/frame"
	"github.com/kernelboosting/bench/reports/stats"
)

// seedSpread is how much the results of a method on a set vary with its seed, and with the split.
type seedSpread struct {
	splits, seeds int     // splits that were tested with several seeds, and with how many
	overSeeds     float64 // root of the mean over splits of the variance over seeds
	// standard deviation of the results of these splits; NaN for one split, and where splits are draws of the method
	overSplits float64
}

// seedSpreadOf returns false if no split of the method on the set was tested with several seeds.
func seedSpreadOf(t *frame.Table, set frame.Set, method string) (seedSpread, bool) {
	var out seedSpread
	var own []*big.Rat
	variance := 0.0
	for _, r := range t.Cells(set.Name, method) {
		if r.Status != result.OK || len(r.SeedTests) < 2 {
			continue
		}
		values := doc.Map(r.SeedTests, func(test result.SeedTest) *big.Rat { return t.ValueOf(test.Score) })
		if slices.Contains(values, nil) {
			continue // the metric does not exist for this test part
		}
		deviation := stats.NewSpread(values).StdSample
		variance += deviation * deviation
		own = append(own, values[0])
		out.seeds = len(values)
	}
	if out.splits = len(own); out.splits == 0 {
		return out, false
	}
	out.overSeeds, out.overSplits = math.Sqrt(variance/float64(out.splits)), math.NaN()
	if !set.Draws {
		out.overSplits = stats.NewSpread(own).StdSample
	}
	return out, true
}

// seeds is a table of two standard deviations of each method, over seeds and over splits. It has the methods whose
// cells are tested with several seeds; without any there is no table. Each deviation is a mean over sets
// of the main group, the same sets for every method: the sets on which every method has both deviations. If there
// are no such sets, they are the sets on which every method has the deviation over seeds.
func seeds(t *frame.Table) (table, records []doc.Block) {
	values := doc.Records{Name: "seeds", Columns: []string{"metric", "dataset", "method", "splits", "seeds",
		"std_seeds", "std_splits"}}
	spreads := map[[2]string]seedSpread{}
	var methods []string
	for _, s := range t.Sets {
		for _, m := range t.Methods {
			v, ok := seedSpreadOf(t, s, m)
			if !ok {
				continue
			}
			spreads[[2]string{s.Name, m}] = v
			values.Add(t.Metric.Name, s.Name, m, v.splits, v.seeds, v.overSeeds, v.overSplits)
			if !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
		}
	}
	if len(methods) == 0 {
		return nil, nil
	}
	complete := func(lacks func(seedSpread) bool) (names []string) {
		for _, s := range t.Sets {
			missing := func(m string) bool { v, ok := spreads[[2]string{s.Name, m}]; return !ok || lacks(v) }
			if s.Group == frame.GroupMain && !slices.ContainsFunc(methods, missing) {
				names = append(names, s.Name)
			}
		}
		return names
	}
	names := complete(func(v seedSpread) bool { return math.IsNaN(v.overSplits) })
	if names == nil {
		names = complete(func(seedSpread) bool { return false })
	}
	if names == nil {
		return nil, []doc.Block{values}
	}
	return []doc.Block{seedTable(t, methods, names, spreads)}, []doc.Block{values}
}

// seedTable has the mean deviations over the named sets, a row a method. A dash is a deviation that does
// not exist.
func seedTable(t *frame.Table, methods, names []string, spreads map[[2]string]seedSpread) doc.Table {
	out := doc.Table{Caption: "Seeds: standard deviation over seeds of the method, and over splits",
		Label: "seeds", Corner: "Method",
		Head: []doc.Column{{Name: "seeds"}, {Name: "over seeds"}, {Name: "over splits"}},
		Legend: []string{fmt.Sprintf("Means over %s: %s.", frame.Count(len(names), "data set"),
			strings.Join(names, ", ")),
			"Over seeds: of each set the root of the mean over splits of the variance over seeds (divisor n-1).",
			"Over splits: the deviation of the results (divisor n-1), each of one seed; a dash where there is one " +
				"split, or where splits are draws of the method themselves."}}
	for _, m := range methods {
		count, overSeeds, overSplits := 0, 0.0, 0.0
		for _, name := range names {
			v := spreads[[2]string{name, m}]
			count, overSeeds, overSplits = v.seeds, overSeeds+v.overSeeds/float64(len(names)),
				overSplits+v.overSplits/float64(len(names))
		}
		out.Add(m, doc.Texts(strconv.Itoa(count), frame.Text(frame.Exact(overSeeds), t.Decimals()),
			frame.Text(frame.Exact(overSplits), t.Decimals()))...)
	}
	return out
}
