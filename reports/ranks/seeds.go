package ranks

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
	overSplits    float64 // standard deviation of the results of these splits; NaN for one split, and where splits are draws of the method
}

// seedSpreadOf returns false for a cell that no split of was tested with several seeds.
func seedSpreadOf(t *frame.Table, set frame.Set, method string) (seedSpread, bool) {
	var out seedSpread
	var own []*big.Rat
	variance := 0.0
	for _, r := range t.Cells(set.Name, method) {
		if r.Status != result.OK || len(r.SeedTests) < 2 {
			continue
		}
		var values []*big.Rat
		for _, test := range r.SeedTests {
			values = append(values, t.ValueOf(test.Score))
		}
		if slices.Contains(values, nil) {
			continue // a coefficient that this test part does not have
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

// seeds sets the deviation over seeds of the methods beside that over splits, where cells are tested with
// several seeds; none elsewhere. The means are over the same sets for every method that has such tests: those that have
// both deviations, or where there is no such set those that have the one over seeds.
func seeds(t frame.Table) (table, records []doc.Block) {
	values := doc.Records{Name: "seeds", Columns: []string{"metric", "dataset", "method", "splits", "seeds", "std_seeds", "std_splits"}}
	spreads := map[[2]string]seedSpread{}
	var methods []string
	for _, s := range t.Sets {
		for _, m := range t.Methods {
			v, ok := seedSpreadOf(&t, s, m)
			if !ok {
				continue
			}
			spreads[[2]string{s.Name, m}] = v
			values.Add(t.Metric.Name, s.Name, m, v.splits, v.seeds, v.overSeeds, frame.Known(v.overSplits))
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
	return []doc.Block{seedTable(t.Metric.Percent, methods, names, spreads)}, []doc.Block{values}
}

// seedTable has the means over the named sets, a row a method; a dash where no set has the deviation.
func seedTable(percent bool, methods, names []string, spreads map[[2]string]seedSpread) doc.Table {
	out := doc.Table{Caption: "Seeds: standard deviation over seeds of the method, beside that over splits", Label: "seeds", Corner: "Method",
		Head: []doc.Column{{Name: "seeds"}, {Name: "over seeds"}, {Name: "over splits"}},
		Legend: []string{fmt.Sprintf("Means over %s: %s.", frame.Count(len(names), "data set"), strings.Join(names, ", ")),
			"Over seeds: of each set the root of the mean over splits of the variance over seeds (divisor n-1).",
			"Over splits: the deviation of the results (divisor n-1), each of one seed; a dash where there is one split, or where splits are draws of the method themselves."}}
	decimals := 4
	if percent {
		decimals = 2
	}
	var rows []doc.Row
	for _, m := range methods {
		count, overSeeds, overSplits := 0, 0.0, 0.0
		for _, name := range names {
			v := spreads[[2]string{name, m}]
			count, overSeeds, overSplits = v.seeds, overSeeds+v.overSeeds/float64(len(names)), overSplits+v.overSplits/float64(len(names))
		}
		rows = append(rows, doc.Row{Name: m, Entries: []doc.Entry{{Text: strconv.Itoa(count)}, {Text: frame.Text(frame.Rat(overSeeds), decimals)}, {Text: frame.Text(frame.Rat(overSplits), decimals)}}})
	}
	out.Sections = [][]doc.Row{rows}
	return out
}
